import { abandonAnnotation, pausedAnnotation } from "#src/api/annotations.ts";
import type { ExternalResource } from "#src/platform-client/external-resource.ts";
import { attempt, conclude, stalled, waiting } from "./conclude.ts";
import { markerIn, withoutMarker } from "#src/kinds/marker.ts";
import type { Observed } from "#src/reconcile/observe/observed.ts";
import { foreignMarker } from "./ownership.ts";
import { maxStatusDelayMs, statusDelayAmidDeletions } from "./status-delay.ts";
import { hasFinalizer, proofOfAbsence } from "./presence.ts";
import type { Event, Step } from "./step.ts";
import type { Problem } from "./platform-problem.ts";

/**
 * What to do for a resource that is being deleted. It goes by the recorded uid and needs no references. What was never
 * made, is not ours, or shall stay, is let go without a call.
 */
export function decideDeletion(observed: Observed): Step {
  const { resource, uid, competingClaimant: rival } = observed;
  if (!hasFinalizer(observed)) return { do: "done" };
  if (resource.metadata.annotations?.[abandonAnnotation] === "true")
    return { do: "removeFinalizer", event: orphaned(observed, uid, "as its annotation abandon asks") };
  if (resource.metadata.annotations?.[pausedAnnotation] === "true") return conclude(observed, { is: "paused" });
  if (rival !== undefined) return { do: "removeFinalizer" };
  const known = uid ?? unrecorded(observed)?.uid;
  if (known === undefined) return decideNeverRecorded(observed);
  if (!observed.isWithinRoots(known))
    return conclude(
      observed,
      stalled(
        "TenantDenied",
        `${known} is not below a root group that the operator may use. Let it be used with --root-group, or keep what exists with the annotation ${abandonAnnotation}: "true".`,
      ),
    );
  return decideKnown(observed, known);
}

/**
 * What is ours though it was never recorded. A marker tells it; of equal bindings none does, so one that was there
 * before, and was not adopted, is left alone.
 */
function unrecorded({ matches, kind, state: memory, postedHere, resource }: Observed): ExternalResource | undefined {
  if (kind.marked || postedHere) return matches[0];
  return memory.bornHere || resource.spec.policy.adoption === "Never" ? undefined : matches[0];
}

/** No uid is on record: it may have been made all the same, by a request whose answer was lost. */
function decideNeverRecorded(observed: Observed): Step {
  const { state: memory, postedHere, references, kind, rootSnapshots: rootListings } = observed;
  if (memory.bornHere && !postedHere) return { do: "removeFinalizer" };
  if (references.are === "unread") return attempt(observed, { do: "refreshPermissions" });
  // A binding is known by what it binds: if that cannot be found any more, the binding went with it.
  if (!kind.marked && references.are !== "resolved") return { do: "removeFinalizer" };
  const { startedAfter, stable } = proofOfAbsence(observed);
  if (observed.now < startedAfter)
    return conclude(
      observed,
      waiting("Deleting", "Waiting until a request with an unknown outcome can no longer take effect."),
      startedAfter,
    );
  const unproven = rootListings.find(
    ({ snapshot }) => snapshot === undefined || snapshot.startedAt < startedAfter || (stable && !snapshot.stable),
  );
  if (unproven !== undefined) return attempt(observed, { do: "list", parent: unproven.root, startedAfter, stable });
  return { do: "removeFinalizer" };
}

function decideKnown(observed: Observed, uid: string): Step {
  const { resource, external, dependents: dependants, crd: definition, state: memory, kind, isProtected } = observed;
  const orphan = resource.spec.policy.deletion === "Orphan";
  if (external.is === "gone" || isProtected(uid)) return { do: "removeFinalizer" };
  if (definition === undefined || definition.readAt < (memory.deletionSeenAt ?? memory.firstSeenAt))
    return { do: "readCrd" };
  if (definition.deleting)
    return {
      do: "removeFinalizer",
      event: orphaned(observed, uid, "because Muster's CustomResourceDefinition is being deleted"),
    };
  if (!orphan && dependants.length > 0) return conclude(observed, awaitDependants(observed));
  const row = external.is === "present" ? external.row : observed.matches.find((match) => match.uid === uid);
  if (row === undefined)
    return attempt(
      observed,
      external.is === "unknown"
        ? { do: "list", parent: rootOf(observed, uid), startedAfter: 0, stable: false }
        : { do: "read", uid },
    );
  if (foreignMarker(observed, row) !== undefined) return { do: "removeFinalizer" };
  if (orphan) return decideOrphan(observed, row);
  return attempt(observed, {
    do: "delete",
    uid,
    event: {
      type: "Normal",
      reason: "Deleted",
      note: `Deleted the ${kind.noun} ${uid} on the platform.${equalOnesStay(observed, uid)}`,
    },
  });
}

function awaitDependants(observed: Observed): Problem {
  const { dependents: dependants } = observed;
  const names = dependants.map(({ name }) => name);
  return {
    ...waiting("ChildrenExist", `Waiting until what depends on it is deleted: ${listed(names)}.`),
    statusDelayMs: dependants.every(({ leaving }) => leaving) ? maxStatusDelayMs : statusDelayAmidDeletions(observed),
  };
}

/** The thing stays: take the marker away, so that nobody takes it for ours, and let go. */
function decideOrphan(observed: Observed, row: ExternalResource): Step {
  const release: Step = {
    do: "removeFinalizer",
    event: orphaned(observed, row.uid, "as spec.policy.deletion: Orphan asks"),
  };
  if (!("description" in row) || markerIn(row.description) === undefined) return release;
  // "If it can": a platform that refuses must not keep the object from going.
  if (observed.state.failure?.step === "update" && observed.state.failure.problem.kind === "refused") return release;
  return attempt(observed, {
    do: "update",
    uid: row.uid,
    body: { description: withoutMarker(row.description) },
    mask: ["description"],
    drift: [],
    correction: false,
  });
}

function rootOf({ rootSnapshots: rootListings }: Observed, uid: string): string {
  return rootListings.find(({ root }) => uid.startsWith(`${root}/`))?.root ?? uid;
}

function orphaned({ kind }: Observed, uid: string | undefined, why: string): Event {
  return {
    type: "Normal",
    reason: "Orphaned",
    note: uid === undefined ? `Let go, ${why}.` : `Left the ${kind.noun} ${uid} on the platform, ${why}.`,
  };
}

/** A right does not end while an equal binding stands: whoever deletes this one should know. */
function equalOnesStay({ kind, matches }: Observed, uid: string): string {
  const others = kind.marked ? [] : matches.filter((match) => match.uid !== uid);
  return others.length === 0 ? "" : ` Equal role bindings stay: ${others.map((other) => other.uid).join(", ")}.`;
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, 5).join(", ");
  return names.length > 5 ? `${shown} and ${names.length - 5} more` : shown;
}
