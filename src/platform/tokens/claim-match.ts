import { permissionDenied } from "../errors/api-error.ts";
import type { Identity, Identity_ClaimMatch as ClaimMatch } from "../gen/muster/platform/iam/v2beta1/identity_pb.ts";
import { limits } from "../limits/limits.ts";
import type { Pattern } from "./pattern.ts";
import type { PatternCache } from "./pattern-cache.ts";
import type { SubjectToken } from "./subject-token.ts";

type Claims = Omit<SubjectToken, "text" | "keyId">;

/**
 * Whether the exact values that the identity requires, and its issuer pattern, match the claims of a token. Anybody can
 * make these claims, because the signature is not verified yet, so this takes little time, whatever the claims and the
 * identity are. It fetches nothing.
 * @param defaultAudience expected if the identity does not specify one: the host name of the token service
 */
export function matchesExactly(
  { relationship }: Identity,
  claims: Claims,
  defaultAudience: string,
  patterns: PatternCache,
): boolean {
  switch (relationship.case) {
    case "staticKeys": {
      const { issuer, subject, audiences } = relationship.value;
      const expected = audiences.length === 0 ? [defaultAudience] : audiences;
      return (
        claims.issuer === issuer &&
        claims.subject === subject &&
        claims.audiences.some((audience) => expected.includes(audience))
      );
    }
    case "claimMatch": {
      const { iss, sub, aud, claims: expected } = relationship.value;
      const audience = aud.case === undefined ? defaultAudience : aud.value;
      return (
        (sub.case !== "subject" || claims.subject === sub.value) &&
        (aud.case === "audiencePattern" || claims.audiences.includes(audience)) &&
        Object.entries(expected).every(([name, value]) => claimText(claims, name) === value) &&
        (iss.case === "issuer" ? claims.issuer === iss.value : fitsIssuer(patterns, iss.value, claims.issuer))
      );
    }
    case "awsIdentity":
    case undefined:
      return false;
  }
}

/**
 * Whether the identity's other patterns match the claims of a token whose signature is verified.
 * @throws ApiError (7) if matching takes too many steps
 */
export function matchesPatterns({ relationship }: Identity, claims: Claims, patterns: PatternCache): boolean {
  if (relationship.case !== "claimMatch") return true;
  const pairs = pairsOf(relationship.value, claims);
  const compiled: { readonly pattern: Pattern; readonly texts: readonly string[] }[] = [];
  for (const [text, texts] of pairs) {
    const pattern = patterns.get(text);
    if (pattern === undefined) return false;
    compiled.push({ pattern, texts });
  }
  if (compiled.reduce((sum, { pattern, texts }) => sum + stepsOf(pattern, texts), 0) > limits.patternSteps.value)
    throw permissionDenied(
      `the claims of the token are too long for the patterns of the identity: the sizes of the compiled patterns times the lengths of the claims exceed ${limits.patternSteps.value}; use shorter patterns or exact values`,
    );
  return compiled.every(({ pattern, texts }) => texts.some(pattern.matches));
}

/** The patterns that are matched after the signature is verified, with the texts of which one has to match. */
function pairsOf(
  { sub, aud, claimPatterns }: ClaimMatch,
  claims: Claims,
): [pattern: string, texts: readonly string[]][] {
  const pairs: [string, readonly string[]][] = Object.entries(claimPatterns).map(([name, pattern]) => {
    const text = claimText(claims, name);
    return [pattern, text === undefined ? [] : [text]];
  });
  if (sub.case !== "subject") pairs.push([sub.value ?? "", [claims.subject]]);
  if (aud.case === "audiencePattern") pairs.push([aud.value, claims.audiences]);
  return pairs;
}

function stepsOf({ instructions }: Pattern, texts: readonly string[]): number {
  return texts.reduce((sum, { length }) => sum + instructions * (length + 1), 0);
}

function fitsIssuer(patterns: PatternCache, pattern: string | undefined, issuer: string): boolean {
  if (pattern === undefined || issuer.length > limits.patternIssuer.value) return false;
  const compiled = patterns.get(pattern);
  return (
    compiled !== undefined && compiled.instructions <= limits.issuerPatternProgram.value && compiled.matches(issuer)
  );
}

/** The text of a claim with a single value. Objects and lists have none, so they match nothing. */
function claimText({ claims, longNumbers }: Claims, name: string): string | undefined {
  const claim = Object.hasOwn(claims, name) ? claims[name] : undefined;
  if (typeof claim === "string") return claim;
  if (typeof claim === "number") return longNumbers.get(name) ?? String(claim);
  return typeof claim === "boolean" ? String(claim) : undefined;
}
