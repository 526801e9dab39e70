import { hasFinalizer } from "#src/api/custom-resource.ts";
import { carriedMarker } from "#src/kinds/marker.ts";
import type { ExternalResource } from "#src/reconcile/observe/observed.ts";
import { appliedGeneration } from "./applied.ts";
import { conclude, recordNow } from "./conclude.ts";
import type { DecisionInput } from "./decision-input.ts";
import { markerFits } from "./differences.ts";
import { readBeforeUpdate } from "./freshness.ts";
import * as ownershipMessages from "./ownership-messages.ts";
import { type Problem, stalled, waiting } from "./outcome.ts";
import { otherPeople } from "./people-messages.ts";
import { owns, protectionOf } from "./ownership.ts";
import type { Placed } from "./placed.ts";
import { recentGrants } from "./recent-grants.ts";
import { recordOf } from "./recorded.ts";
import { attempt } from "./retry.ts";
import { timeUnknown } from "./singleton-messages.ts";
import type { Step } from "./step.ts";
import { findAdoptionDenied } from "./tenant.ts";
import { identityRead } from "./unknown-identity.ts";

/**
 * The step that makes an existing resource this object's; undefined once it is. To adopt is: one write to the status that
 * records the uid and `Adopted`, and then one PATCH that writes the marker together with the fields that differ (see
 * `decideFields`). A second cluster meets the marker and reports a Conflict, and a lost status does not turn the resource
 * into something created. What forbids an adoption is checked until the marker is written.
 */
export function decideAdoption(
  observed: DecisionInput,
  references: Placed,
  external: ExternalResource,
): Step | undefined {
  const { kind, resource } = observed;
  const owned = owns(observed, external);
  if (owned && !isBeingAdopted(observed, external)) return undefined;
  const read = identityRead(observed, kind.identityOf(external));
  if (read !== undefined) return attempt(observed, read);
  const problem =
    findNotPermitted(observed) ??
    findAdoptionProtected(observed, external) ??
    findOtherPeople(observed, external) ??
    findTimeUnknown(observed, external) ??
    findNoRoomForMarker(observed, external);
  if (problem !== undefined) return conclude(observed, problem);
  const grants = decideGrants(observed, external);
  if (grants !== undefined) return grants;
  if (!hasFinalizer(resource)) return { do: "addFinalizer" };
  // Without a marker there is nothing to write to the platform: the status that reports Ready records the adoption.
  if (owned || !kind.hasMarker) return undefined;
  const outdated = readBeforeUpdate(observed, external);
  if (outdated !== undefined) return attempt(observed, outdated);
  return recordNow(observed, {
    ...waiting("Updating", ownershipMessages.adopting(kind.noun, external.uid)),
    recorded: recordOf(references.uids, external, "Adopted"),
  });
}

/** The adoption is recorded, and the marker was never written: before that, no spec is applied. */
function isBeingAdopted({ resource: { status }, kind }: DecisionInput, external: ExternalResource): boolean {
  return (
    kind.hasMarker &&
    status?.management === "Adopted" &&
    carriedMarker(external) === undefined &&
    appliedGeneration(status) === undefined
  );
}

/** Declaring a role binding owns an equal one: that grants nothing that the object does not. Everything else is asked for. */
function findNotPermitted(observed: DecisionInput): Problem | undefined {
  const { kind, resource } = observed;
  return kind.hasMarker || resource.spec.uid !== undefined ? findAdoptionDenied(observed) : undefined;
}

/** The resource belongs to an identity for emergencies, or to one of another owner. */
function findAdoptionProtected(observed: DecisionInput, { uid }: ExternalResource): Problem | undefined {
  const because = protectionOf(observed, uid);
  if (because !== "breakGlass" && because !== "otherOwner") return undefined;
  return stalled("Conflict", ownershipMessages.neverAdopted(observed.kind.noun, uid, because));
}

/**
 * The resource lets in other people than the spec says. To adopt it would lock out those whom it lets in now, and nothing would
 * show any longer that they are people: that is why the spec cannot be changed so, either.
 */
function findOtherPeople({ kind, resource }: DecisionInput, external: ExternalResource): Problem | undefined {
  const [other] = kind.vouching?.otherPeople(resource, external) ?? [];
  if (other === undefined) return undefined;
  return stalled("Conflict", otherPeople(other.specPath, kind.noun, external.uid, other.actual));
}

/** The platform does not say when it created a singleton: the status could not record this one, see `records`. */
function findTimeUnknown({ kind }: DecisionInput, { uid, createTime }: ExternalResource): Problem | undefined {
  return createTime === "" ? stalled("Conflict", timeUnknown(kind.noun, uid)) : undefined;
}

/** The description leaves no room for the marker, without which another cluster could adopt the resource, too. */
function findNoRoomForMarker(observed: DecisionInput, external: ExternalResource): Problem | undefined {
  if (!observed.kind.hasMarker || markerFits(observed, external)) return undefined;
  return stalled("InvalidSpec", ownershipMessages.noRoomForMarker(observed.kind.noun, external.uid));
}

/**
 * Whoever may change who assumes an identity gets its roles: it is adopted only if the Tenant may bind all of them. Whoever may
 * change a role changes what the identities can do that have it: it is adopted only if the Tenant could take over every role
 * binding of it, so that a Role object takes nothing from an identity from which a RoleBinding object could not take it; and
 * only if its own capabilities are not needed to permit what the spec says: a role that an object manages permits nothing.
 */
function decideGrants(observed: DecisionInput, external: ExternalResource): Step | undefined {
  const { kind } = observed;
  const { uid } = external;
  const isRole = kind.bindable !== null;
  if (!isRole && kind.principal === null) return undefined;
  const read = recentGrants(observed, external);
  if ("step" in read) return read.step;
  const { denied, excess, roleToRead, unknownIdentity } = read.grants;
  if (denied.length > 0) {
    const message = isRole ? ownershipMessages.roleHeldByOthers(uid, denied) : ownershipMessages.identityHoldsMore(uid);
    return conclude(observed, stalled("TenantDenied", message));
  }
  if (excess.length > 0)
    return conclude(observed, stalled("TenantDenied", ownershipMessages.rolePermitsItself(uid, excess)));
  if (roleToRead !== null) return attempt(observed, { do: "readRole", role: roleToRead });
  return unknownIdentity === null ? undefined : attempt(observed, { do: "readIdentity", identity: unknownIdentity });
}
