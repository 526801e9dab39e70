import { carriedMarker, ownerOf, saysAdopted } from "#src/kinds/marker.ts";
import { records } from "#src/kinds/records.ts";
import { issuedSecretLocation } from "#src/kinds/secret-location.ts";
import type { ExternalResource, NameConflict, Protection, References } from "#src/reconcile/observe/observed.ts";
import type { DecisionInput } from "./decision-input.ts";
import { conflictMessages } from "./conflict-messages.ts";
import { secretWantedBy } from "./issue-messages.ts";
import { issuesCode, ownsIssued } from "./issued.ts";
import * as nameMessages from "./name-messages.ts";
import * as ownershipMessages from "./ownership-messages.ts";
import { type Problem, stalled } from "./outcome.ts";

/**
 * Who owns an external resource. Ownership is a recorded fact. A resource is this object's if one of these holds:
 * - it carries the object's marker;
 * - it carries no marker, and the status records it as Created or Adopted: its uid, and for a singleton, whose uid is used
 *   again, the time of its creation;
 * - it is a resource without markers (a role binding) whose group, identity and role equal the uids in the status;
 * - it is a resource with a code (`issued.ts`), and the status or the Secret with its code names its uid.
 * A uid in the spec establishes nothing: see `adoption.ts`.
 *
 * The checks are named after the problem that they find, and return undefined if there is none. A resource is written only
 * if no check finds a problem.
 */

/** The uid of the resource that the object manages, as its status records it. */
export function managedUid({ resource: { status } }: DecisionInput): string | undefined {
  return status?.management === "Observed" ? undefined : status?.uid;
}

/** Whether the object owns `external`, so that it may be written. */
export function owns(observed: DecisionInput, external: ExternalResource): boolean {
  const { kind, markers, resource } = observed;
  if (issuesCode(observed)) return ownsIssued(observed, external);
  if (!kind.hasMarker) {
    const key = recordedKey(observed);
    return managedUid(observed) === external.uid && key !== undefined && naturalKeyOf(observed, external) === key;
  }
  const marker = carriedMarker(external);
  if (marker !== undefined) return markers.includes(marker);
  return saysManaged(resource.status?.management) && records(resource.status, external);
}

/** How the object came to `external`, which it owns. A lost status does not turn an adopted resource into a created one. */
export function managementOf({ resource, kind }: DecisionInput, external: ExternalResource): "Created" | "Adopted" {
  const { status } = resource;
  if (records(status, external) && saysManaged(status?.management)) return status.management;
  return kind.hasMarker && saysAdopted(external.description ?? "") ? "Adopted" : "Created";
}

function saysManaged(management: string | undefined): management is "Created" | "Adopted" {
  return management === "Created" || management === "Adopted";
}

/**
 * The natural key of the resource that the object manages: from the uids in its status; before there are any, from its
 * spec. Only for kinds without markers.
 */
export function recordedKey({ resource: { status }, kind, references }: DecisionInput): string | undefined {
  if (status?.parentUid !== undefined && status.identityUid !== undefined && status.roleUid !== undefined)
    return kind.naturalKey({ parent: status.parentUid, identity: status.identityUid, role: status.roleUid }, "");
  return references.are === "resolved" ? references.naturalKey : undefined;
}

/** Whether `external` is the resource that the spec describes. Only for kinds without markers. */
export function equalsSpec(
  observed: DecisionInput,
  { naturalKey }: Extract<References, { are: "resolved" }>,
  external: ExternalResource,
): boolean {
  return naturalKeyOf(observed, external) === naturalKey;
}

function naturalKeyOf({ kind }: DecisionInput, external: ExternalResource): string | undefined {
  return kind.collection.naturalKeyOf(external);
}

/** The uid belongs to another object. One resource has one object. */
export function findOtherClaimant({ resource, kind, claim }: DecisionInput): Problem | undefined {
  if (claim === null || claim.claimedBy === null) return undefined;
  const other = ownershipMessages.otherObject(kind.name, resource.metadata.namespace, claim.claimedBy);
  // A resource with a code is found by its Secret, and never adopted.
  const message =
    kind.issued === null
      ? ownershipMessages.claimedByOther(kind.noun, claim.uid, other)
      : secretWantedBy(kind.issued.specPath, issuedSecretLocation(kind.issued, resource), other);
  return stalled("Conflict", message);
}

/** Another object wants the same name below the same parent, or the same grant, and comes first. */
export function findRival(observed: DecisionInput): Problem | undefined {
  const { resource, kind, rival } = observed;
  if (rival === null) return undefined;
  const other = ownershipMessages.otherObject(kind.name, resource.metadata.namespace, rival);
  return stalled(
    "Conflict",
    kind.hasMarker ? conflictMessages(kind).nameWantedBy(other) : ownershipMessages.equalWantedBy(kind.noun, other),
  );
}

/** The resource is a root group, or belongs to a credential: it is never written. */
export function findProtected(observed: DecisionInput, { uid }: ExternalResource): Problem | undefined {
  const because = protectionOf(observed, uid);
  if (because !== "root" && because !== "credential") return undefined;
  return stalled("Conflict", ownershipMessages.protectedResource(observed.kind.noun, uid, because));
}

export function protectionOf({ protections }: DecisionInput, uid: string): Protection["because"] | undefined {
  return protections.find((protection) => protection.uid === uid)?.because;
}

/** Whether the resource belongs to an identity for emergencies, or to one of another owner. */
export function isNeverAdopted(observed: DecisionInput, uid: string): boolean {
  const because = protectionOf(observed, uid);
  return because === "breakGlass" || because === "otherOwner";
}

/** The resource carries the marker of another object, or of another owner. */
export function findForeignMarker(observed: DecisionInput, external: ExternalResource): Problem | undefined {
  const marker = foreignMarkerOf(observed, external);
  if (marker === undefined) return undefined;
  const { kind } = observed;
  return stalled("Conflict", ownershipMessages.foreignMarker(kind.noun, external.uid, otherOwnerIn(observed, marker)));
}

/** The marker of `external` if it is not one of the object's. */
export function foreignMarkerOf({ kind, markers }: DecisionInput, external: ExternalResource): string | undefined {
  const marker = kind.hasMarker ? carriedMarker(external) : undefined;
  return marker !== undefined && !markers.includes(marker) ? marker : undefined;
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
