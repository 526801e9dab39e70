import type { Group } from "#src/api/group.ts";
import type { GroupInvite } from "#src/api/group-invite.ts";
import type { Identity } from "#src/api/identity.ts";
import { apiVersion, finalizer, type Resource } from "#src/api/custom-resource.ts";
import type { RoleBinding } from "#src/api/role-binding.ts";
import type { Status } from "#src/api/status.ts";
import type { PlatformError } from "#src/platform-client/failure.ts";
import type { ExternalGroup } from "#src/kinds/group.ts";
import type { Kind } from "#src/kinds/kind.ts";
import { kinds } from "#src/kinds/kinds.ts";
import { markerOf, objectHash, ownerHash, withMarker } from "#src/kinds/marker.ts";
import type {
  Claim,
  ExternalState,
  Grants,
  Observed,
  ReconcileState,
  References,
} from "#src/reconcile/observe/observed.ts";
import type { DecisionInput } from "./decision-input.ts";

/** For tests of the policy: observations that differ from a default in one respect at a time. */

export const root = "a".repeat(40);
export const otherRoot = "b".repeat(40);
export const parent = `${root}/1111111111111111`;
/** The uid of the external resource. */
export const uid = `${parent}/2222222222222222`;
export const anotherUid = `${parent}/3333333333333333`;
export const marker = markerOf(ownerHash("owner"), objectHash("Group", "team", "payments"));
export const earlierMarker = markerOf(ownerHash("earlier"), objectHash("Group", "team", "payments"));
export const foreignMarker = markerOf(ownerHash("somebody else"), objectHash("Group", "team", "payments"));

const policy = { management: "Full", deletion: "Delete", drift: "Correct" } as const;
const named = { ...policy, adoption: "Never" } as const;
const metadata = (name: string): Resource["metadata"] => ({
  name,
  namespace: "team",
  uid: `uid-of-${name}`,
  resourceVersion: "1",
  generation: 1,
  creationTimestamp: "2026-01-01T00:00:00Z",
  finalizers: [finalizer],
});

type Spec<R extends Resource> = Partial<Omit<R["spec"], "policy">> & { readonly policy?: Partial<R["spec"]["policy"]> };

export interface Parts<R extends Resource> {
  readonly spec?: Spec<R>;
  readonly metadata?: Partial<R["metadata"]>;
  readonly status?: Status;
}

export function groupResource(parts: Parts<Group> = {}): Group {
  return {
    apiVersion,
    kind: "Group",
    metadata: { ...metadata("payments"), ...parts.metadata },
    spec: { parentUid: parent, undeclared: "Report", ...parts.spec, policy: { ...named, ...parts.spec?.policy } },
    ...(parts.status === undefined ? {} : { status: parts.status }),
  };
}

export function identityResource(parts: Parts<Identity> = {}): Identity {
  return {
    apiVersion,
    kind: "Identity",
    metadata: { ...metadata("ci"), ...parts.metadata },
    spec: {
      groupUid: parent,
      ...parts.spec,
      policy: { ...named, ...parts.spec?.policy },
    },
    ...(parts.status === undefined ? {} : { status: parts.status }),
  };
}

export function bindingResource(parts: Parts<RoleBinding> = {}): RoleBinding {
  return {
    apiVersion,
    kind: "RoleBinding",
    metadata: { ...metadata("ci-views"), ...parts.metadata },
    spec: { groupUid: parent, ...parts.spec, policy: { ...policy, ...parts.spec?.policy } },
    ...(parts.status === undefined ? {} : { status: parts.status }),
  };
}

/** @param parts its spec names the role, by `roleUid` or `roleRef`, and when it ends */
export function inviteResource(parts: Parts<GroupInvite> = {}): GroupInvite {
  return {
    apiVersion,
    kind: "GroupInvite",
    metadata: { ...metadata("ada"), ...parts.metadata },
    spec: {
      groupUid: parent,
      singleUse: true,
      expiresAt: "2027-01-01T00:00:00Z",
      secretRef: { name: "ada" },
      ...parts.spec,
      policy: { ...policy, drift: "Report", ...parts.spec?.policy },
    },
    ...(parts.status === undefined ? {} : { status: parts.status }),
  };
}

export const ready: Status = {
  observedGeneration: 1,
  uid,
  parentUid: parent,
  management: "Created",
  tenant: "team",
  lastSyncTime: "2026-01-01T00:00:00Z",
  conditions: [
    {
      type: "Ready",
      status: "True",
      reason: "Available",
      message: "The group exists on the platform and matches the spec.",
      observedGeneration: 1,
      lastTransitionTime: "2026-01-01T00:00:00Z",
    },
    {
      type: "ReferencesResolved",
      status: "True",
      reason: "Available",
      message: "All references in the spec are resolved.",
      observedGeneration: 1,
      lastTransitionTime: "2026-01-01T00:00:00Z",
    },
  ],
};

/** The status of an object that is not Ready for `reason`. */
export function notReady(reason: string, { stalled = false, uid: recorded }: { stalled?: boolean; uid?: string } = {}) {
  const base = { reason, message: reason, observedGeneration: 1, lastTransitionTime: "2026-01-01T00:00:00Z" };
  return {
    observedGeneration: 1,
    ...(recorded === undefined ? {} : { uid: recorded, parentUid: parent }),
    conditions: [
      { type: "Ready", status: "False", ...base },
      ...(stalled ? [{ type: "Stalled", status: "True", ...base }] : []),
    ],
  } as Status;
}

export function externalGroup(fields: Partial<ExternalGroup> = {}): ExternalGroup {
  return { uid, name: "payments", description: withMarker("", marker), ...fields };
}

/** A Tenant that permits everything below the root. */
export const tenant: Extract<Observed["tenant"], { is: "known" }> = {
  is: "known",
  parentIsForeign: false,
  name: "team",
  serves: "everything",
  groups: [root],
  mayAdopt: true,
  mayOrphan: true,
};

/** Resolved references; those of a role binding if `desired` has its fields. */
export function resolved(desired: Readonly<Record<string, unknown>> = { name: "payments" }): References {
  const { identityUid, roleUid } = desired;
  if (typeof identityUid !== "string" || typeof roleUid !== "string")
    return { are: "resolved", uids: { parent }, granted: [], desired, naturalKey: marker };
  const uids = { parent, identity: identityUid, role: roleUid };
  return { are: "resolved", uids, granted: [], desired, naturalKey: `${parent} ${identityUid} ${roleUid}` };
}

/** The time of a read that is current. */
export const justRead = 19_900;

/** A read, a moment ago, that shows a resource without a role binding. */
export const holdsNothing: Grants = {
  of: uid,
  readAt: 19_950,
  denied: [],
  declared: [],
  deniedRoles: [],
  excess: [],
  roleToRead: null,
  unknownIdentity: null,
};

export const emptyState: ReconcileState = {
  resourceUid: "uid-of-payments",
  firstSeenAt: 0,
  specSeenAt: 0,
  generation: 1,
  bornHere: false,
  corrections: [],
};

export function platformError(code: PlatformError["code"], parts: Partial<PlatformError> = {}): PlatformError {
  return {
    code,
    message: `rejected with ${code}`,
    reason: code,
    domain: "iam.example.dev",
    fieldViolations: [],
    preconditionViolations: [],
    ...parts,
  };
}

/** Parts of an observation. The parts of the claim can be given without the claim itself. */
export type ObservedParts = Partial<Observed> & Partial<Pick<Claim, "external" | "claimedBy" | "heldByBreaker">>;

/**
 * A group that was created a moment ago and has no uid yet: it has its finalizer, and its parent was listed and contains
 * nothing like it. `parts` hold what a case is about.
 */
export function observed(parts: ObservedParts = {}): Observed {
  const { external = { is: "unknown" }, claimedBy = null, heldByBreaker = false, ...others } = parts;
  const resource = parts.resource ?? groupResource();
  return {
    resource,
    invalid: null,
    tenant,
    references: resolved(),
    markers: [marker, earlierMarker],
    endpoints: {
      authUrl: "https://auth.example",
      platformUrl: "https://api.example",
      defaultAudience: "auth.example",
    },
    publicIssuers: ["https://public.example"],
    claim: claimOf(resource, external, claimedBy, heldByBreaker),
    request: null,
    matches: [],
    unrecorded: null,
    secret: null,
    people: null,
    nameConflicts: [],
    nameCircle: [],
    wantedByOthers: [],
    readTimes: [...(parts.matches ?? []), ...(parts.nameConflicts ?? []).map(({ external: one }) => one)].map(
      (one) => ({
        uid: one.uid,
        at: justRead,
      }),
    ),
    nameListedAt: justRead,
    rival: null,
    snapshot: { startedAt: 50, stable: true },
    parentCreatedAt: null,
    rootSnapshots: [{ group: root, snapshot: { startedAt: 50, stable: true } }],
    namespaceIsTerminating: false,
    lastDeletionAt: null,
    postUnknownSince: null,
    createdElsewhereAt: null,
    createdHere: [],
    protections: [],
    unknownIdentities: [],
    roleToRead: null,
    grants: [],
    undeclared: null,
    children: [],
    dependents: [],
    unreadDependents: [],
    crd: { readAt: 19_000, deleting: false },
    state: emptyState,
    settledAt: 10,
    settleMs: 15_000,
    credentialEpoch: 1,
    recoveries: 0,
    now: 20_000,
    wallClock: Date.parse("2026-02-02T02:02:02.222Z"),
    ...others,
  };
}

/** An observation as `observed` returns it, with the description of its kind. */
export function decisionInput(parts: ObservedParts = {}): DecisionInput {
  const observation = observed(parts);
  return { ...observation, kind: kindOf(observation) };
}

export function kindOf({ resource }: Pick<Observed, "resource">): Kind {
  const kind = kinds.find(({ name }) => name === resource.kind);
  if (kind === undefined) throw new Error(`unknown kind ${resource.kind}`);
  return kind;
}

function claimOf(
  { spec, status, metadata: { deletionTimestamp } }: Resource,
  external: ExternalState,
  claimedBy: string | null,
  heldByBreaker: boolean,
): Claim | null {
  const claimed = deletionTimestamp === undefined ? (spec.uid ?? status?.uid) : status?.uid;
  return claimed === undefined ? null : { uid: claimed, external, claimedBy, heldByBreaker };
}
