import type { ExternalResource, MonotonicTime, ScopeSnapshot } from "#src/reconcile/observe/observed.ts";
import { proves, requirementOf, unseenSince } from "./absence-proof.ts";
import { conclude } from "./conclude.ts";
import type { DecisionInput } from "./decision-input.ts";
import * as absenceMessages from "./absence-messages.ts";
import { type Problem, waiting } from "./outcome.ts";
import { problemOf } from "./platform-problem.ts";
import { attempt } from "./retry.ts";
import type { Step } from "./step.ts";

/**
 * The proof of absence: how Muster knows that the platform has no resource for an object.
 *
 * The platform assigns the uids, accepts no idempotency key, and does not keep names unique. A POST that is sent twice
 * creates two resources, and a POST whose response was lost may have created one, or may still do so. Missing data
 * proves nothing: a list without permission is empty, and a list that started too early does not show what came later,
 * also not what this process created with the credential of another Tenant.
 * Three decisions therefore need a proof, and all of them find it here:
 * - Creation: POST only if no resource with our marker (or natural key) exists below the parent.
 * - Deletion of an object without a recorded uid: remove the finalizer only if no such resource exists below any root.
 * - Duplicates: of two resources with our marker (or natural key), delete the second only if a POST of this process with a
 *   lost response created it: if it came to be known before that POST was settled. Otherwise it is somebody else's.
 *
 * Expected flow: the policy looks for the resource among `Observed.matches`. If it is not there, the policy asks for the
 * missing step of the proof, performs that step, and observes again: wait until `startedAfter`, then list, until nothing
 * is missing. One list serves all objects that wait for one. (A recorded uid needs no list: `PlatformSession.read` proves
 * that it is gone, and its claim is then `gone`.)
 *
 * Guarantees: a complete list proves an absence if it started after the last time at which a resource that we have not
 * seen can have come into existence (`requirementOf`): also after the last success of a POST of another session for such a
 * resource. After a POST with an unknown outcome, its total count must also have been stable while it was read, because a
 * resource that moves between two pages can be missed.
 *
 * Nothing is created twice because of four locks, of which the proof is the first:
 * 1. No POST is decided on before the proof (here).
 * 2. `state.posted` remembers the POST from the decision on, before it is sent (`state-after.ts`), so that its effect is looked for,
 *    and known as the object's: by its marker, or as `isOfOwnPost` in `identification-by-fields.ts`.
 * 3. A POST whose response was lost counts as unknown in the ledger of the session (`platform-client/post-ledger.ts`), for every object
 *    that wants the same, until it can no longer take effect; what it created then is `createdHere`.
 * 4. The session refuses a POST if one for the same was sent since the decision was made (`platform-client/session-writes.ts`).
 *
 * Assumptions: the session records a list only if it was complete, and only under permissions that were read before and
 * after it and include the capability to list there. A request takes effect within `settleMs` of being sent, or never.
 * Other clients do not create resources with our marker.
 *
 * Caveats: anybody who may edit a description can copy a marker, so the last assumption can fail. The copy is reported as
 * an orphan and never deleted. Role bindings have no marker, and equal ones are legitimate; one that a lost response left
 * behind is deleted nevertheless, because it would keep access that was revoked.
 */

/**
 * The step that is missing before the object's resource is proven to be absent below its parent; undefined if the proof
 * is complete.
 */
export function proveAbsenceBelow(observed: DecisionInput, parent: string): Step | undefined {
  // What carries our marker in a group that this process created a moment ago, this process created, and that is known.
  if (observed.parentCreatedAt !== null && unseenSince(observed).length === 0) return undefined;
  return prove(observed, [{ group: parent, snapshot: observed.snapshot }], creating(observed));
}

/** What is reported of a creation while the outcome of a POST is unknown: how it failed, if this process sent it. */
function creating(observed: DecisionInput): Problem {
  const { failure } = observed.state;
  return failure?.step === "create"
    ? problemOf(failure.problem, observed)
    : waiting("Creating", absenceMessages.outcomeUnknown());
}

/**
 * The step that is missing before the object's resource is proven to be absent everywhere that the operator may look;
 * undefined if the proof is complete. An object without references may have had its resource below any root.
 * @param meanwhile what is reported while the outcome of a POST is unknown.
 */
export function proveAbsenceBelowRoots(
  observed: DecisionInput,
  meanwhile: Problem = waiting("Deleting", absenceMessages.outcomeUnknown()),
): Step | undefined {
  return prove(observed, observed.rootSnapshots, meanwhile);
}

/** The step that lists the children of `parent`; undefined if a list of them started at or after `startedAfter`. */
export function proveListedSince(
  observed: DecisionInput,
  parent: string,
  startedAfter: MonotonicTime,
): Step | undefined {
  if (proves({ group: parent, snapshot: observed.snapshot }, { startedAfter, stable: false })) return undefined;
  return attempt(observed, { do: "list", parent, startedAfter, stable: false });
}

/** The resource that this process created in addition to `kept`, with a POST whose response was lost. */
export function ownDuplicateOf(
  { matches, createdHere }: DecisionInput,
  kept: ExternalResource,
): ExternalResource | undefined {
  return matches.find(({ uid }) => uid !== kept.uid && createdHere.includes(uid));
}

function prove(observed: DecisionInput, scopes: readonly ScopeSnapshot[], meanwhile: Problem): Step | undefined {
  const requirement = requirementOf(observed);
  const { startedAfter, stable } = requirement;
  if (observed.now < startedAfter) return conclude(observed, meanwhile, startedAfter);
  const unproven = scopes.find((scope) => !proves(scope, requirement));
  return unproven === undefined
    ? undefined
    : attempt(observed, { do: "list", parent: unproven.group, startedAfter, stable });
}
