import type { Kind } from "#src/kinds/kind.ts";
import type { Enqueue } from "./enqueue.ts";
import type { CachedResource } from "./observe/cached-resource.ts";
import type { Sources } from "./observe/sources.ts";

/** Many objects that take over what is in one group cost one status of the group. */
const gatherMs = 2_000;

/** After an object recorded a uid: the Groups that report the resource as undeclared. */
export function wakeReportingGroups(
  { undeclared }: Pick<Sources, "undeclared">,
  kind: Kind,
  before: CachedResource | undefined,
  after: CachedResource | undefined,
  enqueue: Enqueue,
): void {
  const uid = after?.resource.status?.uid;
  if (uid === undefined || before?.resource.status?.uid === uid) return;
  for (const group of undeclared.groupsThatReport(kind, uid))
    enqueue("Group", group, { priority: "low", delayMs: gatherMs });
}
