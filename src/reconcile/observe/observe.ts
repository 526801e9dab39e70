import type { Resource } from "#src/api/custom-resource.ts";
import type { Kind } from "#src/kinds/kind.ts";
import { markerOf } from "#src/kinds/marker.ts";
import type { PerKind } from "#src/kinds/per-kind.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";
import { keyOf } from "#src/kube/object.ts";
import type { Governance, TenantContext } from "#src/reconcile/tenancy/tenancy.ts";
import { type CachedResource, referenceKey } from "./cached-resource.ts";
import { olderClaimant, otherClaimant } from "./claims.ts";
import type { Claim, Dependent, NameConflict, Observed, ObservedTenant, References } from "./observed.ts";
import type { ReconcileStates } from "./reconcile-states.ts";
import { resolveReferences } from "./references.ts";
import type { Sources, Stores } from "./sources.ts";

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
  const governance = tenancy.governanceOf(resource);
  if (governance.by === "unserved") return undefined;
  const markers = markersOf(sources.owners, cached);
  const request =
    state.request !== undefined && state.request.value !== resource.status?.lastHandledReconcileAt
      ? state.request
      : null;
  const platform =
    governance.by === "tenant"
      ? observePlatform(sources, governance.context, kind, key, cached, markers)
      : unobservedPlatform(sources, cached, now);
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
    dependents: resource.metadata.deletionTimestamp === undefined ? [] : dependentsOf(stores, resource),
    unreadDependents: resource.metadata.deletionTimestamp === undefined ? [] : unreadDependentsOf(sources, kind),
    lastDeletionAt: lastDeletionAt(states),
    crd: sources.crds.lastRead(kind) ?? null,
    state,
    settleMs: sources.settleMs,
    now,
    wallClock: clock.now(),
  };
}

/** The part of an observation that depends on a session of the platform. */
type PlatformObservation = Pick<
  Observed,
  | "references"
  | "claim"
  | "matches"
  | "nameConflicts"
  | "snapshot"
  | "parentIsFresh"
  | "rootSnapshots"
  | "postUnknownSince"
  | "postedHere"
  | "doublePosted"
  | "protectedUids"
  | "settledAt"
  | "credentialEpoch"
  | "recoveries"
>;

function observePlatform(
  sources: Sources,
  context: TenantContext,
  kind: Kind,
  key: string,
  { resource, invalid }: CachedResource,
  markers: Observed["markers"],
): PlatformObservation {
  const store = sources.stores.get(kind.name);
  const { session } = context;
  const view = session.viewOf(kind.collection);
  const references =
    invalid === undefined ? referencesOf(sources, context, kind, resource, markers[0]) : invalidReferences;
  const resolved = references.are === "resolved" ? references : undefined;
  const parent = resolved?.uids.parent;
  const naturalKey = kind.hasMarker ? markers[0] : resolved?.naturalKey;

  const claimed = claimedUid(resource);
  const claim: Claim | null =
    claimed === undefined
      ? null
      : {
          uid: claimed,
          external: view.stateOf(claimed),
          olderClaimant: olderClaimant(store, claimed, key),
          heldByBreaker: sources.breakers.holds(context.name, kind.name, claimed),
        };
  const keys = kind.hasMarker ? markers : naturalKey === undefined ? [] : [naturalKey];
  const matches = keys.flatMap((one) => view.withKey(one)).filter(({ uid }) => otherClaimant(store, uid, key) === null);
  const name = resolved?.desired["name"];
  const isUnclaimed = claim === null || claim.external.is === "gone";
  const nameConflicts: readonly NameConflict[] =
    isUnclaimed && parent !== undefined && typeof name === "string"
      ? view
          .named(parent, name)
          .filter((external) => !matches.includes(external))
          .map((external) => ({ external, claimedBy: otherClaimant(store, external.uid, key) }))
      : [];
  return {
    references,
    claim,
    matches,
    nameConflicts,
    snapshot: (parent === undefined ? undefined : view.snapshotOf(parent)) ?? null,
    parentIsFresh: parent !== undefined && session.createdRecently(parent),
    rootSnapshots: session.roots.map((group) => ({ group, snapshot: view.snapshotOf(group) ?? null })),
    postUnknownSince: (naturalKey === undefined ? undefined : session.posts.unknownSince(naturalKey)) ?? null,
    postedHere: naturalKey !== undefined && session.posts.mayHaveCreated(naturalKey),
    doublePosted: naturalKey !== undefined && session.posts.mayHaveCreatedTwice(naturalKey),
    protectedUids: protectedUids(sources, context, claimed, matches, nameConflicts),
    settledAt: context.settledAt,
    credentialEpoch: context.credentialEpoch(),
    recoveries: session.recoveries,
  };
}

/** Without a Tenant there is no session, so nothing on the platform is known. */
function unobservedPlatform({ stores }: Sources, { resource }: CachedResource, now: number): PlatformObservation {
  const claimed = claimedUid(resource);
  const claim: Claim | null =
    claimed === undefined
      ? null
      : {
          uid: claimed,
          external: { is: "unknown" },
          olderClaimant: olderClaimant(stores.get(resource.kind), claimed, keyOf(resource)),
          heldByBreaker: false,
        };
  return {
    references: ungoverned,
    claim,
    matches: [],
    nameConflicts: [],
    snapshot: null,
    parentIsFresh: false,
    rootSnapshots: [],
    postUnknownSince: null,
    postedHere: false,
    doublePosted: false,
    protectedUids: [],
    settledAt: now,
    credentialEpoch: 0,
    recoveries: 0,
  };
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

function claimedUid({ spec, status }: Resource): string | undefined {
  return spec.uid ?? status?.uid;
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

/** Those of the uids in the observation that Muster never manages. */
function protectedUids(
  { tenancy }: Sources,
  { session }: TenantContext,
  claimed: string | undefined,
  matches: readonly ExternalResource[],
  nameConflicts: readonly NameConflict[],
): readonly string[] {
  const found: string[] = [];
  const add = (uid: string) => {
    if (
      session.roots.includes(uid) ||
      tenancy.credentialIdentities.has(uid) ||
      session.permissions?.ownBindings.has(uid) === true
    )
      found.push(uid);
  };
  if (claimed !== undefined) add(claimed);
  for (const { uid } of matches) add(uid);
  for (const { external } of nameConflicts) add(external.uid);
  return found;
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

/** The objects that refer to this one and have an external resource. */
function dependentsOf(stores: Stores, { kind, metadata }: Resource): Dependent[] {
  const reference = referenceKey(kind, metadata.namespace ?? "", metadata.name);
  return [...stores.entries()].flatMap(([kindName, store]) =>
    store
      .index("refersTo", reference)
      .filter(({ resource }) => resource.status?.uid !== undefined)
      .map(({ metadata: { name, deletionTimestamp } }) => ({
        name: `${kindName} ${name}`,
        deleting: deletionTimestamp !== undefined,
      })),
  );
}
