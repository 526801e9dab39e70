import { recordedNaturalKey } from "#src/kinds/records.ts";
import type { ExternalResource } from "#src/reconcile/observe/observed.ts";
import type { DecisionInput, Resolved } from "./decision-input.ts";
import * as ownershipMessages from "./ownership-messages.ts";
import { isNeverAdopted, managedUid } from "./ownership.ts";
import { freeMatches, isGuardingNothing, ownFirst, recreated } from "./recreated.ts";
import type { IdentificationRules } from "./identification-rules.ts";

/**
 * A resource is what it grants, and where: it is the object's if the status records it, and it still grants what the status says.
 * Without a record, an equal one that nobody else wants is as good as the object's own.
 */
export const identificationByFields: IdentificationRules = {
  ...recreated,
  owns: (observed, external) => {
    const key = recordedKey(observed);
    return managedUid(observed) === external.uid && key !== undefined && keyOf(observed, external) === key;
  },
  managementOf: (observed, external) => {
    const isAdopted =
      managedUid(observed) === external.uid
        ? observed.resource.status?.management === "Adopted"
        : !isOfOwnPost(observed, external);
    return isAdopted ? "Adopted" : "Created";
  },
  // A forged status is not enough to end a grant in a group of another Tenant: it is one to an identity of this Tenant.
  provesOurs: ({ kind }, groups, found) => {
    const identity = kind.identityOf(found);
    return identity !== undefined && groups.some((group) => kind.collection.uids.isBelow(identity, group));
  },
  disowns: (observed, found) => managedUid(observed) === found.uid && !identificationByFields.owns(observed, found),

  isToAdopt: (observed) =>
    !isOfOwnPost(observed, observed.external) && !identificationByFields.owns(observed, observed.external),
  // Declaring a grant owns an equal one: that grants nothing that the object does not.
  asksToAdopt: ({ resource }) => resource.spec.uid !== undefined,
  meantOf: (observed, candidates) => candidates.find((external) => equalsSpec(observed, external)),
  matchOf: (observed) => {
    const equal = observed.matches.filter((match) => equalsSpec(observed, match));
    return ownFirst(observed, equal);
  },

  recordsAnother: (observed) => recordedKey(observed) !== observed.references.naturalKey,
  // A grant always ends with its object.
  staysAsAdopted: () => false,
  describe: () => undefined,
  equalUids: ({ matches }) => matches.map(({ uid }) => uid),

  unrecordedUid: (observed) => {
    const { resource, state } = observed;
    const free = freeMatches(observed);
    if (state.posted !== undefined)
      return free.find((match) => keyOf(observed, match) === state.posted?.naturalKey)?.uid;
    const uid = ownFirst(observed, free)?.uid;
    // An object with spec.uid never creates, and an object that was not seen to be created may have, before a restart.
    if (uid === undefined || isNeverAdopted(observed, uid)) return undefined;
    return state.bornHere || resource.spec.uid !== undefined ? undefined : uid;
  },
  guardsNothing: (observed) => isGuardingNothing(observed, identificationByFields.unrecordedUid(observed), true),
  wantedByOther: ({ kind }, other) => ownershipMessages.equalWantedBy(kind.noun, other),
};

/** Whether `external` is the grant that the spec describes. */
export function equalsSpec(
  observed: DecisionInput & { readonly references: Resolved },
  external: ExternalResource,
): boolean {
  return keyOf(observed, external) === observed.references.naturalKey;
}

/** The natural key of the grant that the object manages: from the uids in its status; before there are any, from its spec. */
function recordedKey({ resource: { status }, kind, references }: DecisionInput): string | undefined {
  return recordedNaturalKey(kind, status) ?? (references.are === "resolved" ? references.naturalKey : undefined);
}

function keyOf({ kind }: DecisionInput, external: ExternalResource): string | undefined {
  return kind.collection.naturalKeyOf(external);
}

/** Whether the grant is what this process posted for this object: with this key, nothing else was there before (`absence.ts`). */
function isOfOwnPost({ state, resource: { status }, references }: DecisionInput, { uid }: ExternalResource): boolean {
  return status?.uid !== uid && references.are === "resolved" && state.posted?.naturalKey === references.naturalKey;
}
