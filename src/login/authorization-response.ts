import { createHash, timingSafeEqual } from "node:crypto";
import { oneLine } from "#src/telemetry/one-line.ts";

/** What the response to one login has to contain. */
export interface ExpectedResponse {
  /** Unguessable, and used for one login only. */
  readonly state: string;
  readonly issuer: string;
}

/** The response of the platform to a login in the browser (RFC 6749, section 4.1.2). */
export type AuthorizationResponse =
  | { readonly kind: "code"; readonly code: string }
  | { readonly kind: "error"; readonly error: string; readonly message: string }
  /** With the state of this login, but the platform did not write it. */
  | { readonly kind: "forged"; readonly message: string };

const maxCodeLength = 4096;

/**
 * Reads the parameters of a request to the redirect URI.
 * @returns undefined if the request is not the response to this login: any page that the browser shows can send one
 */
export function readAuthorizationResponse(
  parameters: URLSearchParams,
  expected: ExpectedResponse,
): AuthorizationResponse | undefined {
  const state = onlyValue(parameters, "state");
  if (state === undefined || !equalSecrets(state, expected.state)) return undefined;
  // RFC 9207: another server to which the person may have been sent cannot pass its response off as that of this one.
  if (onlyValue(parameters, "iss") !== expected.issuer)
    return { kind: "forged", message: `the response in the browser is not from ${expected.issuer}` };
  const error = onlyValue(parameters, "error");
  if (error !== undefined) {
    const description = oneLine(onlyValue(parameters, "error_description") ?? "");
    return { kind: "error", error: oneLine(error), message: description || oneLine(error) };
  }
  const code = onlyValue(parameters, "code");
  if (code === undefined || code.length > maxCodeLength || !/^[\x20-\x7e]+$/.test(code))
    return { kind: "forged", message: "the response in the browser contains neither a code nor an error" };
  return { kind: "code", code };
}

/** The value of a parameter that is there once and not empty. */
function onlyValue(parameters: URLSearchParams, name: string): string | undefined {
  const values = parameters.getAll(name);
  return values.length === 1 && values[0] !== "" ? values[0] : undefined;
}

/** Compares in a time that does not depend on where the texts differ. */
function equalSecrets(left: string, right: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
}
