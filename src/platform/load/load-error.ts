/** Where in its file a document stands. */
export interface Place {
  readonly file: string;
  /** From 1. */
  readonly document: number;
  /** Of the document's beginning, from 1. */
  readonly line: number;
}

/** What is wrong with a document that is to be loaded, and where. */
export class DocumentError extends Error {
  override readonly name = "LoadMistake";

  /** @param field the path of the field; undefined where it is the document as a whole */
  constructor(place: Place, field: string | undefined, description: string) {
    const { file, document, line } = place;
    const what = field === undefined ? description : `${field}: ${description}`;
    super(`${file}, document ${document} (line ${line}): ${what}`);
  }
}

/** Nothing was loaded: every mistake that was found, up to a number that a person can read. */
export class LoadError extends Error {
  override readonly name = "LoadRefused";
  readonly errors: readonly DocumentError[];

  constructor(mistakes: readonly DocumentError[]) {
    super(["nothing is loaded:", ...mistakes.map(({ message }) => `  ${message}`)].join("\n"));
    this.errors = mistakes;
  }
}
