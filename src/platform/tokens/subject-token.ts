import { parseJsonObject } from "#src/json/parse-json.ts";
import { minutes } from "#src/time/durations.ts";
import { permissionDenied, unauthenticated } from "../errors/api-error.ts";
import { hasRepeatedMembers } from "../json/repeated-members.ts";
import type { Limit } from "../limits/limit.ts";
import { tokenLimits } from "../limits/token-limits.ts";
import { longNumbersIn } from "./long-numbers.ts";

/** The maximum length of a token, longer than the tokens of any issuer. */
const maximumLength = 16 * 1024;

/** The allowed clock skew: nbf and iat may be this far in the future (ms). */
const clockSkew = minutes(1);

/** The latest time that ECMAScript represents, in seconds. */
const latestTime = 8.64e12;

/** A type for a purpose of its own, such as `logout+jwt` (RFC 8725, 3.11). Access tokens (RFC 9068) are subject tokens. */
const typeOfAnotherPurpose = /^(?!(?:application\/)?at\+jwt$).*\+jwt$/i;

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
  const parsed = parse(bearer);
  if (parsed === undefined) throw unauthenticated("the bearer token is not a JWT with an issuer and a subject");
  const { token, type, isAmbiguous } = parsed;
  // RFC 7515, 4 and RFC 7519, 4: names are unique. Other programs may read the first of two members, and this one the last.
  if (isAmbiguous)
    throw unauthenticated("the bearer token has two members of the same name in its header or its claims");
  if (typeOfAnotherPurpose.test(type)) throw unauthenticated("the bearer token is a JWT for another purpose (typ)");
  const { issuer, subject, audiences } = token;
  check("issuer (iss)", issuer.length, tokenLimits.tokenIssuer);
  check("subject (sub)", subject.length, tokenLimits.tokenSubject);
  check("list of audiences (aud)", audiences.length, tokenLimits.tokenAudiences);
  check("list of audiences (aud)", totalLength(audiences), tokenLimits.tokenAudienceText);
  return token;
}

interface ParsedToken {
  readonly token: SubjectToken;
  /** The parameter `typ` of the header; empty if there is none. */
  readonly type: string;
  /** Whether a name occurs twice in an object. */
  readonly isAmbiguous: boolean;
}

/** The header and the claims (RFC 7515, 7.1), both in base64url without padding. */
const compactForm = /^([\w-]+)\.([\w-]+)\.[^.]*$/;

function parse(bearer: string): ParsedToken | undefined {
  const [, ...encoded] = (bearer.length <= maximumLength && compactForm.exec(bearer)) || [];
  const [header = "", payload = ""] = encoded.map((part) => Buffer.from(part, "base64url").toString());
  const [parameters, claims] = [parseJsonObject(header), parseJsonObject(payload)];
  if (parameters === undefined || claims === undefined) return undefined;
  const { kid, typ = "" } = parameters;
  const { iss, sub, aud } = claims;
  if (typeof iss !== "string" || typeof sub !== "string" || typeof typ !== "string") return undefined;
  if (kid !== undefined && typeof kid !== "string") return undefined;
  const audiences = (Array.isArray(aud) ? aud : [aud]).filter((audience) => typeof audience === "string");
  const longNumbers = longNumbersIn(payload);
  return {
    token: { text: bearer, keyId: kid, issuer: iss, subject: sub, audiences, claims, longNumbers },
    type: typ,
    isAmbiguous: hasRepeatedMembers(header, parameters) || hasRepeatedMembers(payload, claims),
  };
}

function check(what: string, amount: number, { value, unit }: Limit): void {
  if (amount > value) throw unauthenticated(`the ${what} of the bearer token has more than ${value} ${unit}`);
}

function totalLength(texts: readonly string[]): number {
  return texts.reduce((sum, { length }) => sum + length, 0);
}

/** Checks exp, nbf and iat. @throws ApiError (7) */
export function checkTime({ claims: { exp, nbf, iat } }: Pick<SubjectToken, "claims">, now: number): void {
  if (exp === undefined) throw permissionDenied("the token has no expiry (exp)");
  for (const [name, time] of Object.entries({ exp, nbf, iat }))
    if (time !== undefined && !isNumericDate(time))
      throw permissionDenied(`the token has a time that is invalid (${name})`);
  if (Number(exp) * 1_000 <= now) throw permissionDenied("the token has expired");
  for (const time of [nbf, iat])
    if (time !== undefined && Number(time) * 1_000 > now + clockSkew)
      throw permissionDenied("the token is not valid yet (nbf or iat is in the future)");
}

/** Seconds since the epoch, with or without a fraction (RFC 7519, 2). POSIX, to which it refers, defines none before. */
function isNumericDate(value: unknown): boolean {
  return typeof value === "number" && value >= 0 && value <= latestTime;
}
