import { decodeJwt, decodeProtectedHeader } from "jose";
import { minutes } from "#src/time/durations.ts";
import { permissionDenied, unauthenticated } from "../errors/api-error.ts";
import type { Limit } from "../limits/limit.ts";
import { tokenLimits } from "../limits/token-limits.ts";
import { longNumbersIn } from "./long-numbers.ts";

/** The maximum length of a token, longer than the tokens of any issuer. */
const maximumLength = 16 * 1024;

/** The allowed clock skew: nbf and iat may be this far in the future (ms). */
const clockSkew = minutes(1);

/** The content of a subject token. It cannot be trusted until the signature is verified. */
export interface SubjectToken {
  readonly text: string;
  readonly keyId: string | undefined;
  readonly issuer: string;
  readonly subject: string;
  readonly audiences: readonly string[];
  readonly claims: Readonly<Record<string, unknown>>;
  /** The numbers among the claims that `claims` does not represent exactly, as the token has them. */
  readonly longNumbers: ReadonlyMap<string, string>;
}

/**
 * @throws ApiError (16) if the bearer token is not a JWT or exceeds a limit. The message contains nothing of the
 *   token.
 */
export function readSubjectToken(bearer: string): SubjectToken {
  const token = parse(bearer);
  if (token === undefined) throw unauthenticated("the bearer token is not a JWT with an issuer and a subject");
  const { issuer, subject, audiences } = token;
  check("issuer (iss)", issuer.length, tokenLimits.tokenIssuer);
  check("subject (sub)", subject.length, tokenLimits.tokenSubject);
  check("list of audiences (aud)", audiences.length, tokenLimits.tokenAudiences);
  check("list of audiences (aud)", totalLength(audiences), tokenLimits.tokenAudienceText);
  return token;
}

function parse(bearer: string): SubjectToken | undefined {
  if (bearer.length > maximumLength) return undefined;
  try {
    const claims = decodeJwt(bearer);
    const { kid } = decodeProtectedHeader(bearer);
    const { iss, sub, aud } = claims;
    if (typeof iss !== "string" || typeof sub !== "string") return undefined;
    const audiences = (Array.isArray(aud) ? aud : [aud]).filter((audience) => typeof audience === "string");
    const longNumbers = longNumbersIn(Buffer.from(bearer.split(".")[1] ?? "", "base64url").toString());
    return { text: bearer, keyId: kid, issuer: iss, subject: sub, audiences, claims, longNumbers };
  } catch {
    return undefined;
  }
}

function check(what: string, amount: number, { value, unit }: Limit): void {
  if (amount > value) throw unauthenticated(`the ${what} of the bearer token has more than ${value} ${unit}`);
}

function totalLength(texts: readonly string[]): number {
  return texts.reduce((sum, { length }) => sum + length, 0);
}

/** Checks exp, nbf and iat. @throws ApiError (7) */
export function checkTime({ claims: { exp, nbf, iat } }: SubjectToken, now: number): void {
  if (typeof exp !== "number") throw permissionDenied("the token has no expiry (exp)");
  if (exp * 1_000 <= now) throw permissionDenied("the token has expired");
  for (const time of [nbf, iat])
    if (time !== undefined && (typeof time !== "number" || time * 1_000 > now + clockSkew))
      throw permissionDenied("the token is not valid yet (nbf or iat is in the future)");
}
