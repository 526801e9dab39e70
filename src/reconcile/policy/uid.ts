// The only uid arithmetic of the policy, until it is part of a kind's description.
// oxlint-disable no-restricted-imports
import { isBelow } from "#src/platform-client/uid.ts";
import type { Observed } from "#src/reconcile/observe/observed.ts";

export { parentOf } from "#src/platform-client/uid.ts";

/** The root group above `uid`; undefined if no root group that the operator may use is above it. */
export function rootAbove({ rootSnapshots }: Observed, uid: string): string | undefined {
  return rootSnapshots.find(({ group }) => isBelow(uid, group))?.group;
}
