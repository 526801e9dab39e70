import type { Kind } from "#src/kinds/kind.ts";
import type { ResolvedUids } from "#src/kinds/reference-field.ts";
import { keyOf } from "#src/kube/object.ts";
import {
  anyConflict,
  type CachedResource,
  contestedKeys,
  contestedName,
  isInConflict,
  readyReason,
} from "#src/reconcile/observe/cached-resource.ts";
import { comesFirst, rivalKeys, type RivalLookup } from "#src/reconcile/observe/claims.ts";
import { findingOf } from "#src/reconcile/observe/finding.ts";
import type { Sources } from "#src/reconcile/observe/sources.ts";
import type { Enqueue } from "./enqueue.ts";

// Which objects in Conflict with another resource or object may continue. Without this they would wait for the next resync.

/** Whether the object may want, or its external resource may have, something else now. */
export function mayReleaseClaim({ resource, metadata }: CachedResource, after: CachedResource | undefined): boolean {
  if (
    after === undefined ||
    after.metadata.generation !== metadata.generation ||
    after.resource.status?.uid !== resource.status?.uid
  )
    return true;
  // An object that reports a Conflict has got nothing and gives nothing up, unless it had something: thousands may report one.
  return (
    (!isInConflict(after) || resource.status?.uid !== undefined) &&
    (after.resource.status?.observedGeneration !== resource.status?.observedGeneration ||
      readyReason(after.resource) !== readyReason(resource))
  );
}

/**
 * The objects in Conflict over what any of `others` claims, or claimed, and that come after it: a change of it may have
 * resolved that. The object that came last does not wake the thousands that lost the same before it.
 */
export function wakeConflicts(sources: Sources, kind: Kind, others: readonly CachedResource[], enqueue: Enqueue): void {
  const store = sources.stores.get(kind.name);
  if (!store.isIndexed("inConflict", anyConflict)) return;
  // Many may contend for the same: each key is looked up once.
  const contested = new Map<string, CachedResource>();
  const wanted = new Map<string, CachedResource>();
  for (const other of others) for (const key of contestedKeys(kind, other)) keepFirst(contested, key, other);
  if (findingOf(kind).areEqualsDoubtful) {
    const lookup = lookupIn(sources);
    for (const other of others)
      for (const key of rivalKeys(kind, other, knownUids(sources, kind, other), lookup)) keepFirst(wanted, key, other);
  }
  const found = new Set<CachedResource>();
  for (const [key, first] of contested)
    for (const cached of store.index("inConflict", key)) if (comesFirst(first, cached)) found.add(cached);
  for (const [key, first] of wanted)
    for (const cached of store.index("wants", key))
      if (isInConflict(cached) && comesFirst(first, cached)) found.add(cached);
  for (const cached of found) wake(sources, kind, cached, enqueue);
}

/** Keeps, of all objects with a key, the one that comes before every object before which any of them comes. */
function keepFirst(first: Map<string, CachedResource>, key: string, other: CachedResource): void {
  const known = first.get(key);
  if (known === undefined || (known.resource.status?.uid === undefined && comesFirst(other, known)))
    first.set(key, other);
}

/** The objects in Conflict with any of `others`, each of which is given with its kind. */
export function wakeConflictsWith(
  sources: Sources,
  others: readonly (readonly [kind: string, cached: CachedResource])[],
  enqueue: Enqueue,
): void {
  for (const kind of sources.kinds) {
    const ofKind = others.flatMap(([name, cached]) => (name === kind.name ? [cached] : []));
    if (ofKind.length > 0) wakeConflicts(sources, kind, ofKind, enqueue);
  }
}

/** The objects in Conflict over a name, wherever that is: a resource has it no longer. */
export function wakeConflictsOverName(sources: Sources, kind: Kind, name: string, enqueue: Enqueue): void {
  for (const cached of sources.stores.get(kind.name).index("inConflict", contestedName(name)))
    wake(sources, kind, cached, enqueue);
}

function wake({ states }: Sources, kind: Kind, cached: CachedResource, enqueue: Enqueue): void {
  const key = keyOf(cached);
  states.get(kind.name).clearFailure(key);
  enqueue(kind.name, key, {});
}

function lookupIn({ stores, tenancy }: Sources): RivalLookup {
  const [roles] = Iterator.from(tenancy.sessions).flatMap((session) =>
    session.roles === undefined ? [] : [session.roles],
  );
  return { storeOf: (kind) => stores.get(kind), roles };
}

/** What the references of an object resolved to, or would resolve to now, as far as its status and theirs say. */
function knownUids({ stores }: Sources, kind: Kind, { resource, invalid }: CachedResource): ResolvedUids {
  if (invalid !== undefined) return {};
  const { parentUid, identityUid, roleUid } = resource.status ?? {};
  const recorded: ResolvedUids = {
    ...(parentUid === undefined ? {} : { parent: parentUid }),
    ...(identityUid === undefined ? {} : { identity: identityUid }),
    ...(roleUid === undefined ? {} : { role: roleUid }),
  };
  const named = kind.references(resource).flatMap(({ purpose, target }) => {
    if (target.by !== "resource") return [];
    const { namespace = resource.metadata.namespace ?? "", name } = target.reference;
    const uid = stores.get(target.kind).get(`${namespace}/${name}`)?.resource.status?.uid;
    return uid === undefined ? [] : [[purpose, uid] as const];
  });
  return { ...Object.fromEntries(named), ...recorded };
}
