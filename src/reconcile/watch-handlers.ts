import { isDeepStrictEqual } from "node:util";
import type { Resource } from "#src/api/custom-resource.ts";
import type { Kind } from "#src/kinds/kind.ts";
import { carriedMarker, objectOf } from "#src/kinds/marker.ts";
import { keyOf } from "#src/kube/object.ts";
import type { ChangeSource } from "#src/kube/store.ts";
import type { ListScope } from "#src/platform-client/api.ts";
import type { PlatformSession } from "#src/platform-client/session.ts";
import type { Enqueue } from "./enqueue.ts";
import type { TenancyChange } from "./tenancy/tenancy.ts";
import {
  type CachedResource,
  claimedUids,
  readyReason,
  referencedKeys,
  referencedUids,
  uidKey,
} from "./observe/cached-resource.ts";
import { comesFirst, recordedUid } from "./observe/claims.ts";
import { objectsWithUid } from "./observe/objects-with-uid.ts";
import { isReadyAsItIs } from "./observe/referenced-objects.ts";
import { servedObjects } from "./observe/served-objects.ts";
import { isUnhandled } from "./observe/unhandled.ts";
import type { Sources } from "./observe/sources.ts";
import { type BreakerLimits, opensBreaker } from "./policy/breaker.ts";
import { wakeAfterGrant, wakeDeniedBy } from "./wake-denied.ts";
import { wakeForTrial } from "./wake-trial.ts";
import { wakeIdentityUsers } from "./wake-identity-users.ts";
import { wakeListedRoleUsers } from "./wake-listed-role-users.ts";
import { wakeMissing } from "./wake-missing.ts";
import { mayReleaseClaim, wakeConflicts, wakeConflictsOverName } from "./wake-conflicts.ts";
import { referrersOf } from "./wake-referrers.ts";
import { wakeReportingGroups } from "./wake-reporting-groups.ts";
import { wakeAfterDeclaration, wakeRoleUsers } from "./wake-role-users.ts";
import { wakeVouching } from "./wake-vouching.ts";
import { wakeAllWaiting, wakeWaiting } from "./wake-waiting.ts";

/**
 * Turns changes into keys to reconcile.
 *
 * - A custom resource changed: the object itself; the objects that refer to it, or use its uid because it permits that; if it is
 *   gone, or first says what it has, the objects that wait to be deleted after it; the objects that claim the same uid; those in Conflict, if it may have released
 *   what they want; if it began or ceased to manage a role or to declare a role binding, those that wait because their resources
 *   hold it; the Groups that report what it has taken over as undeclared; and, if that is an identity, the objects that wait to be deleted
 *   after their people.
 * - A resource got another name, or is gone: the objects in Conflict over its name.
 * - The platform was listed: the objects whose external resources changed or are missing, those that bind a role which changed,
 *   those that wait because of a role or a role binding which changed, and all objects of the session that are waiting.
 * - A DELETE of ours took effect, or may have: the other objects that claim the same uid (`wake-after-deletion.ts`).
 * - The permissions of a session changed, or its outage ended: all objects of the session that are waiting.
 * - A trial shows whether an outage of writes has ended: one object of the session that is waiting for that.
 * - A kind could be read for the first time: all objects that are waiting.
 * - A role that a Tenant lists changed on the platform: the objects of the session that declare or bind roles, and all that
 *   are waiting.
 * - A namespace is being deleted or has another Tenant, or its Tenant changed: all objects in the namespace, those that refer to
 *   them, and those in Conflict with any of these.
 * - An identity became a credential or an identity for emergencies of any Tenant, or ceased to be: the objects that declare it or
 *   bind a role to it, and all that are waiting.
 *
 * Priorities: `high` for a change in Kubernetes and for everything that it wakes, because somebody waits for the result;
 * `low` for objects that a list of a store changed and for which nobody waits, and for what the platform, new permissions,
 * the end of an outage or a Tenant wake.
 */
export function connectWatchHandlers(sources: Sources, breakerLimits: BreakerLimits, enqueue: Enqueue): void {
  const { kinds, stores, tenancy } = sources;
  for (const kind of kinds) {
    const store = stores.get(kind.name);
    store.onChange((before, after, source) => onResourceChanged(sources, kind, before, after, source, enqueue));
    store.onSynced(() => wakeAllWaiting(sources, enqueue));
  }
  tenancy.onSession((session) => {
    session.onSnapshot((collection, changed, scope) => {
      const kind = kinds.find((one) => one.collection.name === collection.name);
      if (kind !== undefined) onCollectionListed(sources, breakerLimits, session, kind, changed, scope, enqueue);
    });
    session.onNameReleased((collection, name, uid) => {
      const kind = kinds.find((one) => one.collection.name === collection.name);
      if (kind !== undefined) onNameReleased(sources, session, kind, name, uid, enqueue);
    });
    const wakeItsWaiting = () => {
      for (const kind of kinds) wakeWaiting(sources, session, kind, enqueue);
    };
    session.onPermissionsChanged(wakeItsWaiting);
    session.onRecovery(wakeItsWaiting);
    session.onTrialWanted(() => wakeForTrial(sources, session, enqueue));
    wakeListedRoleUsers(sources, session, enqueue);
  });
  tenancy.onChange((change) => {
    onTenancyChanged(sources, change, enqueue);
    wakeIdentityUsers(sources, change.identities, enqueue);
    const served = new Set(Array.from(tenancy.contexts, ({ name }) => name));
    for (const tenant of change.tenants) if (!served.has(tenant)) sources.breakers.retire(tenant);
  });
}

function onResourceChanged(
  sources: Sources,
  kind: Kind,
  before: CachedResource | undefined,
  after: CachedResource | undefined,
  source: ChangeSource,
  enqueue: Enqueue,
): void {
  const cached = after ?? before;
  if (cached === undefined) return;
  const key = keyOf(cached);
  if (after === undefined) sources.states.get(kind.name).forget(key);
  else {
    const now = sources.clock.monotonic();
    // An object that a previous leader may have seen is not new.
    const bornHere = before === undefined && source === "watch" && now >= sources.soleLeaderSince;
    sources.states.get(kind.name).get(key, after, now, bornHere);
  }
  // The reconcile that made a write observes it itself.
  if (source !== "ownWrite") {
    const waitsForNobody = source === "list" && after !== undefined && !isUnhandled(after);
    const isDeletion = isBeingDeleted(after) && !isBeingDeleted(before);
    const gathers = isDeletion && sources.states.get(kind.name).deletionsAreFrequent;
    enqueue(kind.name, key, {
      priority: waitsForNobody ? "low" : "high",
      ...(gathers ? { delayMs: gatherDeletionsMs } : {}),
    });
  }
  if (mattersToReferrers(kind, before, after)) {
    const referrers = referrersOf(sources, kind, cached, ...(before === undefined ? [] : [before]));
    for (const [name, referrer] of referrers) enqueue(name, keyOf(referrer), {});
    if (changesWhatReferrersMayWant(before, after)) wakeConflictsWith(sources, referrers, enqueue);
  }
  if (mattersToReferents(before, after)) wakeReferents(sources, kind, cached, enqueue);
  wakeClaimants(sources, kind, before, after, enqueue);
  wakeAfterDeclaration(sources, kind, before, after, enqueue);
  wakeAfterGrant(sources, kind, before, after, enqueue);
  wakeReportingGroups(sources, kind, before, after, enqueue);
  wakeVouching(sources, kind, before, after, enqueue);
  if (before !== undefined && mayReleaseClaim(before, after)) wakeConflicts(sources, kind, [before], enqueue);
}

/**
 * How long a deletion waits if there are many: each resource is read just before it is deleted, and one list reads all those whose
 * deletion was seen meanwhile.
 */
const gatherDeletionsMs = 1_000;

function isBeingDeleted(cached: CachedResource | undefined): boolean {
  return cached?.metadata.deletionTimestamp !== undefined;
}

/** A resource has the name no longer. Other sessions, which have not seen that, read it before they rely on it. */
function onNameReleased(
  sources: Sources,
  session: PlatformSession,
  kind: Kind,
  name: string,
  uid: string,
  enqueue: Enqueue,
): void {
  const { collection } = kind;
  const parent = collection.uids.parentOf(uid);
  for (const other of sources.tenancy.sessions) {
    if (other === session || parent === undefined) continue;
    const view = other.viewOf(collection);
    if (view.named(parent, name).some((known) => known.uid === uid)) view.recordStale(uid);
  }
  wakeConflictsOverName(sources, kind, name, enqueue);
}

/** How long after a list showed that a role changed those that depend on it are looked at: most changes are corrected by then. */
const correctionMs = 2_000;

function onCollectionListed(
  sources: Sources,
  breakerLimits: BreakerLimits,
  session: PlatformSession,
  kind: Kind,
  changed: readonly string[],
  scope: ListScope | undefined,
  enqueue: Enqueue,
): void {
  const recording = [...servedObjects(sources, session, kind.name)].filter(
    ({ resource: { status } }) => status?.uid !== undefined,
  );
  const opens = (missing: number, managed: number) => opensBreaker(missing, managed, breakerLimits);
  // What issues a code disappears when it is used, and is not created again: there is nothing to hold.
  const managed = kind.issued === null ? managedUids(sources, recording) : [];
  for (const [tenant, uids] of managed)
    sources.breakers.of(tenant, kind.name).assess(session.viewOf(kind.collection), uids, opens);
  for (const uid of changed)
    for (const cached of objectsOf(sources, session, kind, uid)) {
      enqueue(kind.name, keyOf(cached), { priority: "low" });
      wakeRoleUsers(sources, kind, cached, enqueue, { delayMs: correctionMs });
    }
  wakeDeniedBy(sources, changed, enqueue, { priority: "low" });
  if (scope !== undefined) wakeMissing(sources, session, kind, scope, recording, enqueue);
  // The list may show what they wait for: a name that was released, a resource that now exists.
  wakeWaiting(sources, session, kind, enqueue);
}

/**
 * The objects whose Tenant, or what it permits, may have changed, and those that refer to them: a reference is within one
 * Tenant, or granted by another. Whatever they waited for, they may do now; and what they may not have any longer, those in
 * Conflict with them may.
 */
function onTenancyChanged(sources: Sources, { namespaces, tenants }: TenancyChange, enqueue: Enqueue): void {
  const { kinds, stores, breakers, tenancy } = sources;
  const concerned: (readonly [kind: string, cached: CachedResource])[] = [];
  const holds = breakers.holdsAny;
  for (const kind of kinds) {
    const store = stores.get(kind.name);
    for (const namespace of namespaces)
      for (const cached of store.index("namespace", namespace)) {
        concerned.push([kind.name, cached]);
        const governance = holds ? tenancy.governanceOf(cached.resource) : undefined;
        if (governance?.by === "tenant")
          for (const uid of claimedUids(cached)) breakers.move(kind.name, uid, governance.context.name);
        for (const one of referrersOf(sources, kind, cached))
          if (!namespaces.has(one[1].metadata.namespace ?? "")) concerned.push(one);
      }
    if (tenants.size === 0) continue;
    for (const cached of store.values()) {
      const { metadata, status } = cached.resource;
      const isNamed = status?.tenant !== undefined && tenants.has(status.tenant);
      const ends = metadata.deletionTimestamp !== undefined || readyReason(cached.resource) === "Expired";
      if (isNamed && ends && !namespaces.has(metadata.namespace ?? "")) concerned.push([kind.name, cached]);
    }
  }
  for (const [kind, cached] of concerned) {
    const key = keyOf(cached);
    sources.states.get(kind).clearFailure(key);
    enqueue(kind, key, { priority: "low" });
  }
  wakeConflictsWith(sources, concerned, enqueue);
}

/** The objects in Conflict with any of `others`, each of which is given with its kind. */
function wakeConflictsWith(
  sources: Sources,
  others: readonly (readonly [kind: string, cached: CachedResource])[],
  enqueue: Enqueue,
): void {
  for (const kind of sources.kinds) {
    const ofKind = others.flatMap(([name, cached]) => (name === kind.name ? [cached] : []));
    if (ofKind.length > 0) wakeConflicts(sources, kind, ofKind, enqueue);
  }
}

/** The uids that objects record in their status, by their Tenants, except objects that are being deleted. */
function managedUids(sources: Sources, recording: readonly CachedResource[]): ReadonlyMap<string, readonly string[]> {
  const byTenant = new Map<string, string[]>();
  for (const { resource } of recording) {
    const { status, metadata } = resource;
    if (metadata.deletionTimestamp !== undefined) continue;
    const governance = sources.tenancy.governanceOf(resource);
    if (status?.uid === undefined || governance.by !== "tenant") continue;
    const uids = byTenant.get(governance.context.name);
    if (uids === undefined) byTenant.set(governance.context.name, [status.uid]);
    else uids.push(status.uid);
  }
  return byTenant;
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

/**
 * Whether an object may have ceased to keep those from being deleted that it refers to: it is gone, manages another resource or
 * none, or has reported for the first time, before which it may have created something.
 */
function mattersToReferents(before: CachedResource | undefined, after: CachedResource | undefined): boolean {
  const hasReported =
    after?.resource.status?.conditions !== undefined && before?.resource.status?.conditions === undefined;
  return after === undefined || recordedUid(before) !== recordedUid(after) || hasReported;
}

/**
 * An object that waits for the deletion of others is looked at again at most this often while some of them remain: only the
 * last one lets it continue, and a group may have thousands.
 */
const remainingReferrersMs = 250;

/** The objects that wait to be deleted because of `referrer`. */
function wakeReferents({ stores, states }: Sources, kind: Kind, referrer: CachedResource, enqueue: Enqueue): void {
  const named = referencedKeys(kind, referrer).map((reference) => reference.split(" ") as [string, string]);
  const byUid = referencedUids(kind, referrer).flatMap((one) =>
    objectsWithUid(stores.get(one.kind), one.uid).map((cached): [string, string] => [one.kind, keyOf(cached)]),
  );
  for (const [name, key] of [...named, ...byUid]) {
    const referent = stores.get(name).get(key);
    if (referent?.metadata.deletionTimestamp === undefined) continue;
    states.get(name).clearFailure(key);
    const uid = referent.resource.status?.uid;
    const remain = [...stores.values()].some(
      (store) =>
        store.isIndexed("refersTo", `${name} ${key}`) ||
        (uid !== undefined && store.isIndexed("refersToUid", uidKey(name, uid))),
    );
    enqueue(name, key, remain ? { delayMs: remainingReferrersMs } : {});
  }
}

/** The other objects that claim a uid which this object now claims, or no longer claims, and that come after it. */
function wakeClaimants(
  { stores, breakers }: Sources,
  kind: Kind,
  before: CachedResource | undefined,
  after: CachedResource | undefined,
  enqueue: Enqueue,
): void {
  const [previous, current] = [claimsOf(before), claimsOf(after)];
  const released = previous.filter((uid) => !current.includes(uid));
  const added = current.filter((uid) => !previous.includes(uid));
  for (const uid of released) breakers.release(kind.name, uid);
  const changed = [before, after].filter((one) => one !== undefined);
  for (const uid of [...released, ...added])
    for (const other of stores.get(kind.name).index("claims", uid))
      if (other !== after && changed.some((one) => comesFirst(one, other))) enqueue(kind.name, keyOf(other), {});
}

function claimsOf(cached: CachedResource | undefined): readonly string[] {
  return cached === undefined ? [] : claimedUids(cached);
}

/** The objects of an external resource: those that claim its uid, and the one whose marker it carries. */
function objectsOf({ stores }: Sources, session: PlatformSession, kind: Kind, uid: string): readonly CachedResource[] {
  const external = session.viewOf(kind.collection).stateOf(uid);
  const marker = external.is === "present" ? carriedMarker(external.resource) : undefined;
  const store = stores.get(kind.name);
  const claimants = store.index("claims", uid);
  const marked = marker === undefined ? [] : store.index("object", objectOf(marker));
  return [...claimants, ...marked.filter((cached) => !claimants.includes(cached))];
}
