import { decodeJwt, decodeProtectedHeader } from "jose";
import { minutes } from "#src/time/durations.ts";
import { permissionDenied, unauthenticated } from "../errors/api-error.ts";

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
}

/** @throws ApiError (16) if the bearer token is missing or is not a JWT. The message contains nothing of the token. */
export function readSubjectToken(bearer: string | undefined): SubjectToken {
  if (bearer === undefined || bearer === "")
    throw unauthenticated("the subject token is missing: send it as the bearer token");
  try {
    if (bearer.length > maximumLength) throw new Error("too long");
    const claims = decodeJwt(bearer);
    const { kid } = decodeProtectedHeader(bearer);
    const { iss, sub, aud } = claims;
    if (typeof iss !== "string" || typeof sub !== "string") throw new Error("missing issuer or subject");
    const audiences = (Array.isArray(aud) ? aud : [aud]).filter((audience) => typeof audience === "string");
    return { text: bearer, keyId: kid, issuer: iss, subject: sub, audiences, claims };
  } catch {
    throw unauthenticated("the bearer token is not a JWT with an issuer and a subject");
  }
}

/** Checks exp, nbf and iat. @throws ApiError (7) */
export function checkTime({ claims: { exp, nbf, iat } }: SubjectToken, now: number): void {
  if (typeof exp !== "number") throw permissionDenied("the token has no expiry (exp)");
  if (exp * 1_000 <= now) throw permissionDenied("the token has expired");
  for (const time of [nbf, iat])
    if (time !== undefined && (typeof time !== "number" || time * 1_000 > now + clockSkew))
      throw permissionDenied("the token is not valid yet (nbf or iat is in the future)");
}
