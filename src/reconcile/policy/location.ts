import type { DecisionInput } from "./decision-input.ts";

// Where an external resource is, by its uid.

/** The root group above `uid`; undefined if no root group that the operator may use is above it. */
export function rootAbove({ kind, rootSnapshots }: DecisionInput, uid: string): string | undefined {
  return rootSnapshots.find(({ group }) => kind.collection.uids.isBelow(uid, group))?.group;
}

/** The group that contains `uid`; `uid` itself if no group does. */
export function groupOf({ kind }: DecisionInput, uid: string): string {
  return kind.collection.uids.parentOf(uid) ?? uid;
}
