import type { Claim } from "#src/reconcile/observe/observed.ts";
import * as absenceMessages from "./absence-messages.ts";
import { calls, part, type Phase, reports, where } from "./check.ts";
import { type Found, groupOf, type Managed, rootAbove } from "./decision-input.ts";
import { reportsDrift } from "./drift.ts";
import { isEdited } from "./object.ts";
import { failing, type Problem, stalled } from "./outcome.ts";
import * as ownershipMessages from "./ownership-messages.ts";
import { identificationOf } from "./identification-of.ts";
import { identifiedBy } from "./identified-by.ts";
import { findOtherClaimant } from "./conflicts.ts";
import { presentGrant } from "./present-grant.ts";
import { resource } from "./resource.ts";
import type { PlatformStep } from "./step.ts";
import { readRequested } from "./unread.ts";

/** The object claims a uid, by its spec or by its status. */
interface Claimed extends Managed {
  readonly claim: Claim;
}

export function asClaimed(observed: Managed): Claimed | undefined {
  return observed.claim === null ? undefined : { ...observed, claim: observed.claim };
}

export const mayBeGone = calls<Claimed>(
  "mayBeGone",
  "A list lacked the resource, which is a hint, and no proof.",
  ({ claim: { uid, external } }) => (external.is === "stale" ? { do: "read", uid } : undefined),
);

/** The resource is proven to be gone. If nothing keeps it from that, the object is to get another one. */
const gone: Phase<Claimed> = [
  reports(
    "goneByUid",
    "The resource that `spec.uid` names is gone: another one would have another uid.",
    findGoneByUid,
  ),
  reports("goneReported", "Drift, also a deletion, is reported and not corrected.", findGoneReported),
  calls("lossNotAssessed", "No list has shown yet how much is gone.", assessLoss),
];

/** A resource with a marker. */
const presentMarked: Phase<Found> = [
  reports("parentChanged", "The resource lies below another group than the spec names.", (observed) =>
    findParentChanged(observed, observed.external.uid),
  ),
  readRequested,
  ...resource,
];

/** Where no check finds anything, the object is to get a resource, as one without a claim. */
export const claimed: Phase<Claimed> = [
  reports("uidNotBelowParent", "`spec.uid` names a resource below another group.", findUidNotBelowParent),
  // Not before: whether another object manages a resource elsewhere is not disclosed.
  reports("claimedByOther", "The uid belongs to another object.", findOtherClaimant),
  reports(
    "movedOutOfReach",
    "The resource lies below an earlier parent, where the operator may not look.",
    (observed) =>
      rootAbove(observed, observed.claim.uid) === undefined
        ? findParentChanged(observed, observed.claim.uid)
        : undefined,
  ),
  reports("goneWithManyOthers", "Many resources are missing at once.", findGoneWithManyOthers),
  calls("notSeenYet", "This process has not seen the resource yet.", (observed) => {
    const { uid, external } = observed.claim;
    if (external.is !== "unknown") return undefined;
    // After a start, lists of everything serve most objects. An edit does not wait for them: one read serves it.
    return isEdited(observed.resource)
      ? { do: "read", uid }
      : { do: "list", parent: groupOf(observed, uid), startedAfter: 0, stable: false };
  }),
  mayBeGone,
  where("the resource is gone", ({ claim }) => claim.external.is === "gone", gone),
  part("the resource exists", asPresent, [identifiedBy("marker", presentMarked), identifiedBy("fields", presentGrant)]),
];

function asPresent(observed: Claimed): (Claimed & Found) | undefined {
  const { external } = observed.claim;
  return external.is === "present" ? { ...observed, external: external.resource } : undefined;
}

/** The breaker assesses each list of a root. Nothing is re-created before a list that shows how much is gone. */
function assessLoss(observed: Claimed): PlatformStep | undefined {
  const { uid, external } = observed.claim;
  const root = rootAbove(observed, uid);
  const scope = observed.rootSnapshots.find(({ group }) => group === root);
  if (external.is !== "gone" || root === undefined || (scope?.snapshot?.startedAt ?? -1) >= external.at)
    return undefined;
  return { do: "list", parent: root, startedAfter: external.at, stable: false };
}

function findUidNotBelowParent(observed: Claimed): Problem | undefined {
  const { kind, references, claim } = observed;
  if (observed.resource.spec.uid !== claim.uid || !isElsewhere(observed, claim.uid)) return undefined;
  return stalled("InvalidSpec", ownershipMessages.uidNotBelowParent(kind.noun, claim.uid, references.uids.parent));
}

function findParentChanged(observed: Managed, uid: string): Problem | undefined {
  if (!isElsewhere(observed, uid)) return undefined;
  const { kind, references } = observed;
  return stalled("ParentChanged", ownershipMessages.parentChanged(kind.noun, uid, references.uids.parent));
}

function isElsewhere(observed: Managed, uid: string): boolean {
  return groupOf(observed, uid) !== observed.references.uids.parent;
}

/** The breaker is open: to create the resource again would probably be wrong. */
function findGoneWithManyOthers({ kind, claim: { uid, external, heldByBreaker } }: Claimed): Problem | undefined {
  if (!heldByBreaker || (external.is !== "stale" && external.is !== "gone")) return undefined;
  return failing("HeldByBreaker", absenceMessages.goneWithManyOthers(kind.noun, uid));
}

function findGoneByUid({ resource: { spec }, kind, claim: { uid } }: Claimed): Problem | undefined {
  if (spec.uid === undefined) return undefined;
  return { ...stalled("ExternalGone", absenceMessages.goneByUid(kind.noun, uid)), recorded: "cleared" };
}

function findGoneReported(observed: Claimed): Problem | undefined {
  const { kind, claim } = observed;
  // The grant to an earlier uid of a reference was deleted by us, not by others.
  if (identificationOf(observed).recordsAnother(observed)) return undefined;
  if (!reportsDrift(observed)) return undefined;
  return { ...failing("ExternalGone", absenceMessages.goneReported(kind.noun, claim.uid)), recorded: "cleared" };
}
