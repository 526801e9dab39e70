import type { ExplanationName } from "./explanations.ts";

/** An error of a command that docs/reference/errors.md explains. For errors that other code throws, see `explanation-of.ts`. */
export class ExplainedError extends Error {
  override readonly name = "ExplainedError";
  readonly explanation: ExplanationName;
  constructor(explanation: ExplanationName, message: string, options?: ErrorOptions) {
    super(message, options);
    this.explanation = explanation;
  }
}
