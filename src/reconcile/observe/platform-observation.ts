import type { Kind } from "#src/kinds/kind.ts";
import { wantedName } from "#src/kinds/unique-name.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";
import type { CollectionView } from "#src/platform-client/collection-view.ts";
import { overwriteKey } from "#src/platform-client/post-ledger.ts";
import type { TenantContext } from "#src/reconcile/tenancy/tenancy.ts";
import type { MonotonicTime } from "#src/time/clock.ts";
import type { CachedResource } from "./cached-resource.ts";
import { hasManager, isRecorded, otherClaimantOf, recordedUid, rivalOf } from "./claims.ts";
import { childrenOf } from "./children.ts";
import { claimedState } from "./claimed-state.ts";
import { findingOf, type Seeker } from "./finding.ts";
import { extensionsFor } from "./foreign-parent.ts";
import { roleToRead } from "./declared-roles.ts";
import { grantsOf } from "./grants.ts";
import { mayWant } from "./may-want.ts";
import { nameCircleOf } from "./name-circle.ts";
import type { Claim, NameConflict, Observed, ReadTime, References } from "./observed.ts";
import type { ReconcileState } from "./reconcile-state.ts";
import { peopleOf } from "./vouched-people.ts";
import { protectionsOf } from "./protections.ts";
import { referencesOf } from "./references.ts";
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

  const finding = findingOf(kind);
  const seeker: Seeker = { kind, cached, markers, resolved, state };
  const claimed = claimedUid(cached) ?? finding.uidWithoutRecord(sources, seeker);
  const claim = claimed === undefined ? null : claimOf(sources, kind, cached, claimed, view, context.name);
  const keys = finding.keysOf(seeker);
  const matches = finding.find(view, keys, seeker).filter((external) => !hasManager(sources, kind, external, cached));
  const hasWanted = (other: CachedResource) => hasWhatItWants(sources, view, kind, other);
  const settled = resolved === undefined || hasWanted(cached);
  const name = wantedName(kind, resource);
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
  const key = finding.postKeyOf(seeker);
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
    matches: views.flatMap((view) => findingOf(kind).findAnywhere(view, markers)),
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

/** Whether the recorded resource of an object is what it wants. */
function hasWhatItWants(
  { owners }: Sources,
  view: CollectionView<ExternalResource>,
  kind: Kind,
  cached: CachedResource,
): boolean {
  const uid = recordedUid(cached);
  if (uid === undefined) return false;
  const external = claimedState(owners, view, cached, uid);
  if (external.is === "gone") return false;
  return findingOf(kind).isWanted(kind, cached, external.is === "present" ? external.resource : undefined);
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
