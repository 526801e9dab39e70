/** A name could not be resolved. It has the codes of Node's resolver, such as ENOTFOUND. */
export class NameError extends Error {
  override readonly name: string = "NameError";
  readonly code: string;

  constructor(host: string, reason: string, code: string, cause?: unknown) {
    super(`resolving ${host}: ${reason}`, { cause });
    this.code = code;
  }
}

/** Nobody was asked: whoever needs the name has used up its share of the lookups. */
export class TooManyNamesError extends NameError {
  override readonly name = "TooManyNamesError";

  constructor(host: string) {
    super(host, "too many names are being resolved", "EAGAIN");
  }
}
