import type { KindName } from "#src/api/resource.ts";
import { kinds } from "#src/kinds/kinds.ts";
import { keyOf } from "#src/kube/object.ts";
import type { AddOptions } from "#src/runtime/queue.ts";
import { type CachedResource, referenceKey, resourceIndexes } from "./observe/cached-resource.ts";
import { markerIn, objectOf } from "#src/kinds/marker.ts";
import type { World } from "./observe/observe.ts";

export type Enqueue = (kind: KindName, key: string, options: AddOptions) => void;

const kindNames = Object.keys(kinds) as KindName[];

/**
 * Turns changes into keys to look at: of a custom resource itself, of those that refer to it or wait for it to go, of
 * those that stand for the same uid; and of those whose thing on the platform changed.
 */
export function connectWatchHandlers(world: World, enqueue: Enqueue): void {
  const now = () => world.clock.monotonic();
  // What a former leader may have seen before us is not taken for new.
  const isNew = () => now() >= world.soleLeaderSince;
  for (const kind of kindNames)
    world.stores[kind].onChange((before, after, source) => {
      const held = after ?? before;
      if (held === undefined) return;
      const key = keyOf(held);
      if (after === undefined) world.states[kind].forget(key);
      else world.states[kind].get(key, after, now(), before === undefined && source === "watch" && isNew());
      // Who writes it himself looks again anyway.
      if (source !== "ownWrite") enqueue(kind, key, { priority: source === "list" ? "low" : "high" });
      if (mattersToReferrers(before, after)) wakeReferrers(world, kind, held, enqueue);
      if (after === undefined) wakeReferents(world, held, enqueue);
      wakeClaimants(world, kind, before, after, enqueue);
      if (before !== undefined && freesAName(before, after)) wakeConflicts(world, kind, enqueue);
    });

  world.session.onSnapshot((collection, changed) => {
    const kind = kindNames.find((name) => kinds[name].collection === collection);
    if (kind === undefined) return;
    world.breaker.assess(world.session.views[collection], managedUids(world, kind));
    for (const uid of changed)
      for (const held of concerned(world, kind, uid)) enqueue(kind, keyOf(held), { priority: "low" });
    // What waits may wait for just this: a name that has become free, a right that was given.
    wakeWaiting(world, kind, enqueue);
  });

  // What failed under the old token is no longer what is tried.
  world.session.onPermissionsChanged(() => {
    for (const kind of kindNames) wakeWaiting(world, kind, enqueue);
  });
}

function wakeWaiting(world: World, kind: KindName, enqueue: Enqueue): void {
  for (const key of world.states[kind].waiting()) enqueue(kind, key, { priority: "low" });
}

/** The uids that resources stand for by their status and that are not on their way out. */
function managedUids(world: World, kind: KindName): string[] {
  return [...world.stores[kind].values()].flatMap(({ resource: { status, metadata } }) =>
    status?.uid === undefined || metadata.deletionTimestamp !== undefined ? [] : [status.uid],
  );
}

function mattersToReferrers(before: CachedResource | undefined, after: CachedResource | undefined): boolean {
  return (
    before?.resource.status?.uid !== after?.resource.status?.uid ||
    (before === undefined) !== (after === undefined) ||
    before?.metadata.deletionTimestamp !== after?.metadata.deletionTimestamp
  );
}

function wakeReferrers(world: World, kind: KindName, held: CachedResource, enqueue: Enqueue): void {
  const name = referenceKey(kind, held.metadata.namespace ?? "", held.metadata.name);
  for (const other of kindNames)
    for (const referrer of world.stores[other].index("refersTo", name)) enqueue(other, keyOf(referrer), {});
}

/** What waits for `held` to go before it may be deleted itself, here or on the platform. */
function wakeReferents(world: World, held: CachedResource, enqueue: Enqueue): void {
  for (const name of resourceIndexes.refersTo(held)) {
    const [kind, key] = name.split(" ") as [KindName, string];
    if (world.stores[kind].get(key)?.metadata.deletionTimestamp === undefined) continue;
    world.states[kind].clearFailure(key);
    enqueue(kind, key, {});
  }
}

/** A uid that was let go may be wanted by another resource, and one that is newly stood for may be stood for already. */
function wakeClaimants(
  world: World,
  kind: KindName,
  before: CachedResource | undefined,
  after: CachedResource | undefined,
  enqueue: Enqueue,
): void {
  const [old, current] = [claimsOf(before), claimsOf(after)];
  for (const uid of old) if (!current.includes(uid)) world.breaker.release(uid);
  const changed = [...old.filter((uid) => !current.includes(uid)), ...current.filter((uid) => !old.includes(uid))];
  const held = after ?? before;
  for (const uid of changed)
    for (const other of world.stores[kind].index("claims", uid)) if (other !== held) enqueue(kind, keyOf(other), {});
}

function claimsOf(held: CachedResource | undefined): readonly string[] {
  return held === undefined ? [] : resourceIndexes.claims(held);
}

/** Whether what `before` stood for may have gone from the platform, or have another name there now. */
function freesAName({ resource: { status } }: CachedResource, after: CachedResource | undefined): boolean {
  if (status?.uid === undefined) return false;
  return after === undefined || after.resource.status?.observedGeneration !== status.observedGeneration;
}

/** What is in conflict may be so with just this one. */
function wakeConflicts(world: World, kind: KindName, enqueue: Enqueue): void {
  for (const held of world.stores[kind].index("inConflict", "yes")) {
    world.states[kind].clearFailure(keyOf(held));
    enqueue(kind, keyOf(held), {});
  }
}

/** Whom a thing on the platform concerns: who stands for it, and whose marker it carries. */
function concerned(world: World, kind: KindName, uid: string): readonly CachedResource[] {
  const knowledge = world.session.views[kinds[kind].collection].know(uid);
  const marker =
    knowledge.is === "present" && "description" in knowledge.row ? markerIn(knowledge.row.description) : undefined;
  const marked = marker === undefined ? [] : world.stores[kind].index("object", objectOf(marker));
  const standing = world.stores[kind].index("claims", uid);
  return [...standing, ...marked.filter((held) => !standing.includes(held))];
}
