import { ApiError, Code } from "../errors/api-error.ts";

/** The methods of the API. A path that lacks one of them does not implement it: code 12 with its status 501, as for a call. */
const apiMethods: ReadonlySet<string> = new Set(["GET", "POST", "PUT", "PATCH", "DELETE"]);

/** A path that exists does not have the HTTP method of the request (RFC 9110, 15.5.6). */
export class MethodNotAllowed extends ApiError {
  readonly status: 405 | 501;
  /** The methods that the path has. */
  readonly allowed: readonly string[];

  constructor(method: string, allowed: readonly string[]) {
    super(Code.unimplemented, "UNIMPLEMENTED", `Not implemented: ${method} is not a method of this path`);
    this.status = apiMethods.has(method) ? 501 : 405;
    this.allowed = allowed;
  }
}
