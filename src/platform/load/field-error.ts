/** A mistake in a field, thrown where the place of its document is not known; further up it becomes a LoadMistake. */
export class FieldError extends Error {
  override readonly name = "FieldMistake";
  /** Its path: `affected[0].package.name`. */
  readonly field: string;

  constructor(field: string, description: string) {
    super(description);
    this.field = field;
  }
}
