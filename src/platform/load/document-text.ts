/** A document of a file that has not been parsed yet. */
export interface DocumentText {
  readonly text: string;
  /** The number of its first line, from 1. */
  readonly line: number;
}

/** The maximum length of a document in characters. Documents are held in memory. */
export const maximumDocument = 4 * 1024 * 1024;

/** The text cannot be split into documents. */
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
