import type { Resource } from "#src/api/custom-resource.ts";
import type { Kind } from "#src/kinds/kind.ts";
import { markerOf } from "#src/kinds/marker.ts";
import type { PerKind } from "#src/kinds/per-kind.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";
import type { TenantContext } from "#src/reconcile/tenancy/tenancy.ts";
import { type CachedResource, referenceKey } from "./cached-resource.ts";
import { olderClaimant, otherClaimant } from "./claims.ts";
import type { Claim, Dependent, NameConflict, Observed, References } from "./observed.ts";
import type { ReconcileStates } from "./reconcile-states.ts";
import { resolveReferences } from "./references.ts";
import type { Sources, Stores } from "./sources.ts";

/**
 * Observes one object: gathers what a decision about it needs, from caches only.
 * @returns undefined if the object does not exist (any longer).
 */
export function observe(sources: Sources, kind: Kind, key: string): Observed | undefined {
  const { stores, states, tenancy, clock } = sources;
  const store = stores.get(kind.name);
  const cached = store.get(key);
  if (cached === undefined) return undefined;
  const { resource, invalid } = cached;
  const now = clock.monotonic();
  const state = states.get(kind.name).get(key, cached, now);
  const context = tenancy.contextOf(resource.metadata.namespace ?? "");
  const { session, boundary } = context;
  const view = session.viewOf(kind.collection);

  const markers = markersOf(sources.owners, cached);
  const references =
    invalid === undefined ? referencesOf(sources, context, kind, resource, markers[0]) : invalidReferences;
  const resolved = references.are === "resolved" ? references : undefined;
  const parent = resolved?.uids.parent;
  const naturalKey = kind.hasMarker ? markers[0] : resolved?.naturalKey;

  const claimed = resource.spec.uid ?? resource.status?.uid;
  const claim: Claim | null =
    claimed === undefined
      ? null
      : {
          uid: claimed,
          external: view.stateOf(claimed),
          olderClaimant: olderClaimant(store, claimed, key),
          heldByBreaker: sources.breaker.holds(claimed),
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
    resource,
    invalid: invalid ?? null,
    references,
    markers,
    claim,
    request:
      state.request !== undefined && state.request.value !== resource.status?.lastHandledReconcileAt
        ? state.request
        : null,
    matches,
    nameConflicts,
    snapshot: (parent === undefined ? undefined : view.snapshotOf(parent)) ?? null,
    parentIsFresh: parent !== undefined && session.createdRecently(parent),
    rootSnapshots: boundary.roots.map((group) => ({ group, snapshot: view.snapshotOf(group) ?? null })),
    postUnknownSince: (naturalKey === undefined ? undefined : session.posts.unknownSince(naturalKey)) ?? null,
    postedHere: naturalKey !== undefined && session.posts.mayHaveCreated(naturalKey),
    doublePosted: naturalKey !== undefined && session.posts.mayHaveCreatedTwice(naturalKey),
    protectedUids: protectedUids(context, claimed, matches, nameConflicts),
    dependents: resource.metadata.deletionTimestamp === undefined ? [] : dependentsOf(stores, resource),
    lastDeletionAt: lastDeletionAt(states),
    crd: sources.crds.lastRead(kind) ?? null,
    state,
    settledAt: sources.settledAt,
    settleMs: sources.settleMs,
    credentialEpoch: context.credentialEpoch(),
    recoveries: session.recoveries,
    now,
    wallClock: clock.now(),
  };
}

const invalidReferences: References = {
  are: "waiting",
  reason: "ReferenceNotFound",
  message: "The spec is invalid, so its references cannot be resolved. Correct the spec.",
};

function referencesOf(
  { stores, serviceAccountIssuer }: Sources,
  { session, boundary, identity }: TenantContext,
  kind: Kind,
  resource: Resource,
  marker: string,
): References {
  return resolveReferences(kind, resource, {
    find: (kindName, key) => stores.get(kindName).get(key)?.resource,
    roles: session.roles,
    boundary,
    operatorIdentity: identity,
    serviceAccountIssuer,
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
  { session, boundary, identity }: TenantContext,
  claimed: string | undefined,
  matches: readonly ExternalResource[],
  nameConflicts: readonly NameConflict[],
): readonly string[] {
  const found: string[] = [];
  const add = (uid: string) => {
    if (boundary.roots.includes(uid) || uid === identity || session.permissions?.ownBindings.has(uid) === true)
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
