import { hasFinalizer } from "#src/api/custom-resource.ts";
import type { Dependent, ExternalResource } from "#src/reconcile/observe/observed.ts";
import { proveAbsenceBelowRoots } from "./absence.ts";
import { check, part, type Phase, reports, where } from "./check.ts";
import { conclude, maxStatusDelayMs, statusDelayAmidDeletions, statusDelayMs } from "./conclude.ts";
import { type DecisionInput, rootAbove } from "./decision-input.ts";
import * as deletionMessages from "./deletion-messages.ts";
import { asEnding, type Consequences, type Ending, endResource, isGone } from "./end-resource.ts";
import { endsByExpiry } from "./expiry.ts";
import { codeNotHandedOver } from "./handover.ts";
import { abandon, abandonLost, awaitReferences, readSecretToDelete } from "./issue-ending.ts";
import { leftBecause } from "./issue-messages.ts";
import { identificationOf } from "./identification-of.ts";
import { identifiedBy } from "./identified-by.ts";
import { isOnlyHeld } from "./issued.ts";
import * as kubernetesMessages from "./kubernetes-messages.ts";
import { isAbandoned, isPaused } from "./object.ts";
import { type Problem, stalled, waiting } from "./outcome.ts";
import * as ownershipMessages from "./ownership-messages.ts";
import { findProtected } from "./ownership.ts";
import { orphaned } from "./release.ts";
import { attempt } from "./retry.ts";
import type { Step } from "./step.ts";
import {
  findEndingDenied,
  findOrphanDenied,
  findUngoverned,
  mayHaveBeenCreatedMessage,
  outsideReachMessage,
} from "./tenant.ts";
import { rolesUnread, unreadKind } from "./unread.ts";
import {
  awaitMeaning,
  decideUnpermitted,
  guardsNothing,
  createdAgainUnproven,
  removeUnrecorded,
  uidToEnd,
} from "./unrecorded.ts";

const consequences: Consequences = {
  notOurs: leave,
  denied: conclude,
  unidentified: awaitReferences,
  kept: keptBecause,
  note: (observed) => deletionMessages.deleted(observed.kind.noun, observed.uid, equalTo(observed)),
};

const absenceUnproven = check<DecisionInput>(
  "absenceUnproven",
  "That nothing was created for the object is not proven.",
  (observed) => proveAbsenceBelowRoots(observed),
);

/** No uid is recorded. The resource may exist nevertheless, created by a request whose response was lost. */
const unknown: Phase = [
  where("what was created would be found", (observed) => isFindable(observed), [
    absenceUnproven,
    // No list shows which of several equal resources has a code that nobody knows.
    identifiedBy("secret", [
      check("nothingCreated", "Nothing was created for the object, as far as anybody can know.", abandonLost),
    ]),
    check("nothingCreated", "Nothing was created for the object.", removeUnrecorded),
  ]),
  rolesUnread,
  check("referenceUnrecorded", "What a reference means is not known: a status may be lost.", awaitMeaning),
  // A marker is found in any group. A resource without one is identified by its fields, which are not known.
  identifiedBy("marker", [absenceUnproven]),
  reports(
    "referencedKindUnread",
    "Kubernetes has not let the operator read a kind that the spec refers to.",
    (observed) => (observed.references.are === "unreadKind" ? unreadKind(observed.references) : undefined),
  ),
  check("mayHaveBeenCreated", "A resource may have been created when a Tenant permitted the object.", (observed) =>
    decideUnpermitted(observed, stalled("TenantDenied", mayHaveBeenCreatedMessage(observed.kind.noun))),
  ),
];

/** The resource of the object is known by its uid. */
const known: Phase<Ending> = [
  identifiedBy("secret", [
    check(
      "outsideReach",
      "Only the Secret names the resource, which lies where the object may not delete it.",
      (observed) =>
        isOnlyHeld(observed) && findOutsideReach(observed) !== undefined
          ? abandon(observed, leftBecause.outside)
          : undefined,
    ),
  ]),
  reports(
    "outsideReach",
    "The resource lies where the operator may not look, or outside of the Tenant's groups.",
    findOutsideReach,
  ),
  // Of a resource that stays, a code that nothing but this process has would be of no use to anybody.
  identifiedBy("secret", [where("the resource stays", stays, [codeNotHandedOver])]),
  check("protectedResource", "Muster never writes the resource.", (observed) =>
    findProtected(observed, observed) === undefined ? undefined : leave(observed),
  ),
  where("the resource is gone", (observed) => isGone(observed), [
    createdAgainUnproven(),
    check("gone", "The resource is gone.", () => ({ do: "removeFinalizer" })),
  ]),
  check("crdUnread", "Whether the kind is being removed is not known.", ({ crd, state }) =>
    crd === null || crd.readAt < (state.deletionSeenAt ?? state.firstSeenAt) ? { do: "readCrd" } : undefined,
  ),
  check("kindRemoved", "The CustomResourceDefinition is being deleted: what exists stays.", (observed) =>
    observed.crd?.deleting === true
      ? {
          do: "removeFinalizer",
          event: orphaned(observed, observed.uid, deletionMessages.orphanedBecause.kindRemoved),
        }
      : undefined,
  ),
  check("dependentsExist", "Other objects refer to this one, and go first.", (observed) =>
    observed.kept === undefined ? awaitDependents(observed) : awaitUnrecordedDependents(observed),
  ),
  reports(
    "policyWaits",
    "The policy does not let the deletion continue, or the Tenant forbids what it says.",
    findWaitsForPolicy,
  ),
  ...endResource,
];

/**
 * An object that is being deleted. Deletion uses the recorded uid and does not need the references. The
 * finalizer is removed without an external change if nothing was created, if the resource is not ours, or if it stays. To
 * name a uid in the spec does not make it ours.
 */
export const ending: Phase = [
  check("released", "The object has no finalizer of Muster.", ({ resource }) =>
    hasFinalizer(resource) ? undefined : { do: "done" },
  ),
  check("abandoned", "The annotation says to let the object go, whatever exists.", (observed) =>
    isAbandoned(observed.resource)
      ? {
          do: "removeFinalizer",
          event: orphaned(observed, observed.claim?.uid, deletionMessages.orphanedBecause.abandoned),
        }
      : undefined,
  ),
  reports("paused", "The annotation says to leave the resource as it is.", (observed) =>
    isPaused(observed.resource) && !endsByExpiry(observed) ? { is: "paused" } : undefined,
  ),
  identifiedBy("secret", [
    check("secretUnread", "What the Secret with the code names is not known.", readSecretToDelete),
  ]),
  check("guardsNothing", "Nothing exists because of the object.", (observed) =>
    guardsNothing(observed) ? (awaitUnrecordedDependents(observed) ?? removeUnrecorded(observed)) : undefined,
  ),
  check("ungoverned", "Not exactly one Tenant governs the object.", (observed) => {
    const problem = findUngoverned(observed);
    return problem === undefined ? undefined : decideUnpermitted(observed, problem);
  }),
  check("claimedByOther", "The uid belongs to another object.", (observed) =>
    observed.claim !== null && observed.claim.claimedBy !== null ? leave(observed) : undefined,
  ),
  part("a resource is known", asKnown, known),
  ...unknown,
];

function asKnown(observed: DecisionInput): Ending | undefined {
  const uid = uidToEnd(observed);
  return uid === undefined ? undefined : asEnding(observed, uid, consequences);
}

/** Whether a list shows what was created. */
function isFindable({ state, references }: DecisionInput): boolean {
  return state.posted !== undefined || references.are === "resolved";
}

function stays(observed: DecisionInput): boolean {
  return keptBecause(observed, undefined) !== undefined || findWaitsForPolicy(observed) !== undefined;
}

function findOutsideReach(observed: Ending): Problem | undefined {
  return rootAbove(observed, observed.uid) === undefined
    ? stalled("TenantDenied", outsideReachMessage())
    : findEndingDenied(observed, observed.uid);
}

/** Why the resource stays on the platform; undefined if it is deleted. */
function keptBecause(observed: DecisionInput, found: ExternalResource | undefined): string | undefined {
  const { deletion, management } = observed.resource.spec.policy;
  if (endsByExpiry(observed)) return undefined;
  if (deletion === "Orphan") return deletionMessages.orphanedBecause.policy;
  if (management === "Observe") return deletionMessages.orphanedBecause.observed;
  const isAdopted = deletion === undefined && identificationOf(observed).staysAsAdopted(observed, found);
  return isAdopted ? deletionMessages.orphanedBecause.adopted : undefined;
}

/** The policy does not let the deletion continue, or the Tenant does not allow what it says. */
function findWaitsForPolicy(observed: DecisionInput): Problem | undefined {
  const { resource, kind } = observed;
  const { deletion, management } = resource.spec.policy;
  if (endsByExpiry(observed)) return undefined;
  if (deletion === "Protect") return stalled("Protected", deletionMessages.deletionProtected(kind.noun));
  if (deletion === "Orphan") return findOrphanDenied(observed, "spec.policy.deletion: Orphan");
  if (management === "Observe") return findOrphanDenied(observed, "spec.policy.management: Observe");
  return undefined;
}

/** The resource stays as it is. */
function leave(observed: DecisionInput): Step {
  return awaitUnrecordedDependents(observed) ?? { do: "removeFinalizer" };
}

/** The step while other objects refer to this one and have external resources, which go first. */
function awaitDependents(observed: DecisionInput): Step | undefined {
  return concludeDependents(
    observed,
    observed.dependents.filter(({ has }) => has !== "unrecorded"),
  );
}

/**
 * The step while other objects need this one to find what they may have created. What stays on the platform waits for no
 * others.
 */
function awaitUnrecordedDependents(observed: DecisionInput): Step | undefined {
  const { dependents, now, settledAt } = observed;
  const unrecorded = dependents.filter(({ has }) => has !== "recorded");
  const { kind, unlisted } = dependents.find((one) => one.unlisted !== undefined) ?? {};
  if (kind !== undefined && unlisted !== undefined && now >= settledAt)
    return attempt(observed, { do: "list", kind, parent: unlisted, startedAfter: settledAt, stable: false });
  return concludeDependents(observed, unrecorded);
}

function concludeDependents(observed: DecisionInput, dependents: readonly Dependent[]): Step | undefined {
  const { unreadDependents, now, settleMs, resource } = observed;
  if (unreadDependents.length > 0)
    return conclude(observed, waiting("KubernetesForbidden", kubernetesMessages.dependentsUnknown(unreadDependents)));
  if (dependents.length === 0) return undefined;
  const { namespace } = resource.metadata;
  const names = new Set(dependents.map(({ kind, key }) => ownershipMessages.otherObject(kind, namespace, key)));
  const problem: Problem = {
    ...waiting("ChildrenExist", deletionMessages.dependentsExist([...names])),
    statusDelayMs: dependents.every(({ deleting }) => deleting) ? maxStatusDelayMs : statusDelayAmidDeletions(observed),
  };
  // A dependent whose POST is settled without effect causes no change that could be observed: look again.
  const isUnsettled = dependents.some(({ has }) => has !== "recorded");
  return conclude(observed, problem, isUnsettled ? now + Math.max(settleMs, statusDelayMs) : undefined);
}

/** The equal resources that remain. */
function equalTo(observed: Ending): readonly string[] {
  return identificationOf(observed)
    .equalUids(observed)
    .filter((uid) => uid !== observed.uid);
}
