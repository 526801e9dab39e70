/** The location of a document. */
export interface Place {
  readonly file: string;
  /** The index of the document in the file, from 1. */
  readonly document: number;
  /** The first line of the document, from 1. */
  readonly line: number;
}

/** A document that cannot be loaded. */
export class DocumentError extends Error {
  override readonly name = "LoadMistake";

  /** @param field the path of the invalid field; undefined for the document as a whole */
  constructor(place: Place, field: string | undefined, description: string) {
    const { file, document, line } = place;
    const what = field === undefined ? description : `${field}: ${description}`;
    super(`${file}, document ${document} (line ${line}): ${what}`);
  }
}

/** A load failed, and nothing was loaded. It lists the errors, up to a number that a person can read. */
export class LoadError extends Error {
  override readonly name = "LoadRefused";
  readonly errors: readonly DocumentError[];

  constructor(errors: readonly DocumentError[]) {
    super(["nothing was loaded:", ...errors.map(({ message }) => `  ${message}`)].join("\n"));
    this.errors = errors;
  }
}
