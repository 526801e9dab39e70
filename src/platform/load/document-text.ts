/** One document of a file, not yet parsed. */
export interface DocumentText {
  readonly text: string;
  /** Of its beginning, from 1. */
  readonly line: number;
}

/** A document is held in memory whole, so it has a bound; in characters. */
export const maximumDocument = 4 * 1024 * 1024;

/** The text cannot be cut into documents. */
export class UnreadableText extends Error {
  override readonly name = "UnreadableText";
  /** From 1. */
  readonly line: number;

  constructor(line: number, description: string) {
    super(description);
    this.line = line;
  }
}

export function tooLarge(line: number): UnreadableText {
  return new UnreadableText(line, `a document must not have more than ${maximumDocument} characters`);
}
