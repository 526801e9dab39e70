import { hash } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { identities } from "../collections/identities.ts";
import { roleBindings } from "../collections/role-bindings.ts";
import { newUidIn } from "../contract/uid.ts";
import type { AuthoredWriter } from "../audit/authored-writer.ts";
import { type Identity, IdentitySchema } from "../gen/muster/platform/iam/v2beta1/identity_pb.ts";
import { RoleBindingSchema } from "../gen/muster/platform/iam/v2beta1/role_binding_pb.ts";
import { type Reader, statement } from "../store/database.ts";
import type { Person } from "./login-request.ts";

/** The claims that stand for a person at a provider. */
export interface PersonalClaims {
  readonly issuer: string;
  readonly subject: string;
  /** The client id at the provider. */
  readonly audience: string;
}

const inGroup = statement((db, p: { group: string; issuer: string; subject: string }) =>
  db
    .selectFrom("identities")
    .select("uid")
    .where("subject", "=", p.subject)
    .where("issuer", "=", p.issuer)
    .where("parent", "=", p.group)
    .orderBy("create_time")
    .orderBy("uid"),
);

export function claimsOf({ issuer, subject }: Person, clientId: string): PersonalClaims {
  return { issuer, subject, audience: clientId };
}

/** The identity of a person in a group; the oldest one if there are several. */
export async function findPerson(reader: Reader, group: string, claims: PersonalClaims): Promise<Identity | undefined> {
  const { issuer, subject } = claims;
  for (const { uid } of await reader.all(inGroup, { group, issuer, subject })) {
    const identity = await identities.find(reader, uid);
    if (identity !== undefined && isFor(identity, claims)) return identity;
  }
  return undefined;
}

/** Whether the identity is for exactly these claims: one with more conditions is not for everybody who has them. */
function isFor({ relationship }: Identity, { issuer, subject, audience }: PersonalClaims): boolean {
  if (relationship.case !== "claimMatch") return false;
  const { iss, sub, aud, claims, claimPatterns } = relationship.value;
  return (
    iss.case === "issuer" &&
    iss.value === issuer &&
    sub.case === "subject" &&
    sub.value === subject &&
    aud.case === "audience" &&
    aud.value === audience &&
    Object.keys(claims).length === 0 &&
    Object.keys(claimPatterns).length === 0
  );
}

/** Creates the identity of a person. @param uid of the identity, in the group of the provider */
export async function createPerson(
  tx: AuthoredWriter,
  uid: string,
  { issuer, subject, audience }: PersonalClaims,
): Promise<Identity> {
  const time = timestampFromMs(tx.now);
  const identity = create(IdentitySchema, {
    uid,
    name: `login-${hash("sha256", `${issuer}\0${subject}`, "hex").slice(0, 32)}`,
    description: "created at the first login",
    createTime: time,
    updateTime: time,
    lastSeenTime: time,
    relationship: {
      case: "claimMatch",
      value: {
        iss: { case: "issuer", value: issuer },
        sub: { case: "subject", value: subject },
        aud: { case: "audience", value: audience },
      },
    },
  });
  await identities.insert(tx, identity);
  return identity;
}

export async function bind(tx: AuthoredWriter, identity: string, role: string, group: string): Promise<void> {
  const createTime = timestampFromMs(tx.now);
  const uid = newUidIn(group);
  await roleBindings.insert(tx, create(RoleBindingSchema, { uid, identityUid: identity, roleUid: role, createTime }));
}
