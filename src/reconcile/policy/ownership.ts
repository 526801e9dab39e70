import { carriedMarker } from "#src/kinds/marker.ts";
import type { ExternalResource, Protection } from "#src/reconcile/observe/observed.ts";
import type { DecisionInput } from "./decision-input.ts";
import * as ownershipMessages from "./ownership-messages.ts";
import { type Problem, stalled } from "./outcome.ts";

/**
 * Who owns an external resource. Ownership is a recorded fact. A resource is this object's if one of these holds:
 * - it carries the object's marker;
 * - it carries no marker, and the status records it as Created or Adopted: its uid, and for a singleton, whose uid is used
 *   again, the time of its creation;
 * - it is a resource without markers (a role binding) whose group, identity and role equal the uids in the status;
 * - it is a resource with a code (`issued.ts`), and the status or the Secret with its code names its uid.
 * A uid in the spec establishes nothing: see `adoption.ts`. Which of them holds for a kind is in `identification.ts`.
 */

/** The uid of the resource that the object manages, as its status records it. */
export function managedUid({ resource: { status } }: DecisionInput): string | undefined {
  return status?.management === "Observed" ? undefined : status?.uid;
}

/** Whether the object has, or had, a resource of its own. */
export function saysManaged(management: string | undefined): management is "Created" | "Adopted" {
  return management === "Created" || management === "Adopted";
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

/** The marker of `external` if it is not one of the object's. */
export function foreignMarkerOf({ markers }: DecisionInput, external: ExternalResource): string | undefined {
  const marker = carriedMarker(external);
  return marker !== undefined && !markers.includes(marker) ? marker : undefined;
}
