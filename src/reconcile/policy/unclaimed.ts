import * as absenceMessages from "./absence-messages.ts";
import { proveAbsenceBelow, proveListedSince } from "./absence.ts";
import { finalizerMissing } from "./adoption.ts";
import { calls, check, part, type Phase, reports, where } from "./check.ts";
import type { DecisionInput, Found, Managed } from "./decision-input.ts";
import { creationBody } from "./differences.ts";
import { reportsDrift } from "./drift.ts";
import { listBeforeNaming, readIfStale } from "./freshness.ts";
import * as messages from "./messages.ts";
import { failing, type Problem } from "./outcome.ts";
import { findNameAmbiguous, findNameManagedByOther, findNameNotAdopted, findRival } from "./conflicts.ts";
import { identificationOf } from "./identification-of.ts";
import { identifiedBy } from "./identified-by.ts";
import { managedUid } from "./ownership.ts";
import { readNamesake, resource } from "./resource.ts";
import { secretForCreation } from "./secret.ts";
import { identityUnread } from "./unknown-identity.ts";
import { roleUnread } from "./unread.ts";

/** A resource has the desired name, and is neither the object's nor claimed by it. */
const namesake: Phase<Found> = [
  check("namesUnlisted", "Only a complete list of the group shows what has the name.", (observed) =>
    proveListedSince(observed, observed.references.uids.parent, observed.state.specSeenAt),
  ),
  calls("namesakeMayBeGone", "What has the name may be gone, or have another one.", readNamesake),
  reports("nameManagedByOther", "What has the name belongs to another object, or owner.", findNameManagedByOther),
  reports("nameNotAdopted", "What has the name exists, and the spec does not let Muster adopt it.", findNameNotAdopted),
  reports("nameAmbiguous", "Several resources have the name.", findNameAmbiguous),
  ...resource,
];

const wantedByOther = reports<Managed>(
  "wantedByOther",
  "Another object wants the same name or grant and takes precedence.",
  findRival,
);

/** The object has no resource that is known: it is found, adopted, or created. */
export const unclaimed: Phase<Managed> = [
  reports("lossReported", "The resource is gone, which is reported and not corrected.", findLossReported),
  // A marker says whose a resource is. Everything else goes to one of those that want it.
  identifiedBy("marker", [
    where("no resource carries the object's marker", (observed) => asMatched(observed) === undefined, [wantedByOther]),
  ]),
  identifiedBy("fields", [wantedByOther]),
  part("a resource carries the object's marker, or is the grant that the spec describes", asMatched, [
    calls("matchMayBeGone", "The resource may have been deleted meanwhile.", (observed) =>
      readIfStale(observed, [observed.external]),
    ),
    ...resource,
  ]),
  check("absenceUnproven", "That the platform has no resource for the object is not proven.", (observed) =>
    proveAbsenceBelow(observed, observed.references.uids.parent),
  ),
  part("the name is taken", asNamesake, namesake),
  identityUnread(({ references }) => references.uids.identity),
  roleUnread(({ roleToRead }) => roleToRead),
  check("secretMissing", "The Secret to create the resource with was not read, or cannot be used.", (observed) => {
    const given = secretForCreation(observed);
    return "step" in given ? given.step : undefined;
  }),
  calls("nameUnlisted", "Somebody else may have created a resource with the name meanwhile.", (observed) =>
    listBeforeNaming(observed, observed.references.uids.parent, "create"),
  ),
  finalizerMissing,
  calls("absent", "The platform has no resource for the object.", (observed) => {
    const { kind, references } = observed;
    const { uids, desired, naturalKey } = references;
    const given = secretForCreation(observed);
    return {
      do: "create",
      parent: uids.parent,
      body: creationBody(observed, desired),
      naturalKey,
      ...("secret" in given ? given : {}),
      event: { type: "Normal", reason: "Created", note: messages.created(kind.noun, uids.parent) },
    };
  }),
];

function asMatched(observed: Managed): Found | undefined {
  const external = identificationOf(observed).matchOf(observed);
  return external === undefined ? undefined : { ...observed, external };
}

function asNamesake(observed: Managed): Found | undefined {
  const [conflict] = observed.nameConflicts;
  return conflict === undefined ? undefined : { ...observed, external: conflict.external };
}

/** As when it was found to be gone, after its uid was cleared from the status. What is left of it is how it was managed. */
function findLossReported(observed: DecisionInput): Problem | undefined {
  const { status } = observed.resource;
  if (managedUid(observed) !== undefined || !reportsDrift(observed)) return undefined;
  if (status?.management === undefined || status.management === "Observed") return undefined;
  return failing("ExternalGone", absenceMessages.goneReported(observed.kind.noun));
}
