import { hasFinalizer } from "#src/api/custom-resource.ts";
import type { Claim, ExternalResource } from "#src/reconcile/observe/observed.ts";
import * as absenceMessages from "./absence-messages.ts";
import { proveAbsenceBelow } from "./absence.ts";
import { calls, check, part, type Phase, reports, where } from "./check.ts";
import { conclude } from "./conclude.ts";
import { conflictMessages } from "./conflict-messages.ts";
import { type DecisionInput, groupOf, type Resolved, rootAbove } from "./decision-input.ts";
import * as deletionMessages from "./deletion-messages.ts";
import { asEnding, type Consequences, type Ending, endResource, isGone } from "./end-resource.ts";
import { fieldDifferences } from "./field-differences.ts";
import { failing, type Outcome, type Problem, stalled } from "./outcome.ts";
import * as ownershipMessages from "./ownership-messages.ts";
import { findNameAmbiguous } from "./conflicts.ts";
import { identificationOf } from "./identification-of.ts";
import { recordOf } from "./recorded.ts";
import type { PlatformStep } from "./step.ts";
import { findOrphanDenied, outsideTenantMessage, tenantName } from "./tenant.ts";
import { guardsNothing, createdAgainUnproven, uidToEnd } from "./unrecorded.ts";

/** An object that only observes (`spec.policy.management` is Observe). */
interface Observing extends DecisionInput {
  readonly references: Resolved;
}

/** The uid that it observes. */
interface Looking extends Observing {
  readonly claim: Claim;
}

const consequences: Consequences = {
  notOurs: () => ({ do: "removeFinalizer" }),
  denied: conclude,
  unidentified: () => ({ do: "removeFinalizer" }),
  kept: () => deletionMessages.orphanedBecause.observed,
  note: ({ kind, uid }) => deletionMessages.deleted(kind.noun, uid, []),
};

/** The object has a finalizer: it may have managed a resource before. That resource is left behind, if the Tenant allows it. */
const leavingFull: Phase<Observing> = [
  check("guardsNothing", "Nothing exists because of the object.", (observed) =>
    guardsNothing(observed) ? { do: "removeFinalizer" } : undefined,
  ),
  where("no resource is known", (observed) => uidToEnd(observed) === undefined, [
    check("absenceUnproven", "That nothing was created for the object is not proven.", (observed) => {
      const { parent } = observed.references.uids;
      return parent === undefined ? undefined : proveAbsenceBelow(observed, parent);
    }),
    check("nothingCreated", "Nothing was created for the object.", () => ({ do: "removeFinalizer" })),
  ]),
  reports("leavingDenied", "The Tenant does not allow resources to be left.", (observed) =>
    findOrphanDenied(observed, "spec.policy.management: Observe"),
  ),
  part("a resource is known", asLeft, [
    where("the resource is gone", (observed) => isGone(observed), [
      createdAgainUnproven(),
      check("gone", "The resource is gone.", () => ({ do: "removeFinalizer" })),
    ]),
    ...endResource,
  ]),
];

/** The object names a uid, or observed one that was found by its name. */
const looking: Phase<Looking> = [
  reports("outsideTenant", "The uid lies outside of the Tenant's groups, or below another group.", findOutside),
  calls("notSeenYet", "This process has not seen the resource yet, or it may be gone.", (observed) => {
    const { uid, external } = observed.claim;
    return external.is === "unknown" || external.is === "stale"
      ? lookUp(observed, uid, external.is === "stale")
      : undefined;
  }),
  reports("observedGone", "The resource is gone.", ({ kind, claim: { uid, external } }) =>
    external.is === "gone"
      ? { ...failing("ExternalGone", absenceMessages.observedGone(kind.noun, uid)), recorded: "cleared" }
      : undefined,
  ),
  calls("readRequested", "Somebody requested a reconcile after the observed resource was read.", (observed) => {
    const { request, claim } = observed;
    const seenAt = claim.external.is === "present" ? claim.external.seenAt : 0;
    return request === null || seenAt >= request.seenAt ? undefined : lookUp(observed, claim.uid, true);
  }),
  // A resource that was found by its name and was renamed is another one now: find the one with the name.
  reports("observed", "The resource is the one that the object observes.", (observed) => {
    const { external } = observed.claim;
    if (external.is !== "present") return undefined;
    const isNamed = observed.resource.spec.uid !== undefined;
    return isNamed || identificationOf(observed).meantOf(observed, [external.resource]) !== undefined
      ? outcomeOf(observed, external.resource)
      : undefined;
  }),
];

/** The resource is found by its name, or by the fields of a grant. */
const finding: Phase<Observing> = [
  reports("nothingNamed", "The spec names neither a resource nor a group.", ({ references, kind }) =>
    references.uids.parent === undefined
      ? stalled("InvalidSpec", absenceMessages.observedWithoutName(kind.noun))
      : undefined,
  ),
  check("absenceUnproven", "The group was not listed since the spec was seen.", (observed) => {
    const { parent } = observed.references.uids;
    return parent === undefined ? undefined : proveAbsenceBelow(observed, parent);
  }),
  reports("observed", "A resource is the one that the spec describes.", (observed) => {
    const { matches, nameConflicts } = observed;
    const found = [...matches, ...nameConflicts.map(({ external }) => external)];
    const meant = identificationOf(observed).meantOf(observed, found);
    return meant === undefined ? undefined : outcomeOf(observed, meant);
  }),
  reports("nameAmbiguous", "Several resources have the name.", findNameAmbiguous),
  reports("observedMissing", "The group has no such resource.", ({ kind, resource, references }) => {
    const { parent = "" } = references.uids;
    const message = conflictMessages(kind).observedNotFound(kind.noun, kind.nameOf(resource), parent);
    return resource.status?.management === undefined
      ? failing("ReferenceNotFound", message)
      : { ...failing("ExternalGone", message), recorded: "cleared" };
  }),
];

/**
 * An object that only observes. It needs no finalizer, and the platform
 * is never written, except that a resource which the object managed before loses its marker.
 */
export const observing: Phase<Observing> = [
  where("it has a finalizer", ({ resource }) => hasFinalizer(resource), leavingFull),
  part("it names a uid, or has observed one that is not gone", asLooking, looking),
  ...finding,
];

export function asObserving(observed: DecisionInput): Observing | undefined {
  const { references, resource } = observed;
  return references.are === "resolved" && resource.spec.policy.management === "Observe"
    ? { ...observed, references }
    : undefined;
}

function asLooking(observed: Observing): Looking | undefined {
  const { claim, resource } = observed;
  const isLookedAt = claim !== null && (claim.external.is !== "gone" || resource.spec.uid !== undefined);
  return isLookedAt ? { ...observed, claim } : undefined;
}

function asLeft(observed: Observing): Ending | undefined {
  const uid = uidToEnd(observed);
  return uid === undefined ? undefined : asEnding(observed, uid, consequences);
}

function outcomeOf({ kind, references: { uids, desired } }: Observing, external: ExternalResource): Outcome {
  const recorded = recordOf(uids, external, "Observed");
  const drift = fieldDifferences(kind, desired, external);
  if (drift.length === 0) return { is: "ready", recorded };
  const fields = drift.map(({ field }) => field).join(", ");
  return { ...failing("DriftDetected", absenceMessages.observedDiffers(kind.noun, fields)), drift, recorded };
}

/** The uid lies outside of the Tenant's groups, or below another group than the one that the spec names. */
function findOutside(observed: Looking): Problem | undefined {
  const {
    tenant,
    kind,
    references: { uids },
    claim: { uid },
  } = observed;
  if (
    tenant.is !== "known" ||
    !tenant.groups.some((group) => uid === group || kind.collection.uids.isBelow(uid, group))
  )
    return stalled("TenantDenied", outsideTenantMessage(tenantName(tenant), kind.noun));
  if (uids.parent === undefined || groupOf(observed, uid) === uids.parent) return undefined;
  return stalled("InvalidSpec", ownershipMessages.uidNotBelowParent(kind.noun, uid, uids.parent));
}

/** Lists show what is below the session's roots. Only a GET shows a root itself. */
function lookUp(observed: DecisionInput, uid: string, stale: boolean): PlatformStep {
  const root = rootAbove(observed, uid);
  return root === undefined || stale
    ? { do: "read", uid }
    : { do: "list", parent: groupOf(observed, uid), startedAfter: 0, stable: false };
}
