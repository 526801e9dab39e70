import { carriedMarker, withoutMarker } from "#src/kinds/marker.ts";
import type { ExternalResource } from "#src/reconcile/observe/observed.ts";
import type { DecisionInput } from "./decision-input.ts";
import * as deletionMessages from "./deletion-messages.ts";
import { attempt } from "./retry.ts";
import type { Event, Step } from "./step.ts";

/** The resource stays on the platform: remove the marker, so that it is no longer taken for ours, then the finalizer. */
export function decideRelease(observed: DecisionInput, external: ExternalResource, why: string): Step {
  const { failure } = observed.state;
  const release: Step = { do: "removeFinalizer", event: orphaned(observed, external.uid, why) };
  if (carriedMarker(external) === undefined) return release;
  // A platform that rejects the update must not prevent the deletion of the object.
  if (failure?.step === "update" && failure.problem.kind === "rejected") return release;
  return attempt(observed, {
    do: "update",
    uid: external.uid,
    body: { description: withoutMarker(external.description ?? "") },
    mask: ["description"],
    drift: [],
    correction: false,
  });
}

/**
 * The step by which an object goes, although something may stay because of it that nobody can tell. Nothing says so once the object
 * is gone, so the event is written first: about its namespace if that is being deleted, or if Kubernetes refuses one about the
 * object. If both are refused, the object goes nevertheless.
 */
export function leaveUnproven({ state, namespaceIsTerminating }: DecisionInput, note: string): Step {
  const event = orphanedUnproven(note);
  if (state.reported === note) return { do: "removeFinalizer" };
  const refusals = state.refusals?.report?.attempts ?? 0;
  if (refusals > 1) return { do: "removeFinalizer", event };
  return { do: "report", event, about: namespaceIsTerminating || refusals === 1 ? "namespace" : "object" };
}

/** The event about what may stay because of an object. */
export function orphanedUnproven(note: string): Event {
  return { type: "Warning", reason: "Orphaned", note };
}

export function orphaned({ kind }: DecisionInput, uid: string | undefined, why: string): Event {
  return { type: "Normal", reason: "Orphaned", note: deletionMessages.orphaned(kind.noun, uid, why) };
}
