import type { Kind } from "#src/kinds/kind.ts";
import type { Observed } from "#src/reconcile/observe/observed.ts";

/** What a decision is made from: what was observed of an object, and the description of its kind. */
export interface DecisionInput extends Observed {
  readonly kind: Kind;
}
