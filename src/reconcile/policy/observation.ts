import { hasFinalizer } from "#src/api/custom-resource.ts";
import { takenName, wantedName } from "#src/kinds/unique-name.ts";
import type { ExternalResource } from "#src/reconcile/observe/observed.ts";
import { proveAbsenceBelow } from "./absence.ts";
import { conclude } from "./conclude.ts";
import { conflictMessages } from "./conflict-messages.ts";
import type { DecisionInput } from "./decision-input.ts";
import { fieldDifferences } from "./field-differences.ts";
import { readBeforeEnding } from "./freshness.ts";
import { groupOf, rootAbove } from "./location.ts";
import * as absenceMessages from "./absence-messages.ts";
import * as deletionMessages from "./deletion-messages.ts";
import * as ownershipMessages from "./ownership-messages.ts";
import * as tenancyMessages from "./tenancy-messages.ts";
import { failing, type Problem, stalled } from "./outcome.ts";
import { equalsSpec, findNameAmbiguous, foreignMarkerOf, owns } from "./ownership.ts";
import type { Resolved } from "./placed.ts";
import { recordOf } from "./recorded.ts";
import { decideRelease } from "./release.ts";
import { attempt } from "./retry.ts";
import type { Step } from "./step.ts";
import { findOrphanDenied, tenantName } from "./tenant.ts";
import { guardsNothing, proveNotCreatedAgain, uidToEnd } from "./unrecorded.ts";

/**
 * The step for an object that only observes (`spec.policy.management` is Observe). It needs no finalizer, and the platform
 * is never written, except that a resource which the object managed before loses its marker.
 */
export function decideObservation(observed: DecisionInput, references: Resolved): Step {
  return decideLeavingFull(observed, references) ?? decideFinding(observed, references);
}

/** The object has a finalizer: it may have managed a resource before. That resource is left behind, if the Tenant allows it. */
function decideLeavingFull(observed: DecisionInput, { uids }: Resolved): Step | undefined {
  const { resource, claim, matches } = observed;
  if (!hasFinalizer(resource)) return undefined;
  if (guardsNothing(observed)) return { do: "removeFinalizer" };
  const uid = uidToEnd(observed);
  if (uid === undefined)
    return (
      (uids.parent === undefined ? undefined : proveAbsenceBelow(observed, uids.parent)) ?? { do: "removeFinalizer" }
    );
  const denied = findOrphanDenied(observed, "spec.policy.management: Observe");
  if (denied !== undefined) return conclude(observed, denied);
  const external = claim?.uid === uid ? claim.external : undefined;
  if (external?.is === "gone") return proveNotCreatedAgain(observed) ?? { do: "removeFinalizer" };
  const found = external?.is === "present" ? external.resource : matches.find((match) => match.uid === uid);
  if (found === undefined) return attempt(observed, lookUp(observed, uid, external?.is === "stale"));
  const outdated = readBeforeEnding(observed, uid, "update");
  if (outdated !== undefined) return attempt(observed, outdated);
  if (!owns(observed, found) || foreignMarkerOf(observed, found) !== undefined) return { do: "removeFinalizer" };
  return decideRelease(observed, found, deletionMessages.orphanedBecause.observed);
}

function decideFinding(observed: DecisionInput, references: Resolved): Step {
  const { resource, claim } = observed;
  const named = resource.spec.uid;
  if (claim !== null && (claim.external.is !== "gone" || named !== undefined)) {
    const problem = findOutside(observed, references, claim.uid);
    if (problem !== undefined) return conclude(observed, problem);
    switch (claim.external.is) {
      case "unknown":
      case "stale":
        return attempt(observed, lookUp(observed, claim.uid, claim.external.is === "stale"));
      case "gone":
        return conclude(observed, {
          ...failing("ExternalGone", absenceMessages.observedGone(observed.kind.noun, claim.uid)),
          recorded: "cleared",
        });
      case "present": {
        const { request } = observed;
        if (request !== null && claim.external.seenAt < request.seenAt)
          return attempt(observed, lookUp(observed, claim.uid, true));
        // A resource that was found by its name and was renamed is another one now: find the one with the name.
        if (named !== undefined || isMeant(observed, references, claim.external.resource))
          return report(observed, references, claim.external.resource);
      }
    }
  }
  return decideFindingByName(observed, references);
}

function decideFindingByName(observed: DecisionInput, references: Resolved): Step {
  const { kind, matches, nameConflicts, resource } = observed;
  const { parent } = references.uids;
  if (parent === undefined)
    return conclude(observed, stalled("InvalidSpec", absenceMessages.observedWithoutName(kind.noun)));
  const proof = proveAbsenceBelow(observed, parent);
  if (proof !== undefined) return proof;
  const found = [...matches, ...nameConflicts.map(({ external }) => external)].filter((external) =>
    isMeant(observed, references, external),
  );
  const [first] = found;
  if (first !== undefined && (found.length === 1 || !kind.hasMarker)) return report(observed, references, first);
  const ambiguous = findNameAmbiguous(observed);
  if (ambiguous !== undefined) return conclude(observed, ambiguous);
  return conclude(
    observed,
    resource.status?.management === undefined
      ? failing("ReferenceNotFound", conflictMessages(kind).observedNotFound(kind.noun, kind.nameOf(resource), parent))
      : {
          ...failing("ExternalGone", conflictMessages(kind).observedNotFound(kind.noun, kind.nameOf(resource), parent)),
          recorded: "cleared",
        },
  );
}

function isMeant(observed: DecisionInput, references: Resolved, external: ExternalResource): boolean {
  const { kind, resource } = observed;
  if (!kind.hasMarker) return equalsSpec(observed, references, external);
  return (
    takenName(kind, external) === wantedName(kind, resource) &&
    groupOf(observed, external.uid) === references.uids.parent
  );
}

function report(observed: DecisionInput, { uids, desired }: Resolved, external: ExternalResource): Step {
  const { kind } = observed;
  const recorded = recordOf(uids, external, "Observed");
  const drift = fieldDifferences(kind, desired, external);
  if (drift.length === 0) return conclude(observed, { is: "ready", recorded });
  const fields = drift.map(({ field }) => field).join(", ");
  return conclude(observed, {
    ...failing("DriftDetected", absenceMessages.observedDiffers(kind.noun, fields)),
    drift,
    recorded,
  });
}

/** The uid lies outside of the Tenant's groups, or below another group than the one that the spec names. */
function findOutside(observed: DecisionInput, { uids }: Resolved, uid: string): Problem | undefined {
  const { tenant, kind } = observed;
  if (
    tenant.is !== "known" ||
    !tenant.groups.some((group) => (uid === group && kind.hasMarker) || kind.collection.uids.isBelow(uid, group))
  )
    return stalled("TenantDenied", tenancyMessages.outsideTenant(tenantName(tenant), kind.noun));
  if (uids.parent === undefined || groupOf(observed, uid) === uids.parent) return undefined;
  return stalled("InvalidSpec", ownershipMessages.uidNotBelowParent(kind.noun, uid, uids.parent));
}

/** Lists show what is below the session's roots. Only a GET shows a root itself. */
function lookUp(observed: DecisionInput, uid: string, stale: boolean) {
  const root = rootAbove(observed, uid);
  return root === undefined || stale
    ? ({ do: "read", uid } as const)
    : ({ do: "list", parent: groupOf(observed, uid), startedAfter: 0, stable: false } as const);
}
