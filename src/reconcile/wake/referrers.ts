import { isDeepStrictEqual } from "node:util";
import type { Resource } from "#src/api/custom-resource.ts";
import { keyOf } from "#src/kube/object.ts";
import type { Kind } from "#src/kinds/kind.ts";
import { type CachedResource, readyReason, referenceKey, uidKey } from "#src/reconcile/observe/cached-resource.ts";
import { isReadyAsItIs } from "#src/reconcile/observe/referenced-objects.ts";
import type { Sources } from "#src/reconcile/observe/sources.ts";
import type { ObjectChange } from "./change.ts";
import { wakeConflictsWith } from "./conflicts.ts";
import type { Enqueue } from "./enqueue.ts";

/**
 * The objects whose references depend on an object, each with its kind: those that name it, and those that use its uid because
 * it permits that. A uid that the Tenant's own limits permit depends on no object.
 * @param states of the one object, before and after a change
 */
export function referrersOf(
  { kinds, stores }: Pick<Sources, "kinds" | "stores">,
  kind: Kind,
  ...states: readonly [CachedResource, ...CachedResource[]]
): (readonly [kind: string, referrer: CachedResource])[] {
  const [{ metadata }] = states;
  const reference = referenceKey(kind.name, metadata.namespace ?? "", metadata.name);
  const shares = states.some(({ resource }) => resource.spec.allowedNamespaces !== undefined);
  // What a Role allows counts within its Tenant, too.
  const uids =
    shares || kind.bindable !== null ? new Set(states.flatMap(({ resource }) => resource.status?.uid ?? [])) : [];
  const usesUid = ({ metadata: { namespace = "" } }: CachedResource) =>
    kind.bindable !== null || states.some(({ resource }) => resource.spec.allowedNamespaces?.includes(namespace));
  return kinds.flatMap(({ name }) => {
    const store = stores.get(name);
    const byUid = [...uids].flatMap((uid) => store.index("refersToUid", uidKey(kind.name, uid)).filter(usesUid));
    return [...store.index("refersTo", reference), ...byUid].map((referrer) => [name, referrer] as const);
  });
}

/** The objects whose references depend on an object, and those in Conflict over what these may have wanted because of it. */
export function wakeReferrers(sources: Sources, { kind, before, after }: ObjectChange, enqueue: Enqueue): void {
  const cached = after ?? before;
  if (cached === undefined || !mattersToReferrers(kind, before, after)) return;
  const referrers = referrersOf(sources, kind, cached, ...(before === undefined ? [] : [before]));
  for (const [name, referrer] of referrers) enqueue(name, keyOf(referrer), {});
  if (changesWhatReferrersMayWant(before, after)) wakeConflictsWith(sources, referrers, enqueue);
}

/** Whether a change may change what references to the object resolve to. */
function mattersToReferrers(
  kind: Kind,
  before: CachedResource | undefined,
  after: CachedResource | undefined,
): boolean {
  const [earlier, later] = [before?.resource, after?.resource];
  const isGranted = kind.principal !== null || kind.bindable !== null;
  const mayBeUsed = (one: Resource | undefined) => one !== undefined && isReadyAsItIs(one);
  return (
    (isGranted && mayBeUsed(earlier) !== mayBeUsed(later)) ||
    (before === undefined) !== (after === undefined) ||
    earlier?.status?.uid !== later?.status?.uid ||
    earlier?.status?.parentUid !== later?.status?.parentUid ||
    readyReason(earlier) !== readyReason(later) ||
    earlier?.metadata.deletionTimestamp !== later?.metadata.deletionTimestamp ||
    !isDeepStrictEqual(earlier?.spec.allowedNamespaces, later?.spec.allowedNamespaces)
  );
}

/** Whether the objects that refer to this one may want something else now, or nothing, because of what they refer to. */
function changesWhatReferrersMayWant(before: CachedResource | undefined, after: CachedResource | undefined): boolean {
  const [earlier, later] = [before?.resource, after?.resource];
  return (
    later === undefined ||
    earlier?.status?.uid !== later.status?.uid ||
    !isDeepStrictEqual(earlier?.spec.allowedNamespaces, later.spec.allowedNamespaces)
  );
}
