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
