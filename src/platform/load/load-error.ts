/** The location of a document. */
export interface DocumentLocation {
  readonly file: string;
  /** The index of the document in the file, from 1. */
  readonly document: number;
  /** The first line of the document, from 1. */
  readonly line: number;
}

/** A document that cannot be loaded. */
export class DocumentError extends Error {
  override readonly name = "DocumentError";

  /** @param field the path of the invalid field; undefined for the document as a whole */
  constructor(location: DocumentLocation, field: string | undefined, description: string) {
    const { file, document, line } = location;
    const what = field === undefined ? description : `${field}: ${description}`;
    super(`${file}, document ${document} (line ${line}): ${what}`);
  }
}

/** An invalid field, thrown where the location of its document is not known. The caller converts it to a `DocumentError`. */
export class FieldError extends Error {
  override readonly name = "FieldError";
  /** The path of the field: `affected[0].package.name`. */
  readonly field: string;

  constructor(field: string, description: string) {
    super(description);
    this.field = field;
  }
}

/** A load failed, and nothing was loaded. It lists the errors, up to a number that a person can read. */
export class LoadError extends Error {
  override readonly name = "LoadError";
  readonly errors: readonly DocumentError[];

  constructor(errors: readonly DocumentError[]) {
    super(["nothing was loaded:", ...errors.map(({ message }) => `  ${message}`)].join("\n"));
    this.errors = errors;
  }
}
