import { isJsonObject } from "#src/json/json-object.ts";
import { parseJsonObject } from "#src/json/parse-json.ts";

/** What `token.json`, next to the token, says about it. It contains no secret. */
export interface TokenStatus {
  /** The uid of the identity that the token stands for. */
  readonly identity: string;
  /** When the token in the file expires. Absent before the first token. */
  readonly expiry?: string;
  /** When the token in the file was received. */
  readonly renewed?: string;
  /** Present while attempts to renew the token fail. */
  readonly failure?: TokenFailure;
}

export interface TokenFailure {
  /** When the first of the failed attempts was made. */
  readonly since: string;
  /** Why the last one failed: one line. */
  readonly message: string;
}

/** @returns undefined if `text` is not a status, for example because an older version wrote it. */
export function parseTokenStatus(text: string): TokenStatus | undefined {
  const value = parseJsonObject(text);
  if (typeof value?.["identity"] !== "string") return undefined;
  const { identity, expiry, renewed, failure } = value;
  return {
    identity,
    ...(isTime(expiry) ? { expiry } : {}),
    ...(isTime(renewed) ? { renewed } : {}),
    ...(isJsonObject(failure) && isTime(failure["since"]) && typeof failure["message"] === "string"
      ? { failure: { since: failure["since"], message: failure["message"] } }
      : {}),
  };
}

export interface TokenCheck {
  readonly valid: boolean;
  /** One line for people; the kubelet shows it in an event of the pod. */
  readonly message: string;
}

/** Whether an application can use the token of a file now. @param hasToken whether the file exists and is not empty */
export function checkToken(status: TokenStatus | undefined, hasToken: boolean, now: number): TokenCheck {
  if (status === undefined)
    return { valid: false, message: "there is no token yet: the agent has not finished its first attempt" };
  const { expiry, failure } = status;
  const failing = failure === undefined ? "" : `; attempts have failed since ${failure.since}: ${failure.message}`;
  if (expiry === undefined || !hasToken) return { valid: false, message: `there is no token yet${failing}` };
  return Date.parse(expiry) > now
    ? { valid: true, message: `the token is valid until ${expiry}${failing}` }
    : { valid: false, message: `the token expired at ${expiry}${failing}` };
}

function isTime(value: unknown): value is string {
  return typeof value === "string" && !Number.isNaN(Date.parse(value));
}
