/** The user has interrupted the demo. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
}
