import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { checkAwsAccount, checkIssuer, checkPresent } from "../contract/check-text.ts";
import { issuerNameRule, subjectRule } from "../contract/text-rule.ts";
import { invalidArgument } from "../errors/api-error.ts";
import type {
  Identity,
  Identity_AWSIdentity as AWSIdentity,
  Identity_ClaimMatch as ClaimMatch,
  Identity_StaticKeys as StaticKeys,
} from "../gen/muster/platform/iam/v2beta1/identity_pb.ts";
import { tokenLimits } from "../limits/token-limits.ts";
import { whyNeverFetched } from "../tokens/fetchable-issuer.ts";
import { KeySet } from "../tokens/key-set.ts";
import { parseJwks } from "../tokens/jwks.ts";
import type { TrustedIssuer } from "../tokens/trusted-issuer.ts";
import { checkPatterns, type NamedPattern } from "./pattern-rules.ts";

/** The maximum and default lifetime of static keys (ms). */
const staticKeysLifetime = 365 * 24 * 60 * 60 * 1_000;

/**
 * Checks which tokens may assume an identity, and sets the expiration time of static keys that have none.
 * @param trustedIssuers may have private addresses
 * @throws ApiError (3) that names the field
 */
export function checkRelationship(
  { relationship }: Identity,
  now: number,
  trustedIssuers: readonly TrustedIssuer[],
): void {
  switch (relationship.case) {
    case "claimMatch":
      return checkClaimMatch(relationship.value, trustedIssuers);
    case "staticKeys":
      return checkStaticKeys(relationship.value, now);
    case "awsIdentity":
      return checkAwsIdentity(relationship.value);
    case undefined:
      throw invalidArgument("claimMatch", "one of claimMatch, staticKeys, awsIdentity is required");
  }
}

function checkClaimMatch(
  { iss, sub, aud, claims, claimPatterns }: ClaimMatch,
  trustedIssuers: readonly TrustedIssuer[],
): void {
  if (iss.case === "issuer") checkDiscoveredIssuer(iss.value, trustedIssuers);
  else if (iss.case !== "issuerPattern")
    throw invalidArgument("claimMatch.issuer", "one of issuer, issuerPattern is required");

  if (sub.case === "subject") checkPresent("claimMatch.subject", sub.value, subjectRule);
  else if (sub.case !== "subjectPattern")
    throw invalidArgument("claimMatch.subject", "one of subject, subjectPattern is required");

  if (aud.case === "audience") checkPresent("claimMatch.audience", aud.value);

  for (const name of Object.keys(claims)) checkPresent("claimMatch.claims", name);
  for (const name of Object.keys(claimPatterns)) checkPresent("claimMatch.claimPatterns", name);
  checkPatterns(claimMatchPatterns({ iss, sub, aud, claimPatterns }));
}

function claimMatchPatterns({
  iss,
  sub,
  aud,
  claimPatterns,
}: Pick<ClaimMatch, "iss" | "sub" | "aud" | "claimPatterns">): NamedPattern[] {
  const patterns: NamedPattern[] = [];
  if (iss.case === "issuerPattern")
    patterns.push({
      field: "claimMatch.issuerPattern",
      pattern: iss.value,
      instructions: tokenLimits.issuerPatternProgram,
    });
  if (sub.case === "subjectPattern") patterns.push({ field: "claimMatch.subjectPattern", pattern: sub.value });
  if (aud.case === "audiencePattern") patterns.push({ field: "claimMatch.audiencePattern", pattern: aud.value });
  for (const [name, pattern] of Object.entries(claimPatterns))
    patterns.push({ field: `claimMatch.claimPatterns.${name}`, pattern });
  return patterns;
}

function checkDiscoveredIssuer(issuer: string, trustedIssuers: readonly TrustedIssuer[]): void {
  checkIssuer("claimMatch.issuer", issuer);
  const problem = whyNeverFetched(issuer, trustedIssuers);
  if (problem !== undefined) throw invalidArgument("claimMatch.issuer", `${problem}; or use staticKeys`);
}

function checkStaticKeys(keys: StaticKeys, now: number): void {
  checkPresent("staticKeys.issuer", keys.issuer, issuerNameRule);
  checkPresent("staticKeys.subject", keys.subject, subjectRule);
  const jwks = parseJwks(keys.issuerKeys);
  // Anyone who can read the identity could sign with a symmetric or private key.
  if (jwks === undefined || jwks.publicKeys.length === 0 || jwks.others > 0)
    throw invalidArgument("staticKeys.issuerKeys", "must be a JWKS document with public keys only");
  if (new KeySet(jwks.publicKeys).size === 0)
    throw invalidArgument(
      "staticKeys.issuerKeys",
      "none of the keys can verify a token: they must be RSA keys of 2048 to 8192 bits, or of the curves P-256, P-384, P-521 or Ed25519, and use, key_ops and alg must allow signatures",
    );
  if (keys.audiences.length > 1) throw invalidArgument("staticKeys.audiences", "must contain at most one audience");
  for (const audience of keys.audiences) checkPresent("staticKeys.audiences", audience);
  const latest = now + staticKeysLifetime;
  if (keys.expirationTime === undefined) keys.expirationTime = timestampFromMs(latest);
  else if (timestampMs(keys.expirationTime) > latest)
    throw invalidArgument("staticKeys.expirationTime", "must be within 365 days");
  else if (timestampMs(keys.expirationTime) <= now)
    throw invalidArgument("staticKeys.expirationTime", "must be in the future");
}

function checkAwsIdentity({ awsAccount, awsArn, awsUserId }: AWSIdentity): void {
  checkAwsAccount("awsIdentity.awsAccount", awsAccount);
  if (awsArn.case === undefined) throw invalidArgument("awsIdentity.arn", "one of arn, arnPattern is required");
  if (awsUserId.case === undefined)
    throw invalidArgument("awsIdentity.userId", "one of userId, userIdPattern is required");
  if (awsArn.case === "arn") checkPresent("awsIdentity.arn", awsArn.value);
  if (awsUserId.case === "userId") checkPresent("awsIdentity.userId", awsUserId.value);
  checkPatterns([
    ...(awsArn.case === "arnPattern" ? [{ field: "awsIdentity.arnPattern", pattern: awsArn.value }] : []),
    ...(awsUserId.case === "userIdPattern" ? [{ field: "awsIdentity.userIdPattern", pattern: awsUserId.value }] : []),
  ]);
}
