import type { Resource } from "#src/api/custom-resource.ts";
import { hasFinalizer } from "#src/api/custom-resource.ts";
import { expiryOf } from "#src/kinds/expiry.ts";
import type { Kind } from "#src/kinds/kind.ts";
import type { ReferenceField, ReferencePurpose, ResolvedUids } from "#src/kinds/reference-field.ts";
import { referredKinds } from "#src/kinds/referred-kinds.ts";
import { keyOf } from "#src/kube/object.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";
import type { RoleCatalog } from "#src/platform-client/permissions.ts";
import { parentOf } from "#src/platform-client/uid.ts";
import { type CachedResource, referenceKey, type ResourceStore, wantedKey } from "./cached-resource.ts";
import { hasRecordOf } from "./claimed-state.ts";
import { objectsWithUid } from "./objects-with-uid.ts";
import type { Sources } from "./sources.ts";

// One resource has one claimant, whatever the order of events: a recorded uid wins, unless its object ends and another one has
// recorded it, too; among objects that only want a uid, a name or an equal role binding, and may have it, the oldest does.

/** Whether an object may want what it does not have yet: it manages, a Tenant permits it, and it has not expired. */
export type MayWant = (cached: CachedResource) => boolean;

/** Whether `resource` manages the resource with this uid, as its status records it. */
export function isRecorded({ status }: Resource, uid: string): boolean {
  return status?.uid === uid && status.management !== "Observed";
}

/** The uid that the object manages, as its status records it. */
export function recordedUid(cached: CachedResource | undefined): string | undefined {
  const uid = cached?.resource.status?.uid;
  return cached !== undefined && uid !== undefined && isRecorded(cached.resource, uid) ? uid : undefined;
}

/** Whether an object manages `external`, as its status records it, and not an earlier resource with the same uid. */
function manages(owners: readonly string[], cached: CachedResource, external: ExternalResource): boolean {
  return isRecorded(cached.resource, external.uid) && hasRecordOf(owners, cached, external);
}

/** Where claims are looked up: the objects, and the hashes of the owners whose markers are ours. */
type ClaimSources = Pick<Sources, "stores" | "owners" | "clock">;

/** Whether an object other than `except` manages `external`, as its status records it. */
export function hasManager(
  { stores, owners }: ClaimSources,
  { name }: Kind,
  external: ExternalResource,
  except?: CachedResource,
): boolean {
  const claimants = stores.get(name).index("claims", external.uid);
  return claimants.some((one) => one !== except && manages(owners, one, external));
}

/** Another object to which `external` belongs, as `namespace/name`; null if it belongs to `self`, or may do so. */
export function otherClaimantOf(
  { stores, owners, clock }: ClaimSources,
  { name }: Kind,
  external: ExternalResource,
  self: CachedResource,
  mayWant: MayWant,
): string | null {
  const { uid } = external;
  const others = stores
    .get(name)
    .index("claims", uid)
    .filter((other) => other !== self);
  if (others.length === 0) return null;
  const recorded = others.filter((other) => manages(owners, other, external));
  if (manages(owners, self, external)) {
    // What an object that ends has recorded may be all that another one has: it does not take that along.
    const staying = recorded.filter((other) => !ends(other, clock.now()));
    if (!ends(self, clock.now())) return olderThan(self, staying);
    return staying.length > 0 ? olderThan(undefined, staying) : olderThan(self, recorded);
  }
  if (recorded.length > 0) return olderThan(undefined, recorded);
  return olderThan(self, others, (other) => other.resource.spec.uid === uid && mayWant(other));
}

/**
 * The key of the oldest of `others` that `counts`, if it is older than `self`. Whether one counts is costly to know, and
 * thousands of objects may want the same: only one that is older than those before it is asked.
 */
function olderThan(
  self: CachedResource | undefined,
  others: Iterable<CachedResource>,
  counts: MayWant = () => true,
): string | null {
  let oldest = self;
  for (const other of others) if ((oldest === undefined || byAge(other, oldest) < 0) && counts(other)) oldest = other;
  return oldest === undefined || oldest === self ? null : keyOf(oldest);
}

/**
 * Whether `other` may keep `self` from what both want: it has recorded a uid, or is older. What changes an object that does
 * not come first changes nothing for `self`.
 */
export function comesFirst(other: CachedResource, self: CachedResource): boolean {
  return other.resource.status?.uid !== undefined || byAge(other, self) < 0;
}

/** By creation time, and objects of the same second by namespace and name. */
function byAge(a: CachedResource, b: CachedResource): number {
  const [ageOfA, ageOfB] = [a.metadata.creationTimestamp ?? "", b.metadata.creationTimestamp ?? ""];
  if (ageOfA !== ageOfB) return ageOfA < ageOfB ? -1 : 1;
  return keyOf(a) < keyOf(b) ? -1 : 1;
}

/** Where the objects that refer to the same uids are found, whether they do so by name or by uid. */
export interface RivalLookup {
  readonly storeOf: (kind: string) => ResourceStore;
  /** The built-in roles; undefined until they were read. */
  readonly roles: RoleCatalog | undefined;
}

export interface RivalChecks {
  readonly mayWant: MayWant;
  /** Whether an object has what it wants: its recorded resource has the name, or equals the spec. */
  readonly has: (cached: CachedResource) => boolean;
}

/**
 * Another object that wants the same name below the same parent, or an equal role binding, and comes first: it has it
 * already, or is older. Null if there is none. `self` does not have it yet.
 */
export function rivalOf(
  kind: Kind,
  self: CachedResource,
  uids: ResolvedUids,
  lookup: RivalLookup,
  { mayWant, has }: RivalChecks,
): string | null {
  const found = rivalsOf(kind, self, uids, lookup);
  return olderThan(undefined, found, (other) => has(other) && mayWant(other)) ?? olderThan(self, found, mayWant);
}

/** The other objects that want the same name below the same parent, an equal role binding, or the same Secret for a code. */
export function rivalsOf(
  kind: Kind,
  self: CachedResource,
  uids: ResolvedUids,
  lookup: RivalLookup,
): ReadonlySet<CachedResource> {
  const keys = rivalKeys(kind, self, uids, lookup);
  const found = new Set(keys.flatMap((key) => lookup.storeOf(kind.name).index("wants", key)));
  found.delete(self);
  return found;
}

/**
 * The keys of the index `wants` under which the objects are found that want the same as `self`, however they write it.
 * @param uids what the references of `self` resolve to, as far as that is known.
 */
export function rivalKeys(
  kind: Kind,
  self: CachedResource,
  uids: ResolvedUids,
  lookup: RivalLookup,
): readonly string[] {
  if (self.invalid !== undefined) return [];
  const targets = kind.references(self.resource).map(({ purpose, target }) => {
    const [written, resolved] = asWritten(target, self, lookup);
    const uid = uids[purpose] ?? resolved;
    return [...new Set([written, ...(uid === undefined ? [] : targetsOf(purpose, uid, lookup))])];
  });
  return combinations(targets).flatMap((one) => wantedKey(kind, self.resource, one) ?? []);
}

/** A reference as the object writes it, and the uid that this means, if that does not depend on another object. */
function asWritten(
  target: ReferenceField["target"],
  { metadata }: CachedResource,
  { roles }: RivalLookup,
): [written: string, uid: string | undefined] {
  switch (target.by) {
    case "uid":
      return [target.uid, target.uid];
    case "roleName":
      return [target.name, roles?.byName.get(target.name)?.uid];
    case "resource": {
      const { namespace = metadata.namespace ?? "", name } = target.reference;
      return [referenceKey(target.kind, namespace, name), undefined];
    }
  }
}

/** How a reference to `uid` can be written. */
function targetsOf(purpose: ReferencePurpose, uid: string, { storeOf, roles }: RivalLookup): readonly string[] {
  const kind = referredKinds[purpose];
  // A name means a built-in role, whatever roles of groups are called.
  if (purpose === "role" && parentOf(uid) === undefined) {
    const name = roles?.byUid.get(uid)?.name;
    return name === undefined ? [uid] : [uid, name];
  }
  const objects = objectsWithUid(storeOf(kind), uid);
  return [uid, ...objects.map(({ metadata }) => referenceKey(kind, metadata.namespace ?? "", metadata.name))];
}

function combinations(lists: readonly (readonly string[])[]): string[][] {
  return lists.reduce<string[][]>((all, list) => all.flatMap((one) => list.map((value) => [...one, value])), [[]]);
}

/** Whether the object gives up what it has: it is being deleted, has expired, or only observes. */
export function ends(cached: CachedResource, wallClock: number): boolean {
  const { resource, metadata } = cached;
  return (
    metadata.deletionTimestamp !== undefined ||
    resource.spec.policy.management === "Observe" ||
    hasExpired(cached, wallClock)
  );
}

/** Whether an object can want anything: it manages resources, is valid, has not expired, and is not on its way out. */
export function isActive(cached: CachedResource, wallClock: number): boolean {
  const { resource, invalid, metadata } = cached;
  return (
    invalid === undefined &&
    resource.spec.policy.management === "Full" &&
    !hasExpired(cached, wallClock) &&
    // What an object that is being deleted may have created has to be found before another object creates the same.
    (metadata.deletionTimestamp === undefined || hasFinalizer(resource))
  );
}

function hasExpired(cached: CachedResource, wallClock: number): boolean {
  const expiry = expiryOf(cached);
  return expiry !== undefined && expiry.at <= wallClock;
}
