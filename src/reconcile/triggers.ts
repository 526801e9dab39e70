import type { KindName } from "#src/api/resource.ts";
import { kinds } from "#src/kinds/kinds.ts";
import type { AddOptions } from "#src/runtime/queue.ts";
import { type HeldResource, referent, resourceIndexes } from "./heldResource.ts";
import type { World } from "./observe.ts";

export type Enqueue = (kind: KindName, key: string, options: AddOptions) => void;

const kindNames = Object.keys(kinds) as KindName[];

/**
 * Turns changes into keys to look at: of a custom resource itself, of those that refer to it or wait for it to go, of
 * those that stand for the same uid; and of those whose thing on the platform changed.
 */
export function connectTriggers(world: World, enqueue: Enqueue): void {
  for (const kind of kindNames)
    world.stores[kind].onChange((before, after, source) => {
      const held = after ?? before;
      if (held === undefined) return;
      const key = keyOf(held);
      if (after === undefined) world.memories[kind].forget(key);
      else world.memories[kind].recall(key, after, world.clock.monotonic(), before === undefined && source === "watch");
      enqueue(kind, key, { priority: source === "list" ? "low" : "high" });
      if (mattersToReferrers(before, after)) wakeReferrers(world, kind, held, enqueue);
      if (after === undefined) wakeReferents(world, held, enqueue);
      if (before !== undefined) wakeClaimants(world, kind, before, after, enqueue);
    });

  world.session.onListing((collection, changed) => {
    const kind = kindNames.find((name) => kinds[name].collection === collection);
    if (kind === undefined) return;
    world.breaker.assess(world.session.views[collection], managedUids(world, kind));
    for (const uid of changed)
      for (const held of world.stores[kind].index("claims", uid)) enqueue(kind, keyOf(held), { priority: "low" });
    // What waits may wait for just this: a name that has become free, a right that was given.
    for (const key of world.memories[kind].waiting()) enqueue(kind, key, { priority: "low" });
  });
}

/** The uids that resources stand for by their status and that are not on their way out. */
function managedUids(world: World, kind: KindName): string[] {
  return [...world.stores[kind].values()].flatMap(({ resource: { status, metadata } }) =>
    status?.uid === undefined || metadata.deletionTimestamp !== undefined ? [] : [status.uid],
  );
}

function mattersToReferrers(before: HeldResource | undefined, after: HeldResource | undefined): boolean {
  return (
    before?.resource.status?.uid !== after?.resource.status?.uid ||
    (before === undefined) !== (after === undefined) ||
    before?.metadata.deletionTimestamp !== after?.metadata.deletionTimestamp
  );
}

function wakeReferrers(world: World, kind: KindName, held: HeldResource, enqueue: Enqueue): void {
  const name = referent(kind, held.metadata.namespace ?? "", held.metadata.name);
  for (const other of kindNames)
    for (const referrer of world.stores[other].index("refersTo", name)) enqueue(other, keyOf(referrer), {});
}

/** What waits for `held` to go before it may be deleted itself. */
function wakeReferents(world: World, held: HeldResource, enqueue: Enqueue): void {
  for (const name of resourceIndexes.refersTo(held)) {
    const [kind, key] = name.split(" ") as [KindName, string];
    if (world.stores[kind].get(key)?.metadata.deletionTimestamp !== undefined) enqueue(kind, key, {});
  }
}

/** A uid that was let go may be wanted by another resource. */
function wakeClaimants(
  world: World,
  kind: KindName,
  before: HeldResource,
  after: HeldResource | undefined,
  enqueue: Enqueue,
): void {
  const uid = before.resource.status?.uid ?? before.resource.spec.uid;
  if (uid === undefined || uid === (after?.resource.status?.uid ?? after?.resource.spec.uid)) return;
  world.breaker.release(uid);
  for (const other of world.stores[kind].index("claims", uid)) enqueue(kind, keyOf(other), {});
}

function keyOf({ metadata }: HeldResource): string {
  return `${metadata.namespace ?? ""}/${metadata.name}`;
}
