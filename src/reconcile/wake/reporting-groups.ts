import type { Sources } from "#src/reconcile/observe/sources.ts";
import type { ObjectChange } from "./change.ts";
import type { Enqueue } from "./enqueue.ts";

/** Many objects that take over what is in one group cost one status of the group. */
const gatherMs = 2_000;

/** After an object recorded a resource: the Groups that report it as undeclared. Another singleton has the same uid. */
export function wakeReportingGroups(
  { undeclared }: Pick<Sources, "undeclared">,
  { kind, before, after }: ObjectChange,
  enqueue: Enqueue,
): void {
  const { uid, createTime } = after?.resource.status ?? {};
  const earlier = before?.resource.status;
  if (uid === undefined || (earlier?.uid === uid && earlier.createTime === createTime)) return;
  for (const group of undeclared.groupsThatReport(kind, uid))
    enqueue("Group", group, { priority: "low", delayMs: gatherMs });
}
