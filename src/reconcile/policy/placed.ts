import type { ResolvedUids } from "#src/kinds/kind.ts";
import type { ExternalResource, References } from "#src/reconcile/observe/observed.ts";
import type { DecisionInput } from "./decision-input.ts";

export type Resolved = Extract<References, { are: "resolved" }>;

/** Resolved references with a parent, which every resource has that Muster writes. */
export type Placed = Resolved & { readonly uids: ResolvedUids & { readonly parent: string } };

function isPlaced(references: References): references is Placed {
  return references.are === "resolved" && references.uids.parent !== undefined;
}

/** What is decided about an object that manages a resource, or is to have one. */
export interface Managed extends DecisionInput {
  readonly references: Placed;
}

export function asManaged(observed: DecisionInput): Managed | undefined {
  const { references } = observed;
  return isPlaced(references) ? { ...observed, references } : undefined;
}

/** What is decided about such an object and one resource: its own, or one that it may adopt. */
export interface Found extends Managed {
  readonly external: ExternalResource;
}
