import type { ResolvedUids } from "#src/kinds/kind.ts";
import type { References } from "#src/reconcile/observe/observed.ts";

export type Resolved = Extract<References, { are: "resolved" }>;

/** Resolved references with a parent, which every resource has that Muster writes. */
export type Placed = Resolved & { readonly uids: ResolvedUids & { readonly parent: string } };

export function isPlaced(references: Resolved): references is Placed {
  return references.uids.parent !== undefined;
}
