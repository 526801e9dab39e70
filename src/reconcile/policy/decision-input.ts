import type { Kind } from "#src/kinds/kind.ts";
import type { ResolvedUids } from "#src/kinds/reference-field.ts";
import type { ExternalResource, Observed, References } from "#src/reconcile/observe/observed.ts";

/** What a decision is made from: what was observed of an object, and the description of its kind. */
export interface DecisionInput extends Observed {
  readonly kind: Kind;
}

export type Resolved = Extract<References, { are: "resolved" }>;

/** Resolved references with a parent, which every resource has that Muster writes. */
type Placed = Resolved & { readonly uids: ResolvedUids & { readonly parent: string } };

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

/** The root group above `uid`; undefined if no root group that the operator may use is above it. */
export function rootAbove({ kind, rootSnapshots }: DecisionInput, uid: string): string | undefined {
  return rootSnapshots.find(({ group }) => kind.collection.uids.isBelow(uid, group))?.group;
}

/** The group that contains `uid`; `uid` itself if no group does. */
export function groupOf({ kind }: DecisionInput, uid: string): string {
  return kind.collection.uids.parentOf(uid) ?? uid;
}
