import type { KindName, Resource } from "#src/api/resource.ts";
import { kinds } from "#src/kinds/kinds.ts";
import type { Kind } from "#src/kinds/kind.ts";
import type { Clock } from "#src/time/clock.ts";
import { keyOf } from "#src/kube/object.ts";
import type { ReadStore } from "#src/kube/store.ts";
import type { CollectionView } from "#src/platform-client/collection-view.ts";
import type { ExternalResource } from "#src/platform-client/external-resource.ts";
import type { PlatformSession } from "#src/platform-client/session.ts";
import { isBelow } from "#src/platform-client/uid.ts";
import type { Boundary } from "#src/reconcile/tenancy/boundary.ts";
import type { Breaker } from "./breaker.ts";
import type { CrdReads } from "./crd-reads.ts";
import { type CachedResource, referenceKey } from "./cached-resource.ts";
import { markerOf } from "#src/kinds/marker.ts";
import type { ReconcileStates } from "./reconcile-states.ts";
import type { Dependent, NameConflict, Observed, References } from "./observed.ts";
import { resolveReferences } from "./references.ts";

export type Stores = Readonly<Record<KindName, ReadStore<CachedResource>>>;

/** All that observation reads from. */
export interface World {
  readonly stores: Stores;
  readonly states: Readonly<Record<KindName, ReconcileStates>>;
  readonly session: PlatformSession;
  readonly crds: CrdReads;
  readonly breaker: Breaker;
  readonly boundary: Boundary;
  /** Hashes of the present owner id and of earlier ones. */
  readonly owners: readonly [string, ...string[]];
  readonly operatorIdentity: string;
  readonly serviceAccountIssuer: string;
  readonly settledAt: number;
  /** From when on what the watch tells as new cannot have been seen by a former leader, however late the watch is. */
  readonly soleLeaderSince: number;
  readonly settleMs: number;
  readonly credentialEpoch: () => number;
  readonly clock: Clock;
}

/** Gathers what a decision needs, from caches alone; undefined for what is not there (any more). */
export function observe(world: World, kindName: KindName, key: string): Observed | undefined {
  const held = world.stores[kindName].get(key);
  if (held === undefined) return undefined;
  const { resource, invalid } = held;
  const { session, clock, boundary } = world;
  const kind = kinds[kindName];
  const now = clock.monotonic();
  const memory = world.states[kindName].get(key, held, now);
  const view: CollectionView<ExternalResource> = session.views[kind.collection];
  const markers = markersOf(world.owners, held);
  const references = invalid === undefined ? referencesOf(world, kind, resource, markers[0]) : invalidReferences;
  const uid = resource.spec.uid ?? resource.status?.uid;
  const resolved = references.are === "resolved" ? references : undefined;
  const parent = resolved?.uids.parent;
  const naturalKey = kind.marked ? markers[0] : resolved?.naturalKey;
  const keys = kind.marked ? markers : naturalKey === undefined ? [] : [naturalKey];
  const claimant = (row: ExternalResource) => claimantOf(world.stores[kindName], row.uid, key);
  const matches = keys.flatMap((one) => view.withKey(one)).filter((row) => claimant(row) === undefined);
  const wanted = resolved?.desired["name"];
  const external = uid === undefined ? ({ is: "unknown" } as const) : view.know(uid);
  const namesakes: NameConflict[] =
    (uid === undefined || external.is === "gone") && parent !== undefined && typeof wanted === "string"
      ? view.named(parent, wanted).flatMap((row) => (matches.includes(row) ? [] : [{ row, claimedBy: claimant(row) }]))
      : [];
  return {
    kind,
    resource,
    invalid,
    references,
    markers,
    uid,
    external,
    request:
      memory.request !== undefined && memory.request.value !== resource.status?.lastHandledReconcileAt
        ? memory.request
        : undefined,
    matches,
    nameConflicts: namesakes,
    snapshot: view.snapshotOf(parent ?? ""),
    parentIsFresh: parent !== undefined && session.createdRecently(parent),
    rootSnapshots: boundary.roots.map((root) => ({ root, snapshot: view.snapshotOf(root) })),
    postUnknownSince: naturalKey === undefined ? undefined : session.posts.unknownSince(naturalKey),
    postedHere: naturalKey !== undefined && session.posts.mayHaveCreated(naturalKey),
    doublePosted: naturalKey !== undefined && session.posts.mayHaveCreatedTwice(naturalKey),
    competingClaimant: uid === undefined ? undefined : elderClaimant(world.stores[kindName], uid, key),
    isProtected: (one) =>
      boundary.roots.includes(one) ||
      one === world.operatorIdentity ||
      (session.permissions?.ownBindings.has(one) ?? false),
    isWithinRoots: (one) => boundary.roots.some((root) => isBelow(one, root)),
    dependents: resource.metadata.deletionTimestamp === undefined ? [] : dependantsOf(world.stores, resource),
    lastDeletionAt: Math.max(...Object.values(world.states).map((memories) => memories.lastDeletionAt)),
    crd: world.crds.lastRead(kindName),
    heldByBreaker: uid !== undefined && world.breaker.holds(uid),
    state: memory,
    settledAt: world.settledAt,
    settleMs: world.settleMs,
    credentialEpoch: world.credentialEpoch(),
    now,
    wallClock: new Date(clock.now()),
  };
}

const invalidReferences: References = {
  are: "waiting",
  reason: "ReferenceNotFound",
  message: "The spec cannot be read, so its references cannot either.",
};

function referencesOf(world: World, kind: Kind, resource: Resource, marker: string): References {
  return resolveReferences(kind, resource, {
    find: (kindName, key) => world.stores[kindName as KindName].get(key)?.resource,
    roles: world.session.roles,
    boundary: world.boundary,
    operatorIdentity: world.operatorIdentity,
    serviceAccountIssuer: world.serviceAccountIssuer,
    marker,
  });
}

export function markersOf(
  [owner, ...earlier]: World["owners"],
  { objectHash }: CachedResource,
): readonly [string, ...string[]] {
  return [markerOf(owner, objectHash), ...earlier.map((one) => markerOf(one, objectHash))];
}

/** Another resource that stands for `uid`. */
function claimantOf(store: ReadStore<CachedResource>, uid: string, key: string): string | undefined {
  return store
    .index("claims", uid)
    .map(keyOf)
    .find((other) => other !== key);
}

/** The eldest of those that stand for `uid`, if it is not the resource at `key` itself. */
function elderClaimant(store: ReadStore<CachedResource>, uid: string, key: string): string | undefined {
  const claimants = store.index("claims", uid);
  if (claimants.length < 2) return undefined;
  const [eldest] = claimants.toSorted((a, b) => ageOf(a).localeCompare(ageOf(b)));
  const elder = eldest === undefined ? key : keyOf(eldest);
  return elder === key ? undefined : elder;
}

function ageOf({ metadata }: CachedResource): string {
  return `${metadata.creationTimestamp ?? ""} ${metadata.uid ?? ""}`;
}

/** Resources that refer to this one and exist on the platform. */
function dependantsOf(stores: Stores, { kind, metadata }: Resource): Dependent[] {
  const wanted = referenceKey(kind, metadata.namespace ?? "", metadata.name);
  return Object.entries(stores).flatMap(([name, store]) =>
    store
      .index("refersTo", wanted)
      .filter((held) => held.resource.status?.uid !== undefined)
      .map(({ metadata: { name: own, deletionTimestamp } }) => ({
        name: `${name} ${own}`,
        leaving: deletionTimestamp !== undefined,
      })),
  );
}
