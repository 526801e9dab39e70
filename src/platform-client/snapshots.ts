import type { MonotonicTime } from "#src/time/clock.ts";
import type { ListScope } from "./api.ts";
import { parentOf } from "./uid.ts";

/** A complete list of one scope. */
export interface Snapshot {
  /** When the list was started: the snapshot shows every change that the platform had made by then. */
  readonly startedAt: MonotonicTime;
  /** Whether nothing was created or deleted in the scope while its pages were read. */
  readonly stable: boolean;
}

/** What a snapshot must satisfy before its caller relies on it. */
export interface SnapshotRequirement {
  readonly startedAfter: MonotonicTime;
  /** True after a POST with an unknown outcome: only a stable snapshot proves that the POST created nothing. */
  readonly stable: boolean;
}

/** The latest snapshot of each scope of one collection. */
export class Snapshots {
  readonly #subtrees = new Map<string, Snapshot>();
  readonly #children = new Map<string, Snapshot>();

  record(scope: ListScope, snapshot: Snapshot): void {
    if ("descendantsOf" in scope) this.#subtrees.set(scope.descendantsOf, snapshot);
    else this.#children.set(scope.childrenOf, snapshot);
  }

  /** The latest snapshot that covered all children of `parent`; undefined before the first one. */
  latestOf(parent: string): Snapshot | undefined {
    let latest = this.#children.get(parent);
    for (let scope: string | undefined = parent; scope !== undefined; scope = parentOf(scope)) {
      const subtree = this.#subtrees.get(scope);
      if (subtree !== undefined && (latest === undefined || subtree.startedAt > latest.startedAt)) latest = subtree;
    }
    return latest;
  }
}

export function satisfies(snapshot: Snapshot | undefined, requirement: SnapshotRequirement): boolean {
  return (
    snapshot !== undefined && snapshot.startedAt >= requirement.startedAfter && (snapshot.stable || !requirement.stable)
  );
}
