import { hasFinalizer } from "#src/api/custom-resource.ts";
import { calls, check, type Phase, reports, where } from "./check.ts";
import { recordNow } from "./conclude.ts";
import type { DecisionInput, Found } from "./decision-input.ts";
import { otherPeopleMessage } from "./dependent-people.ts";
import { markerFits } from "./differences.ts";
import { readBeforeUpdate } from "./freshness.ts";
import { type Problem, stalled, waiting } from "./outcome.ts";
import * as ownershipMessages from "./ownership-messages.ts";
import { identificationOf } from "./identification-of.ts";
import { identifiedBy } from "./identified-by.ts";
import { protectionOf } from "./ownership.ts";
import { heldRoleUnread, onGrants } from "./on-grants.ts";
import { recordOf } from "./recorded.ts";
import { timeUnknown } from "./singleton-messages.ts";
import { findAdoptionDenied } from "./tenant.ts";
import { identityUnread } from "./unknown-identity.ts";
import { roleUnread } from "./unread.ts";

/** Nothing is created or taken over before the finalizer keeps the object until that is gone. */
export const finalizerMissing = check("finalizerMissing", "The object has no finalizer yet.", ({ resource }) =>
  hasFinalizer(resource) ? undefined : { do: "addFinalizer" },
);

/**
 * Whoever may change who assumes an identity gets its roles: it is adopted only if the Tenant may bind all of them. Whoever may
 * change a role changes what the identities can do that have it: it is adopted only if the Tenant could take over every role
 * binding of it, so that a Role object takes nothing from an identity from which a RoleBinding object could not take it; and
 * only if its own capabilities are not needed to permit what the spec says: a role that an object manages permits nothing.
 */
const granted: Phase<Found> = onGrants([
  reports("bindingsDenied", "The Tenant may not take over the role bindings of the resource.", (observed) => {
    const { kind, external, read } = observed;
    if (read.denied.length === 0) return undefined;
    const message =
      kind.bindable === null
        ? ownershipMessages.identityHoldsMore(external.uid)
        : ownershipMessages.roleHeldByOthers(external.uid, read.denied);
    return stalled("TenantDenied", message);
  }),
  reports("roleNeededForItself", "Nothing but the role itself permits what the spec says.", ({ external, read }) =>
    read.excess.length === 0
      ? undefined
      : stalled("TenantDenied", ownershipMessages.rolePermitsItself(external.uid, read.excess)),
  ),
  heldRoleUnread,
  calls("identityUnread", "Whether an identity is the credential of another operator is not known.", ({ read }) =>
    read.unknownIdentity === null ? undefined : { do: "readIdentity", identity: read.unknownIdentity },
  ),
]);

/**
 * Makes an existing resource the object's; finds nothing once it is. To adopt is: one write to the status that
 * records the uid and `Adopted`, and then one PATCH that writes the marker together with the fields that differ (see
 * `drift.ts`). A second cluster meets the marker and reports a Conflict, and a lost status does not turn the resource
 * into something created. What forbids an adoption is checked until the marker is written. A role binding, which has no marker, is taken
 * over by the status alone, with the first Ready (`resource.ts`).
 */
export const adopting: Phase<Found> = [
  identityUnread(({ kind, external }) => kind.identityOf(external)),
  // Before an equal role binding is taken over, as before one is created: the Tenant may not permit what the role allows now.
  roleUnread(({ roleToRead }) => roleToRead),
  reports(
    "adoptionDenied",
    "The Tenant does not allow existing resources to be adopted. A role binding is exempt, unless `spec.uid` names it.",
    findNotPermitted,
  ),
  reports("neverAdopted", "It belongs to an identity for emergencies, or of another owner.", findAdoptionProtected),
  reports("otherPeople", "It lets in other people than the spec says.", findOtherPeople),
  reports("timeUnknown", "The platform does not say when it created a singleton.", findTimeUnknown),
  identifiedBy("marker", [
    reports("noRoomForMarker", "The description leaves no room for the marker.", findNoRoomForMarker),
  ]),
  where("it is an identity or a role", ({ kind }) => kind.bindable !== null || kind.principal !== null, granted),
  finalizerMissing,
  // Without a marker there is nothing to write to the platform: the status that reports Ready records the adoption.
  identifiedBy("marker", [
    where(
      "the resource has not the object's marker",
      (observed) => !identificationOf(observed).owns(observed, observed.external),
      [
        calls("readBeforeUpdate", "The resource was not read since the spec was seen.", (observed) =>
          readBeforeUpdate(observed, observed.external),
        ),
        check("adoptable", "Nothing forbids the adoption.", (observed) =>
          recordNow(observed, {
            ...waiting("Updating", ownershipMessages.adopting(observed.kind.noun, observed.external.uid)),
            recorded: recordOf(observed.references.uids, observed.external, "Adopted"),
          }),
        ),
      ],
    ),
  ]),
];

function findNotPermitted(observed: DecisionInput): Problem | undefined {
  return identificationOf(observed).asksToAdopt(observed) ? findAdoptionDenied(observed) : undefined;
}

/** The resource belongs to an identity for emergencies, or to one of another owner. */
function findAdoptionProtected(observed: Found): Problem | undefined {
  const { uid } = observed.external;
  const because = protectionOf(observed, uid);
  if (because !== "breakGlass" && because !== "otherOwner") return undefined;
  return stalled("Conflict", ownershipMessages.neverAdopted(observed.kind.noun, uid, because));
}

/**
 * The resource lets in other people than the spec says. To adopt it would lock out those whom it lets in now, and nothing would
 * show any longer that they are people: that is why the spec cannot be changed so, either.
 */
function findOtherPeople({ kind, resource, external }: Found): Problem | undefined {
  const [other] = kind.vouching?.otherPeople(resource, external) ?? [];
  if (other === undefined) return undefined;
  return stalled("Conflict", otherPeopleMessage(other.specPath, kind.noun, external.uid, other.actual));
}

/** The platform does not say when it created a singleton: the status could not record this one, see `records`. */
function findTimeUnknown({ kind, external: { uid, createTime } }: Found): Problem | undefined {
  return createTime === "" ? stalled("Conflict", timeUnknown(kind.noun, uid)) : undefined;
}

/** The description leaves no room for the marker, without which another cluster could adopt the resource, too. */
function findNoRoomForMarker(observed: Found): Problem | undefined {
  const { kind, external } = observed;
  if (markerFits(observed, external)) return undefined;
  return stalled("InvalidSpec", ownershipMessages.noRoomForMarker(kind.noun, external.uid));
}
