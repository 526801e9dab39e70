import type { Resource } from "#src/api/custom-resource.ts";
import type { Kind } from "#src/kinds/kind.ts";
import { mayHaveManaged } from "#src/kinds/may-have-managed.ts";
import { keyOf } from "#src/kube/object.ts";
import { type CachedResource, referenceKey, uidKey } from "./cached-resource.ts";
import { recordedUid } from "./claims.ts";
import { findingOf } from "./finding.ts";
import type { Dependent } from "./observed.ts";
import type { Sources } from "./sources.ts";
import { identify } from "./unrecorded.ts";

/** The objects that refer to this one, by its name or by its uid, and have an external resource, or may come to have one. */
export function dependentsOf(sources: Sources, resource: Resource): Dependent[] {
  const { kind, metadata, status } = resource;
  const { namespace = "", name } = metadata;
  return [...sources.stores.entries()].flatMap(([kindName, store]) => {
    const byName = store.index("refersTo", referenceKey(kind, namespace, name));
    const byUid = status?.uid === undefined ? [] : store.index("refersToUid", uidKey(kind, status.uid));
    return [...byName, ...byUid].flatMap((cached) => {
      const held = holdingOf(sources, kindName, cached, resource);
      const deleting = cached.metadata.deletionTimestamp !== undefined;
      return held === undefined ? [] : [{ kind: kindName, key: keyOf(cached), deleting, ...held }];
    });
  });
}

type Holding = Pick<Dependent, "has" | "unlisted">;

/** What a dependent may have on the platform; undefined if it has nothing. */
function holdingOf(sources: Sources, kind: string, cached: CachedResource, target: Resource): Holding | undefined {
  if (recordedUid(cached) !== undefined) return { has: "recorded" };
  if (mayHaveCreated(sources, kind, cached, target)) return { has: "unsettled" };
  return mayHaveManaged(cached.resource) && mayRefer(sources, cached.resource, target)
    ? unrecordedBy(sources, kind, cached)
    : undefined;
}

/** What an earlier process may have created for an object that can be found only by what its references mean. */
function unrecordedBy(sources: Sources, kindName: string, cached: CachedResource): Holding | undefined {
  const { kinds, states, clock, tenancy, soleLeaderSince } = sources;
  const kind = kinds.find(({ name }) => name === kindName);
  if (kind === undefined || !findingOf(kind).needsMeaning) return undefined;
  const state = states.get(kindName).get(keyOf(cached), cached, clock.monotonic());
  const governance = tenancy.governanceOf(cached.resource);
  if (state.bornHere || governance.by === "unserved" || cached.invalid !== undefined) return undefined;
  const unrecorded = identify(sources, kind, cached, [], governance);
  if (unrecorded.is !== "identified" || !unrecorded.isListable) return undefined;
  const { group, snapshot, found, kept } = unrecorded;
  if (found.length + kept.length > 0) return { has: "unrecorded" };
  const settledAt = governance.by === "tenant" ? governance.context.settledAt : soleLeaderSince;
  return snapshot !== null && snapshot.startedAt >= settledAt ? undefined : { has: "unrecorded", unlisted: group };
}

/** The kinds whose objects may refer to those of `kind`, but which have not been read. */
export function unreadDependentsOf({ kinds, stores }: Sources, kind: Kind): string[] {
  return kinds.flatMap(({ name, refersTo }) =>
    refersTo.includes(kind.name) && !stores.get(name).synced ? [name] : [],
  );
}

/**
 * Whether an object without a recorded uid may have created something: this process sent a POST for it, or an earlier one
 * may have, and died before it could report anything. That counts only while the object may use what it refers to: anybody who
 * may create objects somewhere can write this reference, and must not keep others from deleting what is theirs.
 */
function mayHaveCreated(sources: Sources, kind: string, cached: CachedResource, target: Resource): boolean {
  const { states, clock } = sources;
  const { posted, bornHere } = states.get(kind).get(keyOf(cached), cached, clock.monotonic());
  if (posted !== undefined) return true;
  const { deletionTimestamp } = cached.metadata;
  return (
    !bornHere &&
    mayHaveManaged(cached.resource) &&
    (deletionTimestamp !== undefined || cached.resource.status?.conditions === undefined) &&
    mayRefer(sources, cached.resource, target)
  );
}

/** Whether an object may refer to `target`: they have one Tenant, or `target` permits the namespace of the object. */
function mayRefer({ tenancy }: Pick<Sources, "tenancy">, object: Resource, target: Resource): boolean {
  const { namespace = "" } = object.metadata;
  if (namespace === target.metadata.namespace || target.spec.allowedNamespaces?.includes(namespace) === true)
    return true;
  const [governance, other] = [tenancy.governanceOf(object), tenancy.governanceOf(target)];
  return governance.by === "tenant" && other.by === "tenant" && governance.context.name === other.context.name;
}
