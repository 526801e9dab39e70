import { carriedMarker } from "#src/kinds/marker.ts";
import type { ExternalResource, NameConflict } from "#src/reconcile/observe/observed.ts";
import type { DecisionInput } from "./decision-input.ts";
import * as messages from "./messages.ts";
import { type Problem, stalled } from "./outcome.ts";

/**
 * Who owns an external resource. Each check is named after the problem that it finds, and returns undefined if there is
 * none. A resource is written only if no check finds a problem.
 */

/** An older object claims the same uid. One resource has one object, and the older one keeps it. */
export function findOlderClaimant({ resource, kind, claim }: DecisionInput): Problem | undefined {
  if (claim === null || claim.olderClaimant === null) return undefined;
  const other = messages.otherObject(kind.name, resource.metadata.namespace, claim.olderClaimant);
  return stalled("Conflict", messages.olderClaimant(kind.noun, claim.uid, other));
}

/** The resource is a root group, the operator's identity, or one of its role bindings. */
export function findProtected(observed: DecisionInput, { uid }: ExternalResource): Problem | undefined {
  if (!isProtected(observed, uid)) return undefined;
  return stalled("Conflict", messages.protectedResource(observed.kind.noun, uid));
}

export function isProtected({ protectedUids }: DecisionInput, uid: string): boolean {
  return protectedUids.includes(uid);
}

/** The resource carries the marker of another object, or of an object of another Muster installation. */
export function findForeignMarker(observed: DecisionInput, external: ExternalResource): Problem | undefined {
  if (!hasForeignMarker(observed, external)) return undefined;
  return stalled("Conflict", messages.foreignMarker(observed.kind.noun, external.uid));
}

/** Whether `external` carries a marker that is not ours. */
export function hasForeignMarker({ kind, markers }: DecisionInput, external: ExternalResource): boolean {
  const marker = kind.hasMarker ? carriedMarker(external) : undefined;
  return marker !== undefined && !markers.includes(marker);
}

/** A second resource carries our marker, and this process did not create it: somebody copied the marker. */
export function findCopiedMarker(observed: DecisionInput, external: ExternalResource): Problem | undefined {
  const { kind, matches, doublePosted } = observed;
  const copy = kind.hasMarker && !doublePosted ? matches.find(({ uid }) => uid !== external.uid) : undefined;
  if (copy === undefined) return undefined;
  return stalled("Conflict", messages.copiedMarker(kind.collection.name, external.uid, copy.uid));
}

/** An equal resource of a kind without markers exists, this process did not create it, and it may not be adopted. */
export function findEqualNotAdopted(
  { resource, kind, postedHere }: DecisionInput,
  external: ExternalResource,
): Problem | undefined {
  if (kind.hasMarker || postedHere || resource.spec.policy.adoption !== "Never") return undefined;
  return stalled("Conflict", messages.equalResource(kind.noun, external.uid));
}

/** A resource with the desired name belongs to another object or to another Muster installation. */
export function findNameManagedByOther(observed: DecisionInput): Problem | undefined {
  const { resource, kind, nameConflicts } = observed;
  const conflict = nameConflicts.find(
    ({ claimedBy, external }) => claimedBy !== null || hasForeignMarker(observed, external),
  );
  if (conflict === undefined) return undefined;
  const owner =
    conflict.claimedBy === null
      ? messages.anotherInstallation()
      : messages.otherObject(kind.name, resource.metadata.namespace, conflict.claimedBy);
  return stalled(
    "Conflict",
    messages.nameManagedBy(kind.noun, nameOf(observed, conflict), conflict.external.uid, owner),
  );
}

/** A resource with the desired name exists, and the spec does not let Muster adopt it. */
export function findNameNotAdopted(observed: DecisionInput): Problem | undefined {
  const { resource, kind, nameConflicts } = observed;
  const [conflict] = nameConflicts;
  if (conflict === undefined || resource.spec.policy.adoption !== "Never") return undefined;
  return stalled("Conflict", messages.nameNotAdopted(kind.noun, nameOf(observed, conflict), conflict.external.uid));
}

/** Several resources have the desired name, so that it does not say which one to adopt. */
export function findNameAmbiguous(observed: DecisionInput): Problem | undefined {
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

function nameOf({ kind }: DecisionInput, { external }: NameConflict): string {
  return kind.collection.nameOf(external) ?? "";
}
