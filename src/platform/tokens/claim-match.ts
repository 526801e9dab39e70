import type { Identity } from "../gen/muster/platform/iam/v2beta1/identity_pb.ts";
import { compilePattern } from "./pattern.ts";
import type { SubjectToken } from "./subject-token.ts";

/**
 * What in the claims of a subject token does not match the identity, such as "subject" or "claim team"; undefined if all
 * match. Pure: it verifies no signature and fetches nothing.
 * @param defaultAudience expected if the identity does not specify one: the host name of the token service
 */
export function mismatchOf(
  { relationship }: Identity,
  { issuer, subject, audiences, claims }: Omit<SubjectToken, "text" | "keyId">,
  defaultAudience: string,
): string | undefined {
  switch (relationship.case) {
    case "staticKeys": {
      const expected = relationship.value;
      if (issuer !== expected.issuer) return "issuer";
      if (subject !== expected.subject) return "subject";
      return audiences.some((audience) => expected.audiences.includes(audience)) ? undefined : "audience";
    }
    case "claimMatch": {
      const { iss, sub, aud, claims: expected, claimPatterns } = relationship.value;
      const isExpectedAudience = (audience: string) => {
        if (aud.case === undefined) return audience === defaultAudience;
        return aud.case === "audience" ? audience === aud.value : fits(aud.value, audience);
      };
      if (!(iss.case === "issuer" ? issuer === iss.value : fits(iss.value, issuer))) return "issuer";
      if (!(sub.case === "subject" ? subject === sub.value : fits(sub.value, subject))) return "subject";
      if (!audiences.some(isExpectedAudience)) return "audience";
      const [claim] =
        Object.entries(expected).find(([name, value]) => claimText(claims, name) !== value) ??
        Object.entries(claimPatterns).find(([name, pattern]) => !fits(pattern, claimText(claims, name))) ??
        [];
      return claim === undefined ? undefined : `claim ${claim}`;
    }
    case "awsIdentity":
    case undefined:
      return "type of the identity";
  }
}

function fits(pattern: string | undefined, text: string | undefined): boolean {
  if (pattern === undefined || text === undefined) return false;
  return compilePattern(pattern)?.(text) ?? false;
}

/** The text of a claim with a single value. Objects and lists have none, so they match nothing. */
function claimText(claims: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const claim = Object.hasOwn(claims, name) ? claims[name] : undefined;
  if (typeof claim === "string") return claim;
  return typeof claim === "number" || typeof claim === "boolean" ? String(claim) : undefined;
}
