import type { Group } from "#src/api/group.ts";
import type { CachedResource } from "#src/reconcile/observe/cached-resource.ts";
import type { RoleBindingsAbove } from "./above-roots.ts";
import type { SessionFindings } from "./findings.ts";
import type { People } from "./listed-people.ts";
import type { Sightings } from "./sightings.ts";

/** What is known of one session since its last resync. */
export interface SessionState {
  readonly findings: SessionFindings;
  readonly sightings: Sightings;
  readonly above: RoleBindingsAbove;
  /** Null if no Group said Remove at the last resync. */
  readonly people: People | null;
}

export function isGroup(resource: CachedResource["resource"]): resource is Group {
  return resource.kind === "Group";
}

/** What is in a group that is being deleted goes with the group, or keeps it: nothing there is removed on its own. */
export function saysRemove(resource: CachedResource["resource"]): boolean {
  return (
    isGroup(resource) && resource.spec.undeclared === "Remove" && resource.metadata.deletionTimestamp === undefined
  );
}
