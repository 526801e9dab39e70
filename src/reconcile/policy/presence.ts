import { isDeepStrictEqual } from "node:util";
import { pausedAnnotation } from "#src/api/annotations.ts";
import { finalizer } from "#src/api/resource.ts";
import type { Drift } from "#src/api/status.ts";
import type { Fields } from "#src/kinds/kind.ts";
import type { MonotonicTime } from "#src/platform-client/collection-view.ts";
import { parentOf } from "#src/platform-client/uid.ts";
import type { ExternalResource } from "#src/platform-client/external-resource.ts";
import { attempt, attemptOf, conclude, stalled, waiting } from "./conclude.ts";
import { creationBody, differencesOf } from "./differences.ts";
import { fightEndsAt } from "./retry.ts";
import type { ReconcileState } from "#src/reconcile/observe/reconcile-state.ts";
import type { Observed, References } from "#src/reconcile/observe/observed.ts";
import { foreignMarker } from "./ownership.ts";
import { statusDelayAmidDeletions, statusDelayMs } from "./status-delay.ts";
import type { Event, Step } from "./step.ts";
import type { Problem } from "./platform-problem.ts";

const hourMs = 3_600_000;

type Resolved = Extract<References, { are: "resolved" }>;

/** What to do for a resource that should exist. */
export function decidePresence(observed: Observed): Step {
  const { resource, references, competingClaimant: rival, uid } = observed;
  if (resource.metadata.annotations?.[pausedAnnotation] === "true") return conclude(observed, { is: "paused" });
  if (observed.invalid !== undefined) return conclude(observed, stalled("InvalidSpec", observed.invalid));
  switch (references.are) {
    case "unread":
      return attempt(observed, { do: "refreshPermissions" });
    case "waiting":
      return conclude(observed, {
        ...waiting(references.reason, references.message),
        statusDelayMs: references.leaving === true ? statusDelayAmidDeletions(observed) : statusDelayMs,
      });
    case "denied":
      return conclude(observed, stalled("TenantDenied", references.message));
    case "resolved":
      if (rival !== undefined)
        return conclude(
          observed,
          stalled(
            "Conflict",
            `${otherResource(observed, rival)} stands for the same uid ${uid} already; only one may. Delete one of the two.`,
          ),
        );
      return uid === undefined ? decideUnknown(observed, references) : decideKnown(observed, references, uid);
  }
}

/** How another resource is called. What is in another namespace is not for everybody's eyes. */
function otherResource({ kind, resource }: Observed, key: string): string {
  const [namespace, name] = key.split("/");
  return namespace === resource.metadata.namespace ? `${kind.name} ${name}` : `a ${kind.name} in another namespace`;
}

/** The resource stands for a uid, by its status or its spec. */
function decideKnown(observed: Observed, references: Resolved, uid: string): Step {
  const { external, resource, heldByBreaker, request } = observed;
  const parent = parentOf(uid) ?? uid;
  const moved = parent !== references.uids.parent;
  // What lies elsewhere is looked at only to learn whether it is gone, and only where the operator may look.
  if (moved && (resource.spec.uid === uid || !observed.isWithinRoots(uid)))
    return conclude(observed, parentChanged(observed, references, uid));
  if ((external.is === "stale" || external.is === "gone") && heldByBreaker && request === undefined)
    return conclude(observed, goneWithManyOthers(observed, uid));
  switch (external.is) {
    case "unknown":
      return attempt(observed, { do: "list", parent, startedAfter: 0, stable: false });
    case "stale":
      return attempt(observed, { do: "read", uid });
    case "gone":
      return decideGone(observed, references, uid);
    case "present":
      if (moved) return conclude(observed, parentChanged(observed, references, uid));
      if (request !== undefined && external.seenAt < request.seenAt) return attempt(observed, { do: "read", uid });
      return decideOurs(observed, references, external.row);
  }
}

function goneWithManyOthers({ kind }: Observed, uid: string): Problem {
  return {
    is: "failing",
    reason: "ExternalGone",
    message: `The ${kind.noun} ${uid} is gone from the platform together with many others. To have it made anew, set the annotation iam.muster.dev/reconcile-requested-at to a new value.`,
  };
}

function parentChanged({ resource, kind }: Observed, { uids }: Resolved, uid: string) {
  if (resource.spec.uid === uid)
    return stalled(
      "InvalidSpec",
      `spec.uid: ${kind.noun} ${uid} is not below ${uids.parent}, the group that the spec names. Name the group that holds it.`,
    );
  return stalled(
    "ParentChanged",
    `The parent is now ${uids.parent}, but the ${kind.noun} ${uid} still exists below the former one. Delete that one on the platform, and it is made anew below the new parent.`,
  );
}

/** The uid is proven not to exist any more. */
function decideGone(observed: Observed, references: Resolved, uid: string): Step {
  const { resource, kind } = observed;
  if (resource.spec.uid !== undefined)
    return conclude(
      observed,
      stalled(
        "ExternalGone",
        `spec.uid: the platform has no ${kind.noun} ${uid}. Name one that exists, or leave spec.uid out to have one made.`,
      ),
    );
  if (resource.spec.policy.drift === "Report")
    return conclude(observed, {
      is: "failing",
      reason: "ExternalGone",
      message: `The ${kind.noun} ${uid} was deleted on the platform. spec.policy.drift is Report, so it is not made anew.`,
    });
  return decideUnknown(observed, references);
}

/** Nothing is on record: find it, take it over, or make it. */
function decideUnknown(observed: Observed, references: Resolved): Step {
  const { matches, kind, resource, postedHere } = observed;
  const [match] = matches;
  if (match !== undefined) {
    if (kind.marked || postedHere || resource.spec.policy.adoption === "IfExists")
      return decideOurs(observed, references, match);
    return conclude(
      observed,
      stalled(
        "Conflict",
        `An equal ${kind.noun} exists already (uid ${match.uid}). Set spec.policy.adoption: IfExists to manage that one, or delete it on the platform.`,
      ),
    );
  }
  const absent = absenceUnproven(observed, references);
  if (absent !== undefined) return absent;
  if (kind.marked) {
    const conflict = decideNamesakes(observed, references);
    if (conflict !== undefined) return conflict;
  }
  if (!hasFinalizer(observed)) return { do: "addFinalizer" };
  const { uids, desired } = references;
  return attempt(observed, {
    do: "create",
    parent: uids.parent,
    body: creationBody(observed, desired),
    event: {
      type: "Normal",
      reason: "Created",
      note: `Created the ${kind.noun} below ${uids.parent} on the platform.`,
    },
  });
}

/**
 * The step that is still needed before it may be believed that the platform has nothing of ours; undefined if none is.
 * A list proves it if it begun after the last moment at which something unseen could have come into being.
 */
export function absenceUnproven(observed: Observed, references: Resolved): Step | undefined {
  const { snapshot: listing, parentIsFresh, postUnknownSince, state: memory } = observed;
  const { startedAfter, stable } = proofOfAbsence(observed);
  if (parentIsFresh && postUnknownSince === undefined && !foundTaken(memory)) return undefined;
  if (observed.now < startedAfter)
    return conclude(
      observed,
      waiting("Creating", "Waiting until a request with an unknown outcome can no longer take effect."),
      startedAfter,
    );
  if (listing !== undefined && listing.startedAt >= startedAfter && (listing.stable || !stable)) return undefined;
  return attempt(observed, { do: "list", parent: references.uids.parent, startedAfter, stable });
}

/** What a list must satisfy for a thing's absence from it to prove that it is not there. */
export function proofOfAbsence(observed: Observed): { readonly startedAfter: MonotonicTime; readonly stable: boolean } {
  const { state: memory, postUnknownSince, resource } = observed;
  const moments = [
    // Another process may have led before, with a request under way.
    observed.settledAt,
    ...(postUnknownSince === undefined ? [] : [postUnknownSince + observed.settleMs]),
    ...(resource.spec.policy.adoption === "IfExists" ? [memory.firstSeenAt] : []),
    ...(memory.failure !== undefined && foundTaken(memory) ? [memory.failure.at] : []),
  ];
  return { startedAfter: Math.max(...moments), stable: postUnknownSince !== undefined };
}

/** Whether the platform said that there is such a thing already: then it must be looked for, wherever. */
function foundTaken({ failure }: ReconcileState): boolean {
  return failure?.problem.kind === "refused" && failure.problem.error.code === "ALREADY_EXISTS";
}

/** Others of the wanted name below the same parent; undefined if there is none. */
function decideNamesakes(observed: Observed, references: Resolved): Step | undefined {
  const { nameConflicts: namesakes, kind, resource } = observed;
  const [first, ...more] = namesakes;
  if (first === undefined) return undefined;
  const name = kind.nameOf(first.row) ?? "";
  const conflict = (message: string) => conclude(observed, stalled("Conflict", message));
  const managed = namesakes.find(
    (namesake) => namesake.claimedBy !== undefined || foreignMarker(observed, namesake.row) !== undefined,
  );
  if (managed !== undefined)
    return conflict(
      `A ${kind.noun} named "${name}" (uid ${managed.row.uid}) exists below the same parent and is managed by ${managed.claimedBy === undefined ? "another Muster or another object" : otherResource(observed, managed.claimedBy)}. Choose another name.`,
    );
  if (resource.spec.policy.adoption === "Never")
    return conflict(
      `A ${kind.noun} named "${name}" (uid ${first.row.uid}) exists below the same parent, and Muster did not make it. To manage it, set spec.policy.adoption: IfExists or spec.uid: ${first.row.uid}; else choose another name.`,
    );
  if (more.length > 0)
    return conflict(
      `${namesakes.length} of the name "${name}" exist below the same parent: ${namesakes.map(({ row }) => row.uid).join(", ")}. Say which one is meant with spec.uid.`,
    );
  return decideOurs(observed, references, first.row);
}

/** `row` is what the resource stands for. */
function decideOurs(observed: Observed, references: Resolved, row: ExternalResource): Step {
  const { kind, resource, isProtected } = observed;
  if (isProtected(row.uid))
    return conclude(
      observed,
      stalled(
        "Conflict",
        `The ${kind.noun} ${row.uid} belongs to the operator itself or is a root group; these are never managed.`,
      ),
    );
  if (foreignMarker(observed, row) !== undefined)
    return conclude(
      observed,
      stalled(
        "Conflict",
        `The ${kind.noun} ${row.uid} carries the marker of another object or of another Muster. Delete this object; or, to hand the thing over to it, delete the other one there with spec.policy.deletion: Orphan.`,
      ),
    );
  if (!hasFinalizer(observed)) return { do: "addFinalizer" };
  return (
    decideDouble(observed, row) ??
    decideFields(observed, references.desired, row) ??
    concludeReady(observed, references, row, resource.status?.uid)
  );
}

/**
 * More than one thing carries our marker: keep this one. The other is deleted only if this very process can have made
 * it, which takes a POST whose answer was lost; else somebody copied the marker, or a former process was too late. Role
 * bindings may be equal by right, so that of these only such a one counts: it would keep a right alive that shall end.
 */
function decideDouble(observed: Observed, row: ExternalResource): Step | undefined {
  const { kind, doublePosted } = observed;
  const double = kind.marked || doublePosted ? observed.matches.find((match) => match.uid !== row.uid) : undefined;
  if (double === undefined) return undefined;
  if (!doublePosted)
    return conclude(
      observed,
      stalled(
        "Conflict",
        `Two of ${kind.collection} on the platform carry this object's marker: ${row.uid}, which is kept, and ${double.uid}. Delete the latter on the platform.`,
      ),
    );
  return attempt(observed, {
    do: "delete",
    uid: double.uid,
    event: {
      type: "Normal",
      reason: "Deleted",
      note: `Deleted ${double.uid}, which a repeated request had made beside ${row.uid}.`,
    },
  });
}

/** Brings the managed fields of `row` to what they should be; undefined if they are. */
function decideFields(observed: Observed, desired: Fields, row: ExternalResource): Step | undefined {
  const { resource } = observed;
  const differences = differencesOf(observed, desired, row);
  if (differences === undefined) return undefined;
  const { body, mask, drift } = differences;
  const isDrift = wasAsTheSpecSays(observed, row.uid);
  const fields = drift.map((one) => one.field).join(", ");
  if (isDrift) {
    const detected = `Somebody else changed ${fields} on the platform.`;
    if (resource.spec.policy.drift === "Report")
      return conclude(observed, {
        is: "failing",
        reason: "DriftDetected",
        message: `${detected} spec.policy.drift is Report, so it is left so.`,
        drift,
      });
    const until = fightEndsAt(observed.state.corrections, observed.now);
    if (until !== undefined)
      return conclude(
        observed,
        {
          is: "failing",
          reason: "DriftDetected",
          message: `${detected} It was set back three times within an hour and changed again: find who else manages it. It is set back again when the hour is over.`,
          drift,
        },
        until,
      );
  }
  const event: Event = isDrift
    ? { type: "Normal", reason: "DriftCorrected", note: `Set ${fields} back to what the spec says.` }
    : { type: "Normal", reason: "Updated", note: `Changed ${fields} on the platform.` };
  const { update } = observed.state;
  if (update?.attemptOf === attemptOf(observed) && !isDrift && isDeepStrictEqual(update.drift, drift))
    return conclude(observed, keptOtherwise(drift), update.at + hourMs);
  return attempt(observed, { do: "update", uid: row.uid, body, mask, drift, correction: isDrift, event });
}

/** The platform took the same change before, and still has what it had. */
function keptOtherwise(drift: readonly Drift[]): Problem {
  const fields = drift.map(({ field, expected, actual }) => `spec.${field}: "${expected}" is kept as "${actual}"`);
  return stalled(
    "PreconditionFailed",
    `The platform took the change and keeps another value. ${fields.join("; ")}. Write into the spec what the platform keeps.`,
  );
}

/** Whether this generation of the spec had been reached, so that a difference now is another hand's doing. */
function wasAsTheSpecSays({ resource }: Observed, uid: string): boolean {
  const ready = resource.status?.conditions?.find((condition) => condition.type === "Ready");
  return (
    resource.status?.uid === uid &&
    ready?.observedGeneration === resource.metadata.generation &&
    (ready?.status === "True" || ready?.reason === "DriftDetected")
  );
}

function concludeReady(
  observed: Observed,
  references: Resolved,
  row: ExternalResource,
  recorded: string | undefined,
): Step {
  const adopted: Event | undefined =
    recorded === row.uid ||
    observed.postedHere ||
    observed.matches.some((match) => observed.kind.marked && match.uid === row.uid)
      ? undefined
      : {
          type: "Normal",
          reason: "Adopted",
          note: `Manages the ${observed.kind.noun} ${row.uid}, which existed already.`,
        };
  return conclude(observed, { is: "ready", uid: row.uid, parentUid: references.uids.parent }, undefined, adopted);
}

export function hasFinalizer({ resource }: Observed): boolean {
  return resource.metadata.finalizers?.includes(finalizer) ?? false;
}
