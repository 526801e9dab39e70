import { carriedMarker, markerFitsIn, markerIn, saysAdopted, withMarker, withoutMarker } from "#src/kinds/marker.ts";
import { records } from "#src/kinds/records.ts";
import { takenName, wantedName } from "#src/kinds/unique-name.ts";
import type { ExternalResource } from "#src/reconcile/observe/observed.ts";
import { isAbsentBelowRoots } from "./absence-proof.ts";
import { appliedGeneration } from "./applied.ts";
import { conflictMessages } from "./conflict-messages.ts";
import { type DecisionInput, groupOf } from "./decision-input.ts";
import { textOf } from "./field-differences.ts";
import { managedUid, saysManaged } from "./ownership.ts";
import { freeMatches, isGuardingNothing, ownFirst, recreated } from "./recreated.ts";
import type { IdentificationRules } from "./identification-rules.ts";

/** A marker in its description says whose a resource is, in any group, and whether it existed before. */
export const identificationByMarker: IdentificationRules = {
  ...recreated,
  owns: ({ markers, resource: { status } }, external) => {
    const marker = carriedMarker(external);
    if (marker !== undefined) return markers.includes(marker);
    return saysManaged(status?.management) && records(status, external);
  },
  managementOf: ({ resource: { status } }, external) => {
    if (records(status, external) && saysManaged(status?.management)) return status.management;
    return saysAdopted(external.description ?? "") ? "Adopted" : "Created";
  },
  provesOurs: ({ markers }, _groups, found) => markers.includes(carriedMarker(found) ?? ""),
  disowns: (observed, found) => managedUid(observed) === found.uid && !identificationByMarker.owns(observed, found),

  isToAdopt: (observed) =>
    !identificationByMarker.owns(observed, observed.external) || isBeingAdopted(observed, observed.external),
  asksToAdopt: () => true,
  meantOf: (observed, candidates) => {
    const { kind, resource, references } = observed;
    const named = candidates.filter(
      (external) =>
        takenName(kind, external) === wantedName(kind, resource) &&
        groupOf(observed, external.uid) === references.uids.parent,
    );
    return named.length === 1 ? named[0] : undefined;
  },
  matchOf: (observed) => ownFirst(observed, observed.matches),

  recordsAnother: () => false,
  staysAsAdopted: (observed, found) => {
    // What was created in place of an adopted resource that is gone was not adopted, whatever the status still records.
    const management =
      found === undefined ? observed.resource.status?.management : identificationByMarker.managementOf(observed, found);
    return management === "Adopted";
  },
  equalUids: () => [],
  // A marker that was removed is restored, and so is its record of how the resource was managed first.
  describe: (observed, desired, external) => {
    const { markers } = observed;
    const description = external.description ?? "";
    const text = withoutMarker(description);
    const expected = desired === undefined ? text : textOf(desired);
    const marker = markerIn(description);
    const adopted = identificationByMarker.managementOf(observed, external) === "Adopted";
    const lacksMarker =
      (marker === undefined || saysAdopted(description) !== adopted) && markerFitsIn(expected, markers[0]);
    if (expected === text && !lacksMarker) return undefined;
    const ownMarker = marker !== undefined && markers.includes(marker) ? marker : markers[0];
    const actual = expected === text ? `${text} (without Muster's marker)` : text;
    return { text: withMarker(expected, ownMarker, adopted), drift: { field: "description", expected, actual } };
  },

  unrecordedUid: (observed) => ownFirst(observed, freeMatches(observed))?.uid,
  guardsNothing: (observed) =>
    isGuardingNothing(observed, identificationByMarker.unrecordedUid(observed), isAbsentBelowRoots(observed)),
  wantedByOther: ({ kind }, other) => conflictMessages(kind).nameWantedBy(other),
};

/** The adoption is recorded, and the marker was never written: before that, no spec is applied. */
function isBeingAdopted({ resource: { status } }: DecisionInput, external: ExternalResource): boolean {
  return (
    status?.management === "Adopted" && carriedMarker(external) === undefined && appliedGeneration(status) === undefined
  );
}
