/** A name could not be resolved. It has the codes of Node's resolver, such as ENOTFOUND. */
export class NameError extends Error {
  override readonly name = "NameError";
  readonly code: string;

  constructor(host: string, reason: string, code: string, cause?: unknown) {
    super(`resolving ${host}: ${reason}`, { cause });
    this.code = code;
  }
}
