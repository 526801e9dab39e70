import { part, type Phase, reports, where } from "./check.ts";
import { conclude } from "./conclude.ts";
import type { Found } from "./decision-input.ts";
import * as deletionMessages from "./deletion-messages.ts";
import { reportsDrift } from "./drift.ts";
import { asEnding, type Consequences, endResource } from "./end-resource.ts";
import { equalsSpec } from "./identification-by-fields.ts";
import { identificationOf } from "./identification-of.ts";
import { failing, type Problem, stalled } from "./outcome.ts";
import * as ownershipMessages from "./ownership-messages.ts";
import { findProtected } from "./ownership.ts";
import { resource } from "./resource.ts";
import { readRequested } from "./unread.ts";

/** The grant to an earlier uid of a reference. It ends before the new one begins. */
const outdatedGrant: Phase<Found> = [
  reports("protectedResource", "Muster never writes the resource.", (observed) =>
    findProtected(observed, observed.external),
  ),
  part("it may be written", (observed) => asEnding(observed, observed.external.uid, outdated), endResource),
];

const outdated: Consequences = {
  // The object owns it: that is why it ends.
  notOurs: () => ({ do: "done" }),
  denied: conclude,
  unidentified: () => ({ do: "done" }),
  kept: () => undefined,
  note: ({ kind, uid }) => deletionMessages.outdatedDeleted(kind.noun, uid),
};

/**
 * A resource that is identified by its fields (a role binding). It is never changed: another grant is another resource. If
 * it was changed outside of Kubernetes, it is another grant now, which is not the object's.
 */
export const presentGrant: Phase<Found> = [
  readRequested,
  where("it is what the spec describes", (observed) => equalsSpec(observed, observed.external), resource),
  where(
    "the object owns it",
    (observed) => identificationOf(observed).owns(observed, observed.external),
    outdatedGrant,
  ),
  reports(
    "grantDiffers",
    "`spec.uid` names a role binding that grants something else than the spec.",
    findGrantDiffers,
  ),
  reports(
    "grantChangedOutside",
    "The role binding was changed, and drift is reported and not corrected.",
    findGrantChangedOutside,
  ),
];

function findGrantDiffers({ resource: { spec }, kind, external: { uid } }: Found): Problem | undefined {
  return spec.uid === undefined ? undefined : stalled("InvalidSpec", ownershipMessages.grantDiffers(kind.noun, uid));
}

function findGrantChangedOutside(observed: Found): Problem | undefined {
  if (!reportsDrift(observed)) return undefined;
  return failing("DriftDetected", ownershipMessages.grantChangedOutside(observed.kind.noun, observed.external.uid));
}
