import { ownerOf } from "#src/kinds/marker.ts";
import type { ExternalResource, NameConflict } from "#src/reconcile/observe/observed.ts";
import { conflictMessages } from "./conflict-messages.ts";
import type { DecisionInput } from "./decision-input.ts";
import { identificationOf } from "./identification-of.ts";
import * as nameMessages from "./name-messages.ts";
import { type Problem, stalled } from "./outcome.ts";
import * as ownershipMessages from "./ownership-messages.ts";
import { foreignMarkerOf } from "./ownership.ts";

// Who else has, or wants, what an object wants. Each check is named after the problem that it finds, and returns undefined if there
// is none. A resource is written only if no check finds a problem.

/** The uid belongs to another object. One resource has one object. */
export function findOtherClaimant(observed: DecisionInput): Problem | undefined {
  const { resource, kind, claim } = observed;
  if (claim === null || claim.claimedBy === null) return undefined;
  const other = ownershipMessages.otherObject(kind.name, resource.metadata.namespace, claim.claimedBy);
  return stalled("Conflict", identificationOf(observed).claimedByOther(observed, claim.uid, other));
}

/** Another object wants the same name below the same parent, the same grant, or the same Secret, and comes first. */
export function findRival(observed: DecisionInput): Problem | undefined {
  const { resource, kind, rival } = observed;
  if (rival === null) return undefined;
  const other = ownershipMessages.otherObject(kind.name, resource.metadata.namespace, rival);
  return stalled("Conflict", identificationOf(observed).wantedByOther(observed, other));
}

/** The resource carries the marker of another object, or of another owner. */
export function findForeignMarker(observed: DecisionInput, external: ExternalResource): Problem | undefined {
  const marker = foreignMarkerOf(observed, external);
  if (marker === undefined) return undefined;
  const { kind } = observed;
  return stalled("Conflict", ownershipMessages.foreignMarker(kind.noun, external.uid, otherOwnerIn(observed, marker)));
}

/** The hash of the owner in `marker`, unless it is one of ours. */
function otherOwnerIn({ markers }: DecisionInput, marker: string): string | undefined {
  const owner = ownerOf(marker);
  return markers.some((own) => ownerOf(own) === owner) ? undefined : owner;
}

/** A resource with the desired name belongs to another object or to another owner. */
export function findNameManagedByOther(observed: DecisionInput): Problem | undefined {
  const { resource, kind, nameConflicts, nameCircle } = observed;
  const conflict = nameConflicts.find(
    ({ claimedBy, external }) => claimedBy !== null || foreignMarkerOf(observed, external) !== undefined,
  );
  if (conflict === undefined) return undefined;
  const name = nameOf(observed, conflict);
  const { uid } = conflict.external;
  if (conflict.claimedBy !== null) {
    const nameObject = (key: string) => ownershipMessages.otherObject(kind.name, resource.metadata.namespace, key);
    if (nameCircle.length > 0) {
      const self = `${kind.name} ${resource.metadata.name}`;
      return stalled("Conflict", nameMessages.namesSwapped(kind.noun, name, uid, self, nameCircle.map(nameObject)));
    }
    const other = nameObject(conflict.claimedBy);
    return stalled("Conflict", conflictMessages(kind).nameOfOther(kind.noun, name, uid, other));
  }
  const marker = foreignMarkerOf(observed, conflict.external);
  const owner = ownershipMessages.anotherOwner(marker === undefined ? undefined : otherOwnerIn(observed, marker));
  return stalled("Conflict", conflictMessages(kind).nameManagedBy(kind.noun, name, uid, owner));
}

/** A resource with the desired name exists, and this object manages another one. */
export function findNameTaken(observed: DecisionInput): Problem | undefined {
  const { kind, nameConflicts } = observed;
  const [conflict] = nameConflicts;
  if (conflict === undefined) return undefined;
  return stalled("Conflict", nameMessages.nameTaken(kind.noun, nameOf(observed, conflict), conflict.external.uid));
}

/** A resource with the desired name exists, and the spec does not let Muster adopt it. */
export function findNameNotAdopted(observed: DecisionInput): Problem | undefined {
  const { resource, kind, nameConflicts } = observed;
  const [conflict] = nameConflicts;
  if (conflict === undefined || resource.spec.policy.adoption === "IfExists") return undefined;
  const name = nameOf(observed, conflict);
  return stalled("Conflict", conflictMessages(kind).nameNotAdopted(kind.noun, name, conflict.external.uid));
}

/** Several resources have the desired name, so that it does not say which one is meant. */
export function findNameAmbiguous(observed: DecisionInput): Problem | undefined {
  const { nameConflicts } = observed;
  const [conflict] = nameConflicts;
  if (conflict === undefined || nameConflicts.length === 1) return undefined;
  return stalled(
    "Conflict",
    nameMessages.nameAmbiguous(
      nameOf(observed, conflict),
      nameConflicts.map(({ external }) => external.uid),
    ),
  );
}

function nameOf({ kind }: DecisionInput, { external }: NameConflict): string {
  return kind.collection.nameOf(external) ?? "";
}
