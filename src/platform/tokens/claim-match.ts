import { permissionDenied } from "../errors/api-error.ts";
import type { Identity, Identity_ClaimMatch as ClaimMatch } from "../gen/muster/platform/iam/v2beta1/identity_pb.ts";
import { tokenLimits } from "../limits/token-limits.ts";
import type { Pattern } from "./pattern.ts";
import type { PatternCache } from "./pattern-cache.ts";
import type { SubjectToken } from "./subject-token.ts";

type Claims = Omit<SubjectToken, "text" | "keyId">;

/**
 * What in the claims of a token does not match the exact values that the identity requires, or its issuer pattern, such as
 * "subject" or "claim team"; undefined if all match. Anybody can make these claims, because the signature is not verified
 * yet, so this takes little time, whatever the claims and the identity are. It fetches nothing.
 * @param defaultAudience expected if the identity does not specify one: the host name of the token service
 */
export function exactMismatch(
  { relationship }: Identity,
  claims: Claims,
  defaultAudience: string,
  patterns: PatternCache,
): string | undefined {
  switch (relationship.case) {
    case "staticKeys": {
      const { issuer, subject, audiences } = relationship.value;
      const expected = audiences.length === 0 ? [defaultAudience] : audiences;
      if (claims.issuer !== issuer) return "issuer";
      if (claims.subject !== subject) return "subject";
      return claims.audiences.some((audience) => expected.includes(audience)) ? undefined : "audience";
    }
    case "claimMatch": {
      const { iss, sub, aud, claims: expected } = relationship.value;
      const audience = aud.case === undefined ? defaultAudience : aud.value;
      if (iss.case === "issuer" && claims.issuer !== iss.value) return "issuer";
      if (sub.case === "subject" && claims.subject !== sub.value) return "subject";
      if (aud.case !== "audiencePattern" && !claims.audiences.includes(audience)) return "audience";
      const [name] = Object.entries(expected).find(([one, value]) => claimText(claims, one) !== value) ?? [];
      if (name !== undefined) return `claim ${name}`;
      return iss.case === "issuer" || fitsIssuer(patterns, iss.value, claims.issuer) ? undefined : "issuer";
    }
    case "awsIdentity":
    case undefined:
      return "type of the identity";
  }
}

/**
 * What in the claims of a token, whose signature is verified, does not match the identity's other patterns; undefined if
 * all match.
 * @throws ApiError (7) if matching takes too many steps
 */
export function patternMismatch(
  { relationship }: Identity,
  claims: Claims,
  patterns: PatternCache,
): string | undefined {
  return relationship.case === "claimMatch"
    ? firstMismatch(matchesOf(relationship.value, claims), patterns)
    : undefined;
}

/** What the first of the patterns that does not match is for. @throws ApiError (7) if matching takes too many steps */
export function firstMismatch(matches: readonly Match[], patterns: PatternCache): string | undefined {
  const compiled: { readonly what: string; readonly pattern: Pattern; readonly texts: readonly string[] }[] = [];
  for (const { what, pattern: text, texts } of matches) {
    const pattern = patterns.get(text);
    if (pattern === undefined) return what;
    compiled.push({ what, pattern, texts });
  }
  if (compiled.reduce((sum, { pattern, texts }) => sum + stepsOf(pattern, texts), 0) > tokenLimits.patternSteps.value)
    throw permissionDenied(
      `the claims of the token are too long for the patterns of the identity: the sizes of the compiled patterns times the lengths of the claims exceed ${tokenLimits.patternSteps.value}; use shorter patterns or exact values`,
    );
  return compiled.find(({ pattern, texts }) => !texts.some(pattern.matches))?.what;
}

/** A pattern that is matched after the signature is verified. */
export interface Match {
  readonly what: string;
  readonly pattern: string;
  /** Of which one has to match. */
  readonly texts: readonly string[];
}

function matchesOf({ sub, aud, claimPatterns }: ClaimMatch, claims: Claims): Match[] {
  const matches = Object.entries(claimPatterns).map(([name, pattern]): Match => {
    const text = claimText(claims, name);
    return { what: `claim ${name}`, pattern, texts: text === undefined ? [] : [text] };
  });
  if (sub.case !== "subject") matches.push({ what: "subject", pattern: sub.value ?? "", texts: [claims.subject] });
  if (aud.case === "audiencePattern") matches.push({ what: "audience", pattern: aud.value, texts: claims.audiences });
  return matches;
}

function stepsOf({ instructions }: Pattern, texts: readonly string[]): number {
  return texts.reduce((sum, { length }) => sum + instructions * (length + 1), 0);
}

function fitsIssuer(patterns: PatternCache, pattern: string | undefined, issuer: string): boolean {
  if (pattern === undefined || issuer.length > tokenLimits.patternIssuer.value) return false;
  const compiled = patterns.get(pattern);
  return (
    compiled !== undefined &&
    compiled.instructions <= tokenLimits.issuerPatternProgram.value &&
    compiled.matches(issuer)
  );
}

/** The text of a claim with a single value. Objects and lists have none, so they match nothing. */
function claimText({ claims, longNumbers }: Claims, name: string): string | undefined {
  const claim = Object.hasOwn(claims, name) ? claims[name] : undefined;
  if (typeof claim === "string") return claim;
  if (typeof claim === "number") return longNumbers.get(name) ?? String(claim);
  return typeof claim === "boolean" ? String(claim) : undefined;
}
