import { asciiLowerCase } from "#src/text/ascii-case.ts";
import { hours, minutes } from "#src/time/durations.ts";
import { invalidArgument, permissionDenied, unauthenticated } from "../errors/api-error.ts";

export const awsHost = "sts.amazonaws.com";
export const awsPath = "/?Action=GetCallerIdentity&Version=2011-06-15";
/** The issuer of AWS identities in the `act` claim. */
export const awsIssuer = `https://${awsHost}`;

const maximumLength = 16 * 1024;
const maximumHeaders = 32;
/** How old the request may be, and how far ahead our clock may be behind (ms). */
const maximumAge = minutes(15);
const maximumAhead = minutes(5);

/** Sent in addition to the signed headers. */
const unsigned = new Set(["authorization", "x-amz-security-token", "accept"]);
/** What programs that serialize requests add. They are not sent. */
const dropped: Readonly<Record<string, RegExp>> = { "user-agent": /.*/, "content-length": /^0$/ };
/** They concern one connection, and could change how the request is read. */
const connectionHeader = /^(connection|expect|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/;

/** A request to AWS STS that an AWS principal has signed. Only AWS can verify the signature. */
export interface AwsToken {
  /** The headers to send, by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Identifies the token: everything that matters is signed. */
  readonly signature: string;
  /** When it was signed, in milliseconds since the epoch. */
  readonly date: number;
  /** The URL of the token service and the uid of the identity that the token is for. */
  readonly audience: string;
  readonly identity: string;
}

/**
 * Reads a bearer token that is base64url of an HTTP/1.1 request `POST https://sts.amazonaws.com/?Action=GetCallerIdentity…`.
 * @param vendor the prefix of the headers that bind the request to a token service and an identity
 * @returns undefined if the token is not such a text at all
 * @throws ApiError (3) that says what is wrong with the request, (16) if it is too long
 */
export function readAwsToken(bearer: string, vendor: string): AwsToken | undefined {
  // "POST " in base64url, whatever follows.
  if (!bearer.startsWith("UE9TVC")) return undefined;
  if (bearer.length > maximumLength) throw unauthenticated("the signed request in the bearer token is too long");
  if (!/^[\w-]+={0,2}$/.test(bearer)) throw rejected("must be base64url");
  const [head = "", ...bodies] = Buffer.from(bearer, "base64url").toString("latin1").split("\r\n\r\n");
  if (bodies.length !== 1 || bodies[0] !== "") throw rejected("must end with an empty line, and have no body");
  const [line = "", ...fields] = head.split("\r\n");
  if (!isGetCallerIdentity(line)) throw rejected(`must be POST ${awsIssuer}${awsPath} HTTP/1.1`);
  const headers = readHeaders(fields);
  if (asciiLowerCase(headers.get("host") ?? "") !== awsHost) throw rejected(`must have the header Host: ${awsHost}`);
  const date = readDate(headers.get("x-amz-date") ?? "");
  const { signed, signature, scope } = readAuthorization(headers.get("authorization") ?? "");
  if (scope !== `${headers.get("x-amz-date")?.slice(0, 8)}/us-east-1/sts/aws4_request`)
    throw rejected("must be signed for the service sts in us-east-1, on the day of X-Amz-Date");
  const [audienceHeader, identityHeader] = [asciiLowerCase(`${vendor}-audience`), asciiLowerCase(`${vendor}-identity`)];
  for (const name of ["host", "x-amz-date", audienceHeader, identityHeader])
    if (!signed.has(name)) throw rejected(`must sign the header ${name}`);
  for (const name of signed) if (!headers.has(name)) throw rejected(`lacks the signed header ${name}`);
  return {
    headers: sentHeaders(headers, signed),
    signature,
    date,
    audience: headers.get(audienceHeader) ?? "",
    identity: headers.get(identityHeader) ?? "",
  };
}

/** Checks that the token was signed for an identity of this platform, recently. @throws ApiError (7) */
export function checkAwsToken(
  { audience, identity, date }: AwsToken,
  expected: { readonly authUrl: string; readonly identity: string; readonly now: number },
): void {
  if (audience !== expected.authUrl || identity !== expected.identity)
    throw permissionDenied("the request in the bearer token was signed for another token service or identity");
  if (expected.now - date > maximumAge) throw permissionDenied("the token has expired: it was signed over 15 min ago");
  if (date - expected.now > maximumAhead)
    throw permissionDenied("the token is not valid yet (it was signed over 5 min in the future)");
}

/** Until when a token has to be remembered that is accepted once: longer than it is valid, because clocks differ. */
export function awsTokenExpiry({ date }: AwsToken): number {
  return date + maximumAge + hours(1);
}

function isGetCallerIdentity(line: string): boolean {
  const [method, target = "", version, ...more] = line.split(" ");
  if (method !== "POST" || version !== "HTTP/1.1" || more.length > 0) return false;
  return target === awsPath || target === `${awsIssuer}${awsPath}`;
}

/** By name in lower case. @throws ApiError (3) */
function readHeaders(fields: readonly string[]): ReadonlyMap<string, string> {
  if (fields.length > maximumHeaders) throw rejected(`must have at most ${maximumHeaders} headers`);
  const headers = new Map<string, string>();
  for (const field of fields) {
    const [, name = "", value = ""] = /^([!#$%&'*+.^`|~\w-]+):[ \t]*([ -~]*?)[ \t]*$/.exec(field) ?? [];
    const key = asciiLowerCase(name);
    if (key === "") throw rejected("has a header that is not NAME: VALUE in ASCII");
    if (headers.has(key)) throw rejected(`has the header ${key} twice`);
    headers.set(key, value);
  }
  return headers;
}

function readAuthorization(value: string): { signed: ReadonlySet<string>; signature: string; scope: string } {
  const [, scope = "", names = "", signature = ""] =
    /^AWS4-HMAC-SHA256 Credential=\w{1,128}\/([\w/-]{1,100}), ?SignedHeaders=([a-z0-9;-]+), ?Signature=([0-9a-f]{64})$/.exec(
      value,
    ) ?? [];
  if (signature === "") throw rejected("must have an Authorization header of AWS4-HMAC-SHA256");
  const list = names.split(";");
  const signed = new Set(list);
  if (signed.size !== list.length) throw rejected("names a signed header twice");
  return { signed, signature, scope };
}

/** `YYYYMMDDTHHMMSSZ`. */
function readDate(value: string): number {
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(value) ?? [];
  const [year, month, day, hour, minute, second] = parts;
  const text = `${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`;
  const date = Date.parse(text);
  // JavaScript reads the 30th of February as the 2nd of March.
  if (Number.isNaN(date) || new Date(date).toISOString() !== text)
    throw rejected("must have the header X-Amz-Date: YYYYMMDDTHHMMSSZ");
  return date;
}

/** @throws ApiError (3) if there is a header that must not be sent */
function sentHeaders(headers: ReadonlyMap<string, string>, signed: ReadonlySet<string>): Record<string, string> {
  const sent: Record<string, string> = {};
  for (const [name, value] of headers) {
    if (connectionHeader.test(name)) throw rejected(`must not have the header ${name}`);
    if (signed.has(name) || unsigned.has(name)) sent[name] = value;
    else if (dropped[name]?.test(value) !== true) throw rejected(`must not have the unsigned header ${name}`);
  }
  return { ...sent, accept: "application/json" };
}

function rejected(description: string) {
  return invalidArgument("authorization", `the request in the bearer token ${description}`);
}
