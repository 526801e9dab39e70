import { decodeJwt, decodeProtectedHeader } from "jose";
import { permissionDenied, unauthenticated } from "../errors/api-error.ts";

/** No issuer's token is longer. */
const maximumLength = 16 * 1024;

/** Clocks differ: a token may be from the future by this much (ms). */
const clockSkew = 60_000;

/** What a token of another issuer says. Nothing of it is proved until its signature is. */
export interface SubjectToken {
  readonly text: string;
  readonly keyId: string | undefined;
  readonly issuer: string;
  readonly subject: string;
  readonly audiences: readonly string[];
  readonly claims: Readonly<Record<string, unknown>>;
}

/** @throws ApiError (16) where the bearer is missing or no JWT; the message repeats nothing of it */
export function readSubjectToken(bearer: string | undefined): SubjectToken {
  if (bearer === undefined || bearer === "") throw unauthenticated("the token to exchange is expected as the bearer");
  try {
    if (bearer.length > maximumLength) throw new Error("too long");
    const claims = decodeJwt(bearer);
    const { kid } = decodeProtectedHeader(bearer);
    const { iss, sub, aud } = claims;
    if (typeof iss !== "string" || typeof sub !== "string") throw new Error("no issuer or subject");
    const audiences = (Array.isArray(aud) ? aud : [aud]).filter((one) => typeof one === "string");
    return { text: bearer, keyId: kid, issuer: iss, subject: sub, audiences, claims };
  } catch {
    throw unauthenticated("the bearer is not a JWT with an issuer and a subject");
  }
}

/** @throws ApiError (7) that names what is wrong with the token's time */
export function checkTime({ claims: { exp, nbf, iat } }: SubjectToken, now: number): void {
  if (typeof exp !== "number") throw permissionDenied("the token has no expiry");
  if (exp * 1_000 <= now) throw permissionDenied("the token has expired");
  for (const time of [nbf, iat])
    if (time !== undefined && (typeof time !== "number" || time * 1_000 > now + clockSkew))
      throw permissionDenied("the token is from the future");
}
