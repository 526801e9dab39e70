/** The person has had enough. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
}
