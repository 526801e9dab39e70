import { ApiError, Code } from "../errors/api-error.ts";
import type { LoginTarget } from "./login-request.ts";

/** The error codes of RFC 6749, RFC 8628 and RFC 8707 that the platform returns. */
export type OAuthErrorName =
  | "invalid_request"
  | "invalid_client"
  | "invalid_grant"
  | "invalid_target"
  | "unsupported_grant_type"
  | "unsupported_response_type"
  | "access_denied"
  | "temporarily_unavailable"
  | "server_error"
  | "authorization_pending"
  | "slow_down"
  | "expired_token";

const codes: Readonly<Record<OAuthErrorName, Code>> = {
  invalid_request: Code.invalidArgument,
  invalid_client: Code.unauthenticated,
  invalid_grant: Code.unauthenticated,
  invalid_target: Code.invalidArgument,
  unsupported_grant_type: Code.invalidArgument,
  unsupported_response_type: Code.invalidArgument,
  access_denied: Code.permissionDenied,
  temporarily_unavailable: Code.unavailable,
  server_error: Code.internal,
  authorization_pending: Code.failedPrecondition,
  slow_down: Code.failedPrecondition,
  expired_token: Code.failedPrecondition,
};

/** An error of OAuth 2.0. Its description reaches the client and the person, so it never contains a token or a secret. */
export class OAuthError extends ApiError {
  readonly error: OAuthErrorName;

  constructor(error: OAuthErrorName, description: string) {
    super(codes[error], error.toUpperCase(), description);
    this.error = error;
  }
}

/**
 * A login that was refused.
 * @param provider the uid of the identity provider: who can read the audit log there learns the reason
 * @param mismatch the reason: the person learns less
 */
export function refused(
  description: string,
  provider: string,
  mismatch: string,
  fields: Readonly<Record<string, unknown>>,
): OAuthError {
  const error = new OAuthError("access_denied", description);
  error.explanation = { subject: provider, fields: { mismatch, ...fields } };
  return error;
}

/** The same error, once it is known where the program waits that started the login. */
export class ReturnedError extends ApiError {
  readonly target: LoginTarget;
  readonly error: OAuthErrorName;

  constructor(error: ApiError, target: LoginTarget) {
    super(error.code, error.reason, error.message, error.detail);
    this.explanation = error.explanation;
    this.about = error.about;
    this.isRecorded = error.isRecorded;
    this.error = nameOf(error);
    this.target = target;
  }
}

/** Adds the target of the login to the errors of the work. */
export async function returning<T>(target: LoginTarget, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof ApiError ? new ReturnedError(error, target) : error;
  }
}

const names: ReadonlyMap<Code, OAuthErrorName> = new Map([
  [Code.invalidArgument, "invalid_request"],
  [Code.notFound, "invalid_request"],
  [Code.permissionDenied, "access_denied"],
  [Code.failedPrecondition, "access_denied"],
  [Code.unauthenticated, "invalid_grant"],
  [Code.unavailable, "temporarily_unavailable"],
  [Code.resourceExhausted, "temporarily_unavailable"],
]);

/** The name of an error in OAuth 2.0. */
export function nameOf(error: ApiError): OAuthErrorName {
  if (error instanceof OAuthError || error instanceof ReturnedError) return error.error;
  return names.get(error.code) ?? "server_error";
}

/** The description of an error in the characters that RFC 6749 allows. */
export function descriptionOf({ message }: ApiError): string {
  return message
    .replaceAll('"', "'")
    .replaceAll("\\", "/")
    .replaceAll(/[^\x20-\x7e]/g, "?");
}
