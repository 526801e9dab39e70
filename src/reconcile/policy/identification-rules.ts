import type { Drift } from "#src/api/status.ts";
import type { ExternalResource, Recorded } from "#src/reconcile/observe/observed.ts";
import type { DecisionInput, Found, Managed, Resolved } from "./decision-input.ts";
import type { Problem } from "./outcome.ts";

/**
 * What follows for a decision from how the resources of a kind are recognized (`kinds/identification.ts`). Whose a resource is, is a
 * recorded fact; where nothing records it, this says what is the object's nevertheless. The checks of the policy ask this, and
 * nothing else of them depends on it, but the parts of a phase that `identifiedBy` marks.
 */
export interface IdentificationRules {
  /** Whether the object owns `external`, so that it may be written. */
  owns(observed: DecisionInput, external: ExternalResource): boolean;
  /** How the object came to `external`, which it owns, or takes over. A lost status does not make of an adopted resource a created one. */
  managementOf(observed: DecisionInput, external: ExternalResource): "Created" | "Adopted";
  /** Whether more than the status says that `found`, which it records, is the object's. @param groups those of the Tenant */
  provesOurs(observed: DecisionInput, groups: readonly string[], found: ExternalResource): boolean;
  /** Whether `found`, which was to end because of the object, is not the object's after all. */
  disowns(observed: DecisionInput, found: ExternalResource): boolean;

  /** Whether the resource is not the object's, or its adoption has not been completed. */
  isToAdopt(observed: Found): boolean;
  /** Whether the Tenant must allow that the object takes the resource over. */
  asksToAdopt(observed: DecisionInput): boolean;
  /** The only one of `candidates` that the spec of an object describes that observes; undefined if there is none, or several. */
  meantOf(
    observed: DecisionInput & { readonly references: Resolved },
    candidates: readonly ExternalResource[],
  ): ExternalResource | undefined;
  /** The resource that is the object's although no status records it, as far as its references say which; undefined if none is. */
  matchOf(observed: Managed): ExternalResource | undefined;

  /** Whether the status records something else than the spec describes now. */
  recordsAnother(observed: Managed): boolean;
  /** Whether the resource stays when its object goes, because it existed before. @param found undefined if it was not seen */
  staysAsAdopted(observed: DecisionInput, found: ExternalResource | undefined): boolean;
  /** The uids of what equals the object, so that nobody can tell whose it is. */
  equalUids(observed: DecisionInput): readonly string[];

  /** The description that is to be written, if it is another one; undefined if not. @param desired undefined if the spec names none */
  describe(
    observed: DecisionInput,
    desired: unknown,
    external: ExternalResource,
  ): { readonly text: string; readonly drift: Drift } | undefined;

  /** The uid of the resource that ends with an object whose status records none; undefined if none is known. */
  unrecordedUid(observed: DecisionInput): string | undefined;
  /** Whether nothing exists because of the object, which has our finalizer, and no POST of it can still take effect. */
  guardsNothing(observed: DecisionInput): boolean;
  /** Whether it is known what to look for on the platform, while no Tenant permits the object. */
  canBeLookedFor(observed: DecisionInput): boolean;
  /** Whether the recorded resource is gone, and another one may have been created whose uid the status does not record yet. */
  mayBeCreatedAgain(observed: DecisionInput): boolean;

  /** What the status is to record of a resource that this process created, although its object is not Ready. */
  createdToRecord(observed: DecisionInput): Recorded | undefined;
  /** Whether the status records when the grant ends. What ends on the platform by itself needs no record. */
  recordsExpiry: boolean;
  /** What an object reports once its resource has ended. @param left what may stay, as an event says it */
  ended(observed: DecisionInput, left: string | undefined): Problem;

  /** The message about another object that has the uid. */
  claimedByOther(observed: DecisionInput, uid: string, other: string): string;
  /** The message about another object that wants the same, and comes first. */
  wantedByOther(observed: DecisionInput, other: string): string;
}
