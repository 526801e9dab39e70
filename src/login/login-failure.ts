/**
 * Why a person is not logged in.
 * - `refused`: the platform or the person refused; `error` is the error of OAuth 2.0.
 * - `unavailable`: there is no valid response. Whether the request took effect is unknown.
 */
type LoginProblem =
  | { readonly kind: "refused"; readonly error: string }
  | { readonly kind: "unavailable"; readonly retryAfterMs?: number };

/** A login, or its renewal or end, that failed. The message is for people, and contains no token, code or secret. */
export class LoginFailure extends Error {
  override readonly name = "LoginFailure";
  readonly problem: LoginProblem;
  constructor(message: string, problem: LoginProblem, options?: ErrorOptions) {
    super(message, options);
    this.problem = problem;
  }
}

/** Whether the platform refused with this error of OAuth 2.0. */
export function isRefusal(failure: unknown, ...errors: readonly string[]): failure is LoginFailure {
  return (
    failure instanceof LoginFailure && failure.problem.kind === "refused" && errors.includes(failure.problem.error)
  );
}
