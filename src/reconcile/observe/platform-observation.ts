import { isDeepStrictEqual } from "node:util";
import { readyCondition } from "#src/api/condition.ts";
import type { Resource } from "#src/api/custom-resource.ts";
import type { Kind } from "#src/kinds/kind.ts";
import { mayHaveManaged } from "#src/kinds/may-have-managed.ts";
import { secretLocationOf } from "#src/kinds/secret-location.ts";
import { takenName, wantedName } from "#src/kinds/unique-name.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";
import type { CollectionView } from "#src/platform-client/collection-view.ts";
import { overwriteKey } from "#src/platform-client/post-ledger.ts";
import type { TenantContext } from "#src/reconcile/tenancy/tenancy.ts";
import type { MonotonicTime } from "#src/time/clock.ts";
import { type CachedResource, isInConflict } from "./cached-resource.ts";
import { hasManager, isRecorded, otherClaimantOf, rivalOf } from "./claims.ts";
import { childrenOf } from "./children.ts";
import { claimedState } from "./claimed-state.ts";
import { extensionsFor } from "./foreign-parent.ts";
import { roleToRead } from "./declared-roles.ts";
import { grantsOf } from "./grants.ts";
import { mayWant } from "./may-want.ts";
import { nameCircleOf } from "./name-circle.ts";
import type { Claim, NameConflict, Observed, ReadTime, References } from "./observed.ts";
import type { ReconcileState } from "./reconcile-state.ts";
import { peopleOf } from "./vouched-people.ts";
import { protectionsOf } from "./protections.ts";
import { referencesOf } from "./references-of.ts";
import type { Sources } from "./sources.ts";
import { unknownIdentitiesOf } from "./unknown-identities.ts";
import { wantedByOthers } from "./wanted-by-others.ts";

/** The part of an observation that depends on a session of the platform. */
type PlatformObservation = Pick<
  Observed,
  | "references"
  | "claim"
  | "matches"
  | "wantedByOthers"
  | "nameConflicts"
  | "nameCircle"
  | "readTimes"
  | "nameListedAt"
  | "rival"
  | "children"
  | "snapshot"
  | "parentCreatedAt"
  | "rootSnapshots"
  | "postUnknownSince"
  | "createdElsewhereAt"
  | "createdHere"
  | "protections"
  | "unknownIdentities"
  | "roleToRead"
  | "grants"
  | "people"
  | "settledAt"
  | "credentialEpoch"
  | "recoveries"
>;

/** What is known of the platform through the session of the object's Tenant. */
export function observePlatform(
  sources: Sources,
  context: TenantContext,
  kind: Kind,
  cached: CachedResource,
  markers: Observed["markers"],
  state: ReconcileState,
  foreignParent: readonly string[],
): PlatformObservation {
  const { resource, invalid } = cached;
  const { session } = context;
  const view = session.viewOf(kind.collection);
  const references =
    invalid === undefined ? referencesOf(sources, context, kind, resource, markers[0]) : invalidReferences;
  const resolved = references.are === "resolved" ? references : undefined;
  const parent = resolved?.uids.parent;

  const claimed = claimedUid(cached) ?? issuedUid(sources, kind, cached, state);
  const claim = claimed === undefined ? null : claimOf(sources, kind, cached, claimed, view, context.name);
  const keys = kind.identification.by === "marker" ? markers : naturalKeysOf(kind, resource, resolved, state);
  const found =
    kind.identification.by !== "secret"
      ? keys.flatMap((one) => view.withKey(one))
      : lostOnes(view, kind, cached, resolved, state);
  const matches = found.filter(
    (external) =>
      (kind.identification.by !== "marker" ||
        parent === undefined ||
        kind.collection.uids.parentOf(external.uid) === parent) &&
      !hasManager(sources, kind, external, cached),
  );
  const hasWanted = (other: CachedResource) => hasWhatItWants(sources, view, kind, other);
  const settled = resolved === undefined || hasWanted(cached);
  const name = kind.identification.by === "marker" ? wantedName(kind, resource) : undefined;
  const nameConflicts: readonly NameConflict[] =
    settled || parent === undefined || name === undefined
      ? []
      : view
          .named(parent, name)
          .filter(({ uid }) => uid !== claimed || claim?.external.is === "gone")
          .filter((external) => !matches.includes(external))
          .map((external) => ({ external, claimedBy: claimantOf(sources, kind, external, cached) }));
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
  const concerned = [...present, ...matches, ...nameConflicts.map(({ external }) => external)];
  const key = kind.identification.by === "marker" ? markers[0] : (resolved?.naturalKey ?? state.posted?.naturalKey);
  return {
    references,
    claim,
    matches,
    wantedByOthers: wantedByOthers(sources, context, kind, cached, [...present, ...matches], hasWanted),
    nameConflicts,
    nameCircle: nameCircleOf(sources, view, kind, cached, nameConflicts[0]?.external),
    readTimes: readTimesOf(view, [...matches, ...nameConflicts.map(({ external }) => external)]),
    nameListedAt:
      parent === undefined || name === undefined ? null : (session.nameListedAt(kind.collection, parent, name) ?? null),
    rival,
    children: claimed === undefined ? [] : childrenOf(sources, session, claimed, state),
    snapshot: (parent === undefined ? undefined : view.snapshotOf(parent)) ?? null,
    parentCreatedAt: (parent === undefined ? undefined : session.createdAt(parent)) ?? null,
    rootSnapshots: [...session.roots, ...extensionsFor(context, foreignParent)].map((group) => ({
      group,
      snapshot: view.snapshotOf(group) ?? null,
    })),
    postUnknownSince: latestOf([
      key === undefined ? undefined : session.postUnknownSince(kind.collection, key),
      parent === undefined ? undefined : session.posts.unknownSince(overwriteKey(kind.collection, parent)),
    ]),
    createdElsewhereAt: latestOf(keys.map((one) => session.createdElsewhereAt(kind.collection, one, parent))),
    createdHere: key === undefined ? [] : session.posts.createdBy(key),
    protections: protectionsOf(sources, context, kind, claimed, concerned),
    unknownIdentities: unknownIdentitiesOf(sources, session, kind, references, concerned),
    roleToRead: roleToRead(sources, context, kind, resource, references),
    grants: grantsOf(sources, context, kind, resource, concerned),
    people: peopleOf(sources, session, kind, resource, concerned),
    settledAt: context.settledAt,
    credentialEpoch: context.credentialEpoch(),
    recoveries: session.recoveries,
  };
}

/** Without a Tenant there is no session for the object, and nothing is known but what carries its marker. */
export function unobservedPlatform(
  sources: Sources,
  kind: Kind,
  cached: CachedResource,
  markers: Observed["markers"],
): PlatformObservation {
  const claimed = claimedUid(cached);
  const views = Array.from(sources.tenancy.sessions, (session) => session.viewOf(kind.collection));
  return {
    references: ungoverned,
    claim: claimed === undefined ? null : claimOf(sources, kind, cached, claimed, undefined, null),
    matches:
      kind.identification.by === "marker"
        ? views.flatMap((view) => markers.flatMap((marker) => view.withKey(marker)))
        : [],
    wantedByOthers: [],
    nameConflicts: [],
    nameCircle: [],
    readTimes: [],
    nameListedAt: null,
    rival: null,
    children: [],
    snapshot: null,
    parentCreatedAt: null,
    rootSnapshots: [],
    postUnknownSince: null,
    createdElsewhereAt: null,
    createdHere: [],
    protections: [],
    unknownIdentities: [],
    roleToRead: null,
    grants: [],
    people: null,
    settledAt: sources.soleLeaderSince,
    credentialEpoch: 0,
    recoveries: 0,
  };
}

function readTimesOf(
  view: CollectionView<ExternalResource>,
  resources: readonly ExternalResource[],
): readonly ReadTime[] {
  return resources.flatMap(({ uid }) => {
    const known = view.stateOf(uid);
    return known.is === "present" ? [{ uid, at: known.seenAt }] : [];
  });
}

function claimOf(
  sources: Sources,
  kind: Kind,
  cached: CachedResource,
  uid: string,
  view: CollectionView<ExternalResource> | undefined,
  tenant: string | null,
): Claim {
  // Any number of objects may observe a resource.
  const manages = cached.resource.spec.policy.management === "Full" || isRecorded(cached.resource, uid);
  const claimed = manages ? claimedResource(kind, view, uid) : undefined;
  return {
    uid,
    external: view === undefined ? { is: "unknown" } : claimedState(sources.owners, view, cached, uid),
    claimedBy: claimed === undefined ? null : claimantOf(sources, kind, claimed, cached),
    heldByBreaker: tenant !== null && sources.breakers.holds(tenant, kind.name, uid),
  };
}

/**
 * The resource to which `uid` belongs now, as far as its claimants need to know it: only a singleton that was read says which
 * of the objects that record its uid means it.
 */
function claimedResource(
  { collection }: Kind,
  view: CollectionView<ExternalResource> | undefined,
  uid: string,
): ExternalResource | undefined {
  if (!collection.uids.isSingleton) return { uid };
  const state = view?.stateOf(uid);
  return state?.is === "present" ? state.resource : undefined;
}

function claimantOf(sources: Sources, kind: Kind, external: ExternalResource, cached: CachedResource): string | null {
  return otherClaimantOf(sources, kind, external, cached, (other) => mayWant(sources, kind, other, external.uid));
}

/**
 * The uid of what was created with a code before the status recorded it: what this process created, or else what the Secret
 * that the spec names says.
 */
function issuedUid(
  { secrets }: Sources,
  kind: Kind,
  { resource, invalid }: CachedResource,
  { issued }: ReconcileState,
): string | undefined {
  if (kind.identification.by !== "secret" || resource.status?.management !== undefined) return undefined;
  if (issued !== undefined) return issued.uid;
  const at = invalid === undefined ? secretLocationOf(kind, resource) : undefined;
  const read = at && secrets.lastRead(at);
  return read?.is === "found" ? (read.issuedUid ?? undefined) : undefined;
}

/** What may have been created for the object with a code that nobody has: what equals the spec. */
function lostOnes(
  view: CollectionView<ExternalResource>,
  kind: Kind,
  { resource }: CachedResource,
  resolved: Extract<References, { are: "resolved" }> | undefined,
  { bornHere, posted, issued }: ReconcileState,
): readonly ExternalResource[] {
  const mayHaveLost = posted !== undefined || (!bornHere && mayHaveManaged(resource));
  const isNext = resource.status?.management === undefined && issued === undefined;
  const parent = resolved?.uids.parent;
  if (resolved === undefined || parent === undefined || !mayHaveLost || !isNext) return [];
  const { desired } = resolved;
  return view.childrenOf(parent).filter((one) => isDeepStrictEqual(kind.actual(one, desired), desired));
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
      : kind.identification.naturalKey({ parent: parentUid, identity: identityUid, role: roleUid }, "");
  return [...new Set([resolved?.naturalKey, recorded, posted?.naturalKey].filter((key) => key !== undefined))];
}

/**
 * Whether the recorded resource of an object has the name that it wants, or equals its spec as that was last applied. The
 * session of another Tenant may not have seen that it is gone: an object in Conflict does not have it any longer.
 */
function hasWhatItWants(
  { owners }: Sources,
  view: CollectionView<ExternalResource>,
  kind: Kind,
  cached: CachedResource,
): boolean {
  const { resource } = cached;
  const { status, metadata } = resource;
  if (status?.uid === undefined || !isRecorded(resource, status.uid)) return false;
  const external = claimedState(owners, view, cached, status.uid);
  if (external.is === "gone") return false;
  if (kind.identification.by === "marker" && external.is === "present")
    return takenName(kind, external.resource) === wantedName(kind, resource);
  if (isInConflict(cached)) return false;
  return kind.identification.by !== "marker" || readyCondition(resource)?.observedGeneration === metadata.generation;
}

function latestOf(times: readonly (MonotonicTime | undefined)[]): MonotonicTime | null {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? null : Math.max(...known);
}

/** What is being deleted, or has an invalid spec, claims only what it manages. */
function claimedUid({ resource: { spec, status }, invalid, metadata }: CachedResource): string | undefined {
  const isWanted = metadata.deletionTimestamp === undefined && invalid === undefined;
  return isWanted ? (spec.uid ?? status?.uid) : status?.uid;
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
