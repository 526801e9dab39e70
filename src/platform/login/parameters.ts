import { OAuthError } from "./oauth-error.ts";

/** The maximum length of a query or form. */
const maximumLength = 16 * 1024;
/** The maximum length of a value that is not limited otherwise. */
const maximumValue = 2_048;

/** The parameters of a query or of a form. RFC 6749 forbids to repeat one; those that are lists may be repeated. */
export class Parameters {
  readonly #parameters: URLSearchParams;

  /** @throws OAuthError (invalid_request) if they are too long */
  constructor(text: string) {
    if (text.length > maximumLength)
      throw new OAuthError("invalid_request", `the parameters have more than ${maximumLength} characters`);
    this.#parameters = new URLSearchParams(text);
  }

  /** A parameter; undefined if it is missing or empty. @throws OAuthError (invalid_request) */
  one(name: string, length: number = maximumValue): string | undefined {
    const [value, ...more] = this.#parameters.getAll(name);
    if (more.length > 0) throw new OAuthError("invalid_request", `${name} must not be repeated`);
    if (value !== undefined && value.length > length)
      throw new OAuthError("invalid_request", `${name} must have at most ${length} characters`);
    return value === "" ? undefined : value;
  }

  /** @throws OAuthError (invalid_request) */
  required(name: string, length?: number): string {
    const value = this.one(name, length);
    if (value === undefined) throw new OAuthError("invalid_request", `${name} is required`);
    return value;
  }

  all(name: string): string[] {
    return this.#parameters.getAll(name).filter((value) => value !== "");
  }

  /** The query with other values for some parameters; undefined removes one. */
  with(changes: Readonly<Record<string, string | undefined>>): string {
    const changed = new URLSearchParams(this.#parameters);
    for (const [name, value] of Object.entries(changes))
      if (value === undefined) changed.delete(name);
      else changed.set(name, value);
    return changed.toString();
  }
}
