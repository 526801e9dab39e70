import { readyCondition } from "#src/api/condition.ts";
import { takenName, wantedName } from "#src/kinds/unique-name.ts";
import { ownDuplicateOf, proveListedSince } from "./absence.ts";
import { adopting, finalizerMissing } from "./adoption.ts";
import { calls, check, part, type Phase, reports, where } from "./check.ts";
import { conclude } from "./conclude.ts";
import type { Found, Managed } from "./decision-input.ts";
import * as deletionMessages from "./deletion-messages.ts";
import { asDiffering, differing } from "./drift.ts";
import { listBeforeNaming, readBeforeEnding, readIfStale } from "./freshness.ts";
import * as ownershipMessages from "./ownership-messages.ts";
import { findForeignMarker, findNameManagedByOther, findNameTaken, findRival } from "./conflicts.ts";
import { identificationOf } from "./identification-of.ts";
import { findProtected, managedUid } from "./ownership.ts";
import { recordOf } from "./recorded.ts";
import { awaitSentSecret, concludeUnusableSecret, readSecretFirst } from "./secret.ts";
import type { Event, PlatformStep, Step } from "./step.ts";
import { findOutsideTenant } from "./tenant.ts";
import { decideRemoval } from "./undeclared.ts";

/** A POST of this process whose response was lost created the resource a second time. */
const duplicated: Phase<Duplicated> = [
  calls("duplicateUnread", "The second resource was not read a moment ago.", (observed) =>
    readBeforeEnding(observed, observed.duplicate),
  ),
  calls("duplicate", "The resource was created twice.", ({ kind, duplicate, external }) => {
    const note = deletionMessages.duplicateDeleted(kind.noun, duplicate, external.uid);
    return { do: "delete", uid: duplicate, event: { type: "Normal", reason: "Deleted", note } };
  }),
];

/** A resource is renamed only to a unique name that a fresh list shows to be free, and that no other object comes first for. */
const renaming: Phase<Found> = [
  calls("nameUnlisted", "Somebody else may have created a resource with the name meanwhile.", (observed) =>
    observed.nameConflicts.length === 0
      ? listBeforeNaming(observed, observed.references.uids.parent, "update")
      : undefined,
  ),
  where("something had the name", ({ nameConflicts }) => nameConflicts.length > 0, [
    check("namesUnlisted", "Only a complete list shows that what had the name is gone.", (observed) =>
      proveListedSince(observed, observed.references.uids.parent, observed.state.specSeenAt),
    ),
    calls("namesakeMayBeGone", "What had the name may be gone, or have another one.", readNamesake),
  ]),
  reports("nameManagedByOther", "What has the name belongs to another object, or owner.", findNameManagedByOther),
  reports("nameTaken", "A resource with the name exists, and the object has another one.", findNameTaken),
  reports("wantedByOther", "Another object wants the same name and takes precedence.", findRival),
];

/** A resource that is the object's, or that it may adopt. Nothing is written before it is known to be the object's. */
export const resource: Phase<Found> = [
  reports("protectedResource", "Muster never writes the resource.", (observed) =>
    findProtected(observed, observed.external),
  ),
  reports("foreignMarker", "The resource carries the marker of another object, or owner.", (observed) =>
    findForeignMarker(observed, observed.external),
  ),
  reports("outsideTenant", "The resource lies outside of the Tenant's groups.", (observed) =>
    findOutsideTenant(observed, observed.external.uid),
  ),
  where("it is not the object's yet", (observed) => identificationOf(observed).isToAdopt(observed), adopting),
  finalizerMissing,
  part("it was created twice", asDuplicated, duplicated),
  where("its name differs", differsInName, renaming),
  check("secretUnread", "The Secret that the spec names was not read.", readSecretFirst),
  check("secretUnsettled", "A leader that died may have sent a secret that has not arrived yet.", (observed) =>
    awaitSentSecret(observed, observed.external),
  ),
  part("a field differs", asDiffering, differing),
  check("secretUnusable", "The Secret that the spec names cannot be used.", concludeUnusableSecret),
  check("undeclaredLeft", "The group has a resource that nobody declares, and that is to be removed.", decideRemoval),
  check("ready", "The resource is what the spec describes.", concludeReady),
];

interface Duplicated extends Found {
  /** The uid of the second resource. */
  readonly duplicate: string;
}

function asDuplicated(observed: Found): Duplicated | undefined {
  const duplicate = ownDuplicateOf(observed, observed.external);
  return duplicate === undefined ? undefined : { ...observed, duplicate: duplicate.uid };
}

function differsInName({ kind, resource: object, external }: Found): boolean {
  const name = wantedName(kind, object);
  return name !== undefined && name !== takenName(kind, external);
}

/** The step that reads a resource which may not have the desired name any longer. */
export function readNamesake(observed: Managed): PlatformStep | undefined {
  return readIfStale(
    observed,
    observed.nameConflicts.map(({ external }) => external),
  );
}

function concludeReady(observed: Found): Step {
  const { resource: object, kind, external, references } = observed;
  const { uid } = external;
  const management = identificationOf(observed).managementOf(observed, external);
  const isNew =
    managedUid(observed) !== uid ||
    object.status?.lastSyncTime === undefined ||
    readyCondition(object)?.reason === "Updating";
  const adopted: Event | undefined =
    management === "Adopted" && isNew
      ? { type: "Normal", reason: "Adopted", note: ownershipMessages.adopted(kind.noun, uid) }
      : undefined;
  const recorded = recordOf(references.uids, external, management);
  return conclude(observed, { is: "ready", recorded }, undefined, adopted);
}
