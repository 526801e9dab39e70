import { hash } from "node:crypto";
import { parentOf } from "../contract/uid.ts";
import type { Identity } from "../gen/muster/platform/iam/v2beta1/identity_pb.ts";

/** The claims that stand for a person at a provider. */
export interface PersonalClaims {
  readonly issuer: string;
  readonly subject: string;
  /** The client id at the provider. */
  readonly audience: string;
}

/** What stands for a person in a group. It finds the person's identity with one step down an index, whoever else there is. */
export function personKey(group: string, { issuer, subject, audience }: PersonalClaims): string {
  return hash("sha256", JSON.stringify([group, issuer, subject, audience]), "base64url");
}

/**
 * The key of the person whom the identity is for: everybody who has exactly these claims. Undefined for one with other conditions, which
 * is not for everybody who has them.
 */
export function personKeyOf({ uid, relationship }: Identity): string | undefined {
  if (relationship.case !== "claimMatch") return undefined;
  const { iss, sub, aud, claims, claimPatterns } = relationship.value;
  if (iss.case !== "issuer" || sub.case !== "subject" || aud.case !== "audience") return undefined;
  if (Object.keys(claims).length > 0 || Object.keys(claimPatterns).length > 0) return undefined;
  return personKey(parentOf(uid) ?? "", { issuer: iss.value, subject: sub.value, audience: aud.value });
}
