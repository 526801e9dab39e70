import { readyCondition } from "#src/api/condition.ts";
import { finalizer, type Resource } from "#src/api/custom-resource.ts";
import type { Kind } from "#src/kinds/kind.ts";
import { carriedMarker, markerOf, ownerOf } from "#src/kinds/marker.ts";
import type { PerKind } from "#src/kinds/per-kind.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";
import type { CollectionView } from "#src/platform-client/collection-view.ts";
import { parentOf } from "#src/platform-client/uid.ts";
import { keyOf } from "#src/kube/object.ts";
import { permitsParent, permitsRole } from "#src/reconcile/tenancy/boundary.ts";
import type { Governance, TenantContext } from "#src/reconcile/tenancy/tenancy.ts";
import { type CachedResource, referenceKey, type ResourceStore } from "./cached-resource.ts";
import { isActive, isRecorded, otherClaimantOf, rivalOf } from "./claims.ts";
import type {
  Claim,
  Dependent,
  Grants,
  NameConflict,
  Observed,
  ObservedTenant,
  Protection,
  ReconcileState,
  References,
} from "./observed.ts";
import type { ReconcileStates } from "./reconcile-states.ts";
import { resolveReferences } from "./references.ts";
import type { Sources } from "./sources.ts";

/**
 * Observes one object: gathers what a decision about it needs, from caches only.
 * @returns undefined if the object does not exist (any longer), or is not served here.
 */
export function observe(sources: Sources, kind: Kind, key: string): Observed | undefined {
  const { stores, states, tenancy, clock } = sources;
  const cached = stores.get(kind.name).get(key);
  if (cached === undefined) return undefined;
  const { resource, invalid } = cached;
  const now = clock.monotonic();
  const state = states.get(kind.name).get(key, cached, now);
  const governance = tenancy.governanceOf(underPoster(resource, state));
  if (governance.by === "unserved") return undefined;
  const markers = markersOf(sources.owners, cached);
  const request =
    state.request !== undefined && state.request.value !== resource.status?.lastHandledReconcileAt
      ? state.request
      : null;
  const platform =
    governance.by === "tenant"
      ? observePlatform(sources, governance.context, kind, cached, markers, state)
      : unobservedPlatform(sources, kind, cached, markers);
  return {
    resource,
    invalid: invalid ?? null,
    tenant: tenantOf(governance, kind, platform.references),
    markers,
    endpoints: sources.endpoints,
    publicIssuers: sources.publicIssuers,
    request,
    ...platform,
    undeclared: sources.undeclared.observe(cached, governance, resource.status?.uid ?? platform.matches[0]?.uid),
    dependents: resource.metadata.deletionTimestamp === undefined ? [] : dependentsOf(sources, resource),
    unreadDependents: resource.metadata.deletionTimestamp === undefined ? [] : unreadDependentsOf(sources, kind),
    lastDeletionAt: lastDeletionAt(states),
    crd: sources.crds.lastRead(kind) ?? null,
    state,
    settleMs: sources.settleMs,
    now,
    wallClock: clock.now(),
  };
}

/**
 * An object that is deleted before the uid of what this process created for it was recorded: the Tenant of the POST completes
 * the deletion, as if the status named it. The Tenant that selects the namespace by now may see nothing of it.
 */
export function underPoster(resource: Resource, { posted }: ReconcileState): Resource {
  const { status, metadata } = resource;
  if (metadata.deletionTimestamp === undefined || status?.uid !== undefined || posted?.tenant === undefined)
    return resource;
  return { ...resource, status: { observedGeneration: -1, ...status, tenant: posted.tenant } };
}

/** The part of an observation that depends on a session of the platform. */
type PlatformObservation = Pick<
  Observed,
  | "references"
  | "claim"
  | "matches"
  | "nameConflicts"
  | "rival"
  | "children"
  | "snapshot"
  | "parentIsFresh"
  | "rootSnapshots"
  | "postUnknownSince"
  | "createdHere"
  | "protections"
  | "grants"
  | "settledAt"
  | "credentialEpoch"
  | "recoveries"
>;

function observePlatform(
  sources: Sources,
  context: TenantContext,
  kind: Kind,
  cached: CachedResource,
  markers: Observed["markers"],
  state: ReconcileState,
): PlatformObservation {
  const { resource, invalid } = cached;
  const store = sources.stores.get(kind.name);
  const { session } = context;
  const view = session.viewOf(kind.collection);
  const references =
    invalid === undefined ? referencesOf(sources, context, kind, resource, markers[0]) : invalidReferences;
  const resolved = references.are === "resolved" ? references : undefined;
  const parent = resolved?.uids.parent;

  const claimed = claimedUid(resource);
  const claim =
    claimed === undefined ? null : claimOf(sources, kind, cached, claimed, view.stateOf(claimed), context.name);
  const keys = kind.hasMarker ? markers : naturalKeysOf(kind, resource, resolved, state);
  const matches = keys
    .flatMap((one) => view.withKey(one))
    .filter(
      ({ uid }) =>
        (!kind.hasMarker || parent === undefined || kind.collection.uids.parentOf(uid) === parent) &&
        !isClaimedByOther(store, uid, cached),
    );
  const hasWanted = (other: CachedResource) => hasWhatItWants(view, kind, other);
  const settled = resolved === undefined || hasWanted(cached);
  const name = kind.hasMarker ? kind.nameOf(resource) : undefined;
  const nameConflicts: readonly NameConflict[] =
    settled || parent === undefined || name === undefined
      ? []
      : view
          .named(parent, name)
          .filter((external) => external.uid !== claimed && !matches.includes(external))
          .map((external) => ({ external, claimedBy: claimantOf(sources, kind, external.uid, cached) }));
  const rival =
    settled || resource.spec.policy.management !== "Full"
      ? null
      : rivalOf(
          kind,
          cached,
          resolved.uids,
          { storeOf: (one) => sources.stores.get(one), roles: session.roles },
          { mayWant: (other) => mayWant(sources, kind, other), has: hasWanted },
        );
  const present = claim?.external.is === "present" ? [claim.external.resource] : [];
  const found = [...present, ...matches, ...nameConflicts.map(({ external }) => external)];
  const key = kind.hasMarker ? markers[0] : (resolved?.naturalKey ?? state.posted?.naturalKey);
  return {
    references,
    claim,
    matches,
    nameConflicts,
    rival,
    children: claimed !== undefined && isDeletionRefused(state) ? childrenOf(sources, context, claimed) : [],
    snapshot: (parent === undefined ? undefined : view.snapshotOf(parent)) ?? null,
    parentIsFresh: parent !== undefined && session.createdRecently(parent),
    rootSnapshots: session.roots.map((group) => ({ group, snapshot: view.snapshotOf(group) ?? null })),
    postUnknownSince: (key === undefined ? undefined : session.postUnknownSince(kind.collection, key)) ?? null,
    createdHere: key === undefined ? [] : session.posts.createdBy(key),
    protections: protectionsOf(sources, context, kind, claimed, found),
    grants: grantsOf(context, kind, found),
    settledAt: context.settledAt,
    credentialEpoch: context.credentialEpoch(),
    recoveries: session.recoveries,
  };
}

/** Without a Tenant there is no session for the object, and nothing is known but what carries its marker. */
function unobservedPlatform(
  sources: Sources,
  kind: Kind,
  cached: CachedResource,
  markers: Observed["markers"],
): PlatformObservation {
  const claimed = claimedUid(cached.resource);
  const views = Array.from(sources.tenancy.sessions, (session) => session.viewOf(kind.collection));
  return {
    references: ungoverned,
    claim: claimed === undefined ? null : claimOf(sources, kind, cached, claimed, { is: "unknown" }, null),
    matches: kind.hasMarker ? views.flatMap((view) => markers.flatMap((marker) => view.withKey(marker))) : [],
    nameConflicts: [],
    rival: null,
    children: [],
    snapshot: null,
    parentIsFresh: false,
    rootSnapshots: [],
    postUnknownSince: null,
    createdHere: [],
    protections: [],
    grants: [],
    settledAt: sources.soleLeaderSince,
    credentialEpoch: 0,
    recoveries: 0,
  };
}

/** Whether the platform refused the deletion because of the state of a resource, such as that a group is not empty. */
function isDeletionRefused({ failure }: ReconcileState): boolean {
  return (
    failure?.step === "delete" &&
    failure.problem.kind === "rejected" &&
    failure.problem.error.code === "FAILED_PRECONDITION"
  );
}

/** The most children that a message names. */
const maxChildren = 6;

function childrenOf({ kinds }: Sources, { session }: TenantContext, group: string): string[] {
  return kinds
    .flatMap(({ noun, collection }) =>
      session
        .viewOf(collection)
        .childrenOf(group)
        .slice(0, maxChildren)
        .map((external) => {
          const name = collection.nameOf(external);
          return name === undefined ? `${noun} ${external.uid}` : `${noun} "${name}" ${external.uid}`;
        }),
    )
    .slice(0, maxChildren);
}

function claimOf(
  sources: Sources,
  kind: Kind,
  cached: CachedResource,
  uid: string,
  external: Claim["external"],
  tenant: string | null,
): Claim {
  // Any number of objects may observe a resource.
  const manages = cached.resource.spec.policy.management === "Full" || isRecorded(cached.resource, uid);
  return {
    uid,
    external,
    claimedBy: manages ? claimantOf(sources, kind, uid, cached) : null,
    heldByBreaker: tenant !== null && sources.breakers.holds(tenant, kind.name, uid),
  };
}

function claimantOf(sources: Sources, kind: Kind, uid: string, cached: CachedResource): string | null {
  return otherClaimantOf(sources.stores.get(kind.name), uid, cached, (other) => mayWant(sources, kind, other, uid));
}

/** The natural keys of a kind without markers: of what the spec describes, of what the status records, of the last POST. */
function naturalKeysOf(
  kind: Kind,
  { status }: Resource,
  resolved: Extract<References, { are: "resolved" }> | undefined,
  { posted }: ReconcileState,
): readonly string[] {
  const { parentUid, identityUid, roleUid } = status ?? {};
  const recorded =
    parentUid === undefined || identityUid === undefined || roleUid === undefined
      ? undefined
      : kind.naturalKey({ parent: parentUid, identity: identityUid, role: roleUid }, "");
  return [...new Set([resolved?.naturalKey, recorded, posted?.naturalKey].filter((key) => key !== undefined))];
}

/** Whether the status of another object records the uid. */
function isClaimedByOther(store: ResourceStore, uid: string, self: CachedResource): boolean {
  return store.index("claims", uid).some((other) => other !== self && isRecorded(other.resource, uid));
}

/**
 * Whether a Tenant permits what the object declares, as far as its references show that. An object that could never have
 * what it wants must not keep others from it: its author may be anybody who may create objects somewhere.
 * @param uid the existing resource that the object wants; undefined if it wants to create one, or to find it.
 */
function mayWant(sources: Sources, kind: Kind, cached: CachedResource, uid?: string): boolean {
  if (!isActive(cached, sources.clock.now())) return false;
  const governance = sources.tenancy.governanceOf(cached.resource);
  if (governance.by !== "tenant") return false;
  if (governance.serves === "deletions" && cached.metadata.deletionTimestamp === undefined) return false;
  const marker = markerOf(sources.owners[0], cached.objectHash);
  const references = referencesOf(sources, governance.context, kind, cached.resource, marker);
  if (references.are === "denied" || references.are === "invalid") return false;
  if (references.are === "waiting" && references.reason === "ReferenceNotGranted") return false;
  return uid === undefined || mayAdopt(governance, kind, references, uid);
}

/** Whether the object may adopt the resource with this uid, as far as its references show that. */
function mayAdopt(
  governance: Exclude<Governance, { by: "unserved" }>,
  kind: Kind,
  references: References,
  uid: string,
): boolean {
  const tenant = tenantOf(governance, kind, references);
  if (tenant.is !== "known" || !tenant.mayAdopt) return false;
  const group = kind.collection.uids.parentOf(uid);
  return (
    tenant.groups.some((one) => kind.collection.uids.isBelow(uid, one)) &&
    (references.are !== "resolved" || references.uids.parent === group)
  );
}

/** Whether the recorded resource of an object has the name that it wants, or equals its spec as that was last applied. */
function hasWhatItWants(view: CollectionView<ExternalResource>, kind: Kind, { resource }: CachedResource): boolean {
  const { status, metadata } = resource;
  if (status?.uid === undefined || !isRecorded(resource, status.uid)) return false;
  const external = view.stateOf(status.uid);
  if (external.is === "gone") return false;
  if (kind.hasMarker && external.is === "present")
    return kind.collection.nameOf(external.resource) === kind.nameOf(resource);
  return !kind.hasMarker || readyCondition(resource)?.observedGeneration === metadata.generation;
}

function tenantOf(
  governance: Exclude<Governance, { by: "unserved" }>,
  { name: kind }: Kind,
  references: References,
): ObservedTenant {
  switch (governance.by) {
    case "none":
      return { is: "none" };
    case "several":
      return { is: "several", names: governance.tenants };
    case "tenant": {
      const { name, boundary } = governance.context;
      // In a group that another Tenant granted, an object may create resources, but not take over those of others.
      const parent = references.are === "resolved" ? references.uids.parent : undefined;
      const granted = references.are === "resolved" ? references.granted.filter((uid) => uid === parent) : [];
      return {
        is: "known",
        name,
        serves: governance.serves,
        groups: [...boundary.groups, ...granted],
        mayAdopt: boundary.adopt.includes(kind) && granted.length === 0,
        mayOrphan: boundary.allowOrphan,
      };
    }
  }
}

/** What is being deleted claims only what it manages. */
function claimedUid({ spec, status, metadata }: Resource): string | undefined {
  return metadata.deletionTimestamp === undefined ? (spec.uid ?? status?.uid) : status?.uid;
}

const ungoverned: References = {
  are: "waiting",
  reason: "ReferenceNotReady",
  message: "References are resolved once exactly one Tenant selects the namespace.",
};

const invalidReferences: References = {
  are: "waiting",
  reason: "ReferenceNotFound",
  message: "The spec is invalid, so its references cannot be resolved. Correct the spec.",
};

/** What the references of an object that matches its schema resolve to. */
export function referencesOf(
  {
    kinds,
    stores,
    serviceAccountIssuer,
    publicIssuers,
    tenancy,
  }: Pick<Sources, "kinds" | "stores" | "serviceAccountIssuer" | "publicIssuers" | "tenancy">,
  { name, session, boundary }: TenantContext,
  kind: Kind,
  resource: Resource,
  marker: string,
): References {
  return resolveReferences(kind, resource, {
    kinds,
    find: (kindName, key) => stores.get(kindName).get(key)?.resource,
    isRead: (kindName) => stores.get(kindName).synced,
    tenant: name,
    // As for an object there that was never governed.
    governanceOf: (namespace) =>
      tenancy.governanceOf({
        apiVersion: resource.apiVersion,
        kind: resource.kind,
        metadata: { name: resource.metadata.name, namespace },
        spec: resource.spec,
      }),
    roles: session.roles,
    boundary,
    credentialIdentities: tenancy.credentialIdentities,
    serviceAccountIssuer,
    publicIssuers,
    marker,
  });
}

/** The markers of an object: first that of the current owner id, then those of the previous owner ids. */
export function markersOf(
  [owner, ...previous]: Sources["owners"],
  { objectHash }: CachedResource,
): readonly [string, ...string[]] {
  return [markerOf(owner, objectHash), ...previous.map((one) => markerOf(one, objectHash))];
}

/** Those of the resources that are found which Muster never writes. Each is judged by what it is now. */
function protectionsOf(
  sources: Sources,
  context: TenantContext,
  kind: Kind,
  claimed: string | undefined,
  found: readonly ExternalResource[],
): readonly Protection[] {
  const protections: Protection[] = [];
  if (claimed !== undefined && isRootOrOwn(context, claimed)) protections.push({ uid: claimed, because: "root" });
  for (const external of found) {
    const because = protectionOf(sources, context, kind, external);
    if (because !== undefined) protections.push({ uid: external.uid, because });
  }
  return protections;
}

function isRootOrOwn({ session }: TenantContext, uid: string): boolean {
  return parentOf(uid) === undefined || session.roots.includes(uid);
}

function protectionOf(
  { tenancy, owners, kinds }: Sources,
  context: TenantContext,
  kind: Kind,
  external: ExternalResource,
): Protection["because"] | undefined {
  const { session, boundary } = context;
  const { uid } = external;
  if (isRootOrOwn(context, uid)) return "root";
  const identity = kind.identityOf(external);
  if (session.permissions?.ownBindings.has(uid) === true) return "credential";
  if (identity === undefined) return undefined;
  if (tenancy.credentialIdentities.has(identity)) return "credential";
  if (boundary.breakGlass.includes(identity)) return "breakGlass";
  if (identity === uid) return undefined;
  for (const one of kinds) {
    const state = session.viewOf(one.collection).stateOf(identity);
    const marker =
      state.is === "present" && one.identityOf(state.resource) === identity ? carriedMarker(state.resource) : undefined;
    if (marker !== undefined && !owners.includes(ownerOf(marker))) return "otherOwner";
  }
  return undefined;
}

/** What was read of the role bindings of those of the resources that are identities. */
function grantsOf(
  { session, boundary }: TenantContext,
  kind: Kind,
  found: readonly ExternalResource[],
): readonly Grants[] {
  return found.flatMap((external) => {
    const grants = kind.identityOf(external) === external.uid ? session.grantsOf(external.uid) : undefined;
    if (grants === undefined) return [];
    const denied = grants.bindings.filter(({ uid, role }) => {
      const builtIn = parentOf(role.uid) === undefined ? session.roles?.byUid.get(role.uid) : undefined;
      return !permitsParent(boundary, parentOf(uid) ?? "") || !permitsRole(boundary, role.uid, builtIn);
    });
    return [{ identity: external.uid, readAt: grants.readAt, denied: denied.map(({ uid }) => uid) }];
  });
}

function lastDeletionAt(states: PerKind<ReconcileStates>): number | null {
  let last: number | null = null;
  for (const { lastDeletionAt: at } of states.values()) if (at !== null && (last === null || at > last)) last = at;
  return last;
}

/** The kinds whose objects may refer to those of `kind`, but which have not been read. */
function unreadDependentsOf({ kinds, stores }: Sources, kind: Kind): string[] {
  return kinds.flatMap(({ name, refersTo }) =>
    refersTo.includes(kind.name) && !stores.get(name).synced ? [name] : [],
  );
}

/** The objects that refer to this one and have an external resource, or may come to have one. */
function dependentsOf(sources: Sources, { kind, metadata }: Resource): Dependent[] {
  const reference = referenceKey(kind, metadata.namespace ?? "", metadata.name);
  return [...sources.stores.entries()].flatMap(([kindName, store]) =>
    store.index("refersTo", reference).flatMap((cached) => {
      const { status } = cached.resource;
      const recorded = status?.uid !== undefined && status.management !== "Observed";
      const unsettled = !recorded && mayHaveCreated(sources, kindName, cached);
      return recorded || unsettled
        ? [{ kind: kindName, key: keyOf(cached), unsettled, deleting: cached.metadata.deletionTimestamp !== undefined }]
        : [];
    }),
  );
}

/**
 * Whether an object without a recorded uid may have created something: this process sent a POST for it, or an earlier one
 * may have, and died before it could report anything.
 */
function mayHaveCreated({ states, clock }: Sources, kind: string, cached: CachedResource): boolean {
  const { posted, bornHere } = states.get(kind).get(keyOf(cached), cached, clock.monotonic());
  if (posted !== undefined) return true;
  const { finalizers = [], deletionTimestamp } = cached.metadata;
  return (
    !bornHere &&
    finalizers.includes(finalizer) &&
    (deletionTimestamp !== undefined || cached.resource.status?.conditions === undefined)
  );
}
