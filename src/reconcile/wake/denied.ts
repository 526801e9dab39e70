import { roleBindings } from "#src/platform-client/permission-resources.ts";
import { readyReason, referencedKeys } from "#src/reconcile/observe/cached-resource.ts";
import { recordedUid } from "#src/reconcile/observe/claims.ts";
import type { Sources } from "#src/reconcile/observe/sources.ts";
import type { AddOptions } from "#src/runtime/queue.ts";
import type { ObjectChange } from "./change.ts";
import type { Enqueue } from "./enqueue.ts";

// Which objects wait because of the role bindings of their resources, or because of the roles of these. Without this they would
// wait for the next resync: an identity does not refer to what refers to it.

type DeniedSources = Pick<Sources, "kinds" | "states">;

/** The objects that wait because of one of these roles and role bindings. */
export function wakeDeniedBy(
  { kinds, states }: DeniedSources,
  uids: readonly string[],
  enqueue: Enqueue,
  options: AddOptions,
): void {
  if (uids.length === 0) return;
  const changed = new Set(uids);
  for (const { name } of kinds)
    for (const [key, deniedBy] of states.get(name).denied())
      if (deniedBy === "many" || deniedBy.some((uid) => changed.has(uid))) enqueue(name, key, options);
}

/**
 * After an object began or ceased to declare a role binding, or may have: the objects that wait because of that role binding, and
 * the object of its identity.
 */
export function wakeAfterGrant(sources: DeniedSources, { kind, before, after }: ObjectChange, enqueue: Enqueue): void {
  const cached = after ?? before;
  if (kind.collection.name !== roleBindings.name || cached === undefined) return;
  const isSame =
    recordedUid(before) === recordedUid(after) &&
    readyReason(before?.resource) === readyReason(after?.resource) &&
    before?.metadata.generation === after?.metadata.generation &&
    before?.metadata.deletionTimestamp === after?.metadata.deletionTimestamp;
  if (isSame) return;
  wakeDeniedBy(
    sources,
    [before, after].flatMap((one) => recordedUid(one) ?? []),
    enqueue,
    {},
  );
  const referred = new Set(referencedKeys(kind, cached));
  for (const { name } of sources.kinds)
    for (const [key] of sources.states.get(name).denied()) if (referred.has(`${name} ${key}`)) enqueue(name, key, {});
}
