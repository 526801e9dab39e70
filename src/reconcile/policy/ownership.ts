import { kinds } from "#src/kinds/kinds.ts";
import { markerIn } from "#src/kinds/marker.ts";
import type { ExternalResource, NameConflict, Observed } from "#src/reconcile/observe/observed.ts";
import * as messages from "./messages.ts";
import { type Problem, stalled } from "./outcome.ts";

/**
 * Who owns an external resource. Each check is named after the problem that it finds, and returns undefined if there is
 * none. A resource is written only if no check finds a problem.
 */

/** An older object claims the same uid. One resource has one object, and the older one keeps it. */
export function findOlderClaimant({ resource, claim }: Observed): Problem | undefined {
  if (claim === null || claim.olderClaimant === null) return undefined;
  const { name, noun } = kinds[resource.kind];
  const other = messages.otherObject(name, resource.metadata.namespace, claim.olderClaimant);
  return stalled("Conflict", messages.olderClaimant(noun, claim.uid, other));
}

/** The resource is a root group, the operator's identity, or one of its role bindings. */
export function findProtected(observed: Observed, { uid }: ExternalResource): Problem | undefined {
  if (!isProtected(observed, uid)) return undefined;
  return stalled("Conflict", messages.protectedResource(kinds[observed.resource.kind].noun, uid));
}

export function isProtected({ protectedUids }: Observed, uid: string): boolean {
  return protectedUids.includes(uid);
}

/** The resource carries the marker of another object, or of an object of another Muster installation. */
export function findForeignMarker(observed: Observed, external: ExternalResource): Problem | undefined {
  if (!hasForeignMarker(observed, external)) return undefined;
  return stalled("Conflict", messages.foreignMarker(kinds[observed.resource.kind].noun, external.uid));
}

/** Whether `external` carries a marker that is not ours. */
export function hasForeignMarker({ resource, markers }: Observed, external: ExternalResource): boolean {
  if (!kinds[resource.kind].hasMarker || !("description" in external)) return false;
  const marker = markerIn(external.description);
  return marker !== undefined && !markers.includes(marker);
}

/** A second resource carries our marker, and this process did not create it: somebody copied the marker. */
export function findCopiedMarker(observed: Observed, external: ExternalResource): Problem | undefined {
  const { resource, matches, doublePosted } = observed;
  const { hasMarker, collection } = kinds[resource.kind];
  const copy = hasMarker && !doublePosted ? matches.find(({ uid }) => uid !== external.uid) : undefined;
  if (copy === undefined) return undefined;
  return stalled("Conflict", messages.copiedMarker(collection, external.uid, copy.uid));
}

/** An equal resource of a kind without markers exists, this process did not create it, and it may not be adopted. */
export function findEqualNotAdopted(
  { resource, postedHere }: Observed,
  external: ExternalResource,
): Problem | undefined {
  const { hasMarker, noun } = kinds[resource.kind];
  if (hasMarker || postedHere || resource.spec.policy.adoption === "IfExists") return undefined;
  return stalled("Conflict", messages.equalResource(noun, external.uid));
}

/** A resource with the desired name belongs to another object or to another Muster installation. */
export function findNameManagedByOther(observed: Observed): Problem | undefined {
  const { resource, nameConflicts } = observed;
  const conflict = nameConflicts.find(
    ({ claimedBy, external }) => claimedBy !== null || hasForeignMarker(observed, external),
  );
  if (conflict === undefined) return undefined;
  const { name, noun } = kinds[resource.kind];
  const owner =
    conflict.claimedBy === null
      ? messages.anotherInstallation()
      : messages.otherObject(name, resource.metadata.namespace, conflict.claimedBy);
  return stalled("Conflict", messages.nameManagedBy(noun, nameOf(observed, conflict), conflict.external.uid, owner));
}

/** A resource with the desired name exists, and the spec does not let Muster adopt it. */
export function findNameNotAdopted(observed: Observed): Problem | undefined {
  const { resource, nameConflicts } = observed;
  const [conflict] = nameConflicts;
  if (conflict === undefined || resource.spec.policy.adoption === "IfExists") return undefined;
  return stalled(
    "Conflict",
    messages.nameNotAdopted(kinds[resource.kind].noun, nameOf(observed, conflict), conflict.external.uid),
  );
}

/** Several resources have the desired name, so that it does not say which one to adopt. */
export function findNameAmbiguous(observed: Observed): Problem | undefined {
  const { nameConflicts } = observed;
  const [conflict] = nameConflicts;
  if (conflict === undefined || nameConflicts.length === 1) return undefined;
  return stalled(
    "Conflict",
    messages.nameAmbiguous(
      nameOf(observed, conflict),
      nameConflicts.map(({ external }) => external.uid),
    ),
  );
}

function nameOf({ resource }: Observed, { external }: NameConflict): string {
  return kinds[resource.kind].nameOf(external) ?? "";
}
