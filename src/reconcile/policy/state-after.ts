import { isDeepStrictEqual } from "node:util";
import type {
  ExternalResource,
  Failure,
  MonotonicTime,
  Observed,
  ReconcileState,
  Refusal,
} from "#src/reconcile/observe/observed.ts";
import { attemptOf } from "./attempted.ts";
import { isPaused } from "./object.ts";
import { recordOf } from "./recorded.ts";
import { recentCorrections } from "./retry.ts";
import type { KubeStep, PlatformStep, Step } from "./step.ts";

// What is remembered of an object, as a function of what was observed and what was done. Each function returns the state
// to remember; it is `state` itself if nothing changes. `state` is the present one, not that from which a step was decided:
// a watch handler may have changed it during the call.

/** The state after `step` was decided: since when the object has been waiting, or that it no longer is. */
export function stateAfterDecision(observed: Observed, step: Step): ReconcileState {
  const { state } = observed;
  if (step.do === "wait") return stateWhileWaiting(observed);
  if (step.do === "create") return { ...state, posted: postedBy(observed, step.naturalKey) };
  if (step.do === "delete") return { ...state, deleting: step.uid };
  return step.do === "done" ? stateOnceDone(observed) : state;
}

/** The state of an object that waits for nothing: what was created is recorded by now, unless a pause prevented that. */
function stateOnceDone(observed: Observed): ReconcileState {
  const { state, resource } = observed;
  const { waitingSince: _wait, deniedBy: _roles, failure: _failure, refusals: _refusals, ...unrecorded } = state;
  const { posted: _posted, issued: _issued, ...recorded } = unrecorded;
  const after = isPaused(resource) ? unrecorded : recorded;
  if (hasBegun(observed)) return { ...after, bornHere: false };
  return Object.keys(after).length === Object.keys(state).length ? state : after;
}

/**
 * Whether an object of which this process knew that it had nothing has a resource now. If its status is lost, that must be
 * found again, before a deletion, too.
 */
function hasBegun({ state, resource }: Observed): boolean {
  return state.bornHere && resource.status?.uid !== undefined;
}

/** How many roles and role bindings are remembered because of which an object waits. If there are more, each one counts. */
const maxDeniedBy = 256;

function stateWhileWaiting({ state, grants, now }: Observed): ReconcileState {
  const denied = grants.flatMap((one) => [...one.deniedRoles, ...one.denied]);
  const deniedBy = denied.length > maxDeniedBy ? "many" : denied;
  const { deniedBy: known = [], waitingSince = now, ...rest } = state;
  if (state.waitingSince !== undefined && isDeepStrictEqual(deniedBy, known)) return state;
  return { ...rest, waitingSince, ...(deniedBy.length === 0 ? {} : { deniedBy }) };
}

/** What is remembered of a call and its response: what it created, and of the secrets, which are not part of it. */
export interface RememberedOfCall {
  readonly created?: ExternalResource | undefined;
  readonly secretSent?: ReconcileState["secretSent"] | undefined;
  readonly issued?: ReconcileState["issued"] | undefined;
}

/** The state after a platform call succeeded. The success of one step does not clear the failure of another. */
export function stateAfterSuccess(
  observed: Observed,
  step: PlatformStep,
  { created, secretSent, issued }: RememberedOfCall = {},
): ReconcileState {
  const { state, now } = observed;
  const { failure, ...rest } = state;
  const kept = failure?.step === step.do ? rest : state;
  const after = secretSent === undefined ? kept : { ...kept, secretSent };
  if (step.do === "create")
    return {
      ...after,
      posted: postedBy(observed, step.naturalKey, created),
      ...(issued === undefined ? {} : { issued }),
    };
  if (step.do === "delete" && state.issued?.uid === step.uid) {
    const { drift } = state.issued;
    const handedOver = withoutIssued(after);
    return drift === undefined ? handedOver : { ...handedOver, altered: { attemptOf: attemptOf(observed), drift } };
  }
  if (step.do === "delete" && state.posted?.created?.uid === step.uid) {
    const { created: _created, ...posted } = state.posted;
    return { ...after, posted };
  }
  if (step.do !== "update") return after;
  return {
    ...after,
    update: { attemptOf: attemptOf(observed), drift: step.drift, at: now },
    corrections: step.correction ? [...recentCorrections(state.corrections, now), now] : state.corrections,
  };
}

/** The state after what could not be handed over was deleted: as if it had never been created. */
function withoutIssued({ issued: _issued, posted: _posted, ...rest }: ReconcileState): ReconcileState {
  return rest;
}

/** The state after it is known that a code cannot be written into its Secret any longer. */
export function stateAfterLostCode({ state }: Pick<Observed, "state">): ReconcileState {
  return state.issued === undefined ? state : { ...state, issued: { ...state.issued, failed: true } };
}

/** The POST is completed under the Tenant that sent it. */
function postedBy(
  { tenant, references }: Observed,
  naturalKey: string,
  created?: ExternalResource,
): NonNullable<ReconcileState["posted"]> {
  return {
    naturalKey,
    ...(tenant.is === "known" ? { tenant: tenant.name } : {}),
    ...(created === undefined || references.are !== "resolved"
      ? {}
      : { created: recordOf(references.uids, created, "Created") }),
  };
}

/** The state after `step` was decided and could not be sent: what was posted before it may still have had an effect. */
export function stateAfterUnsent(
  { state }: Pick<Observed, "state">,
  step: PlatformStep,
  decidedFrom: ReconcileState,
): ReconcileState {
  return step.do === "create" ? withPosted(state, decidedFrom.posted) : state;
}

function withPosted({ posted: _posted, ...rest }: ReconcileState, posted: ReconcileState["posted"]): ReconcileState {
  return posted === undefined ? rest : { ...rest, posted };
}

/**
 * The state after a platform call failed.
 * @param decidedFrom the state that the call was decided from. If the cause of a failure has changed since, the call is
 * repeated at once.
 * @param hadNoEffect whether the failure proves that the call changed nothing.
 */
export function stateAfterFailure(
  { state }: Pick<Observed, "state">,
  failure: Failure,
  decidedFrom: ReconcileState,
  hadNoEffect: boolean,
): ReconcileState {
  const isOutdated = state.causeChanges !== decidedFrom.causeChanges;
  // An earlier POST may still have had an effect.
  const posted = failure.step === "create" && hadNoEffect ? decidedFrom.posted : state.posted;
  return {
    ...withPosted(state, posted),
    failure: isOutdated ? { ...failure, retryAt: failure.at } : failure,
    waitingSince: state.waitingSince ?? failure.at,
  };
}

/** The state in which the failed call can be made again now, and the next delay is longer nevertheless. */
export function stateWithoutDelay(state: ReconcileState, now: MonotonicTime): ReconcileState {
  const { failure } = state;
  return failure === undefined || failure.retryAt <= now ? state : { ...state, failure: { ...failure, retryAt: now } };
}

/** The state after a status was written. */
export function stateAfterStatusWrite({ state }: Pick<Observed, "state">, at: MonotonicTime): ReconcileState {
  return { ...state, statusWrittenAt: at };
}

/** The state after Kubernetes refused a step. The refusal of one step does not replace that of another. */
export function stateAfterRefusal(
  { state }: Pick<Observed, "state">,
  { do: step }: KubeStep,
  refusal: Refusal,
  at: MonotonicTime,
): ReconcileState {
  return { ...state, refusals: { ...state.refusals, [step]: refusal }, waitingSince: state.waitingSince ?? at };
}

/** The state after Kubernetes accepted a step. */
export function stateAfterAcceptance({ state }: Pick<Observed, "state">, step: KubeStep): ReconcileState {
  const accepted = withoutRefusal(state, step.do);
  return step.do === "report" ? { ...accepted, reported: step.event.note } : accepted;
}

function withoutRefusal(state: ReconcileState, step: KubeStep["do"]): ReconcileState {
  if (state.refusals?.[step] === undefined) return state;
  const { refusals, ...rest } = state;
  const { [step]: _accepted, ...others } = refusals;
  return Object.keys(others).length === 0 ? rest : { ...rest, refusals: others };
}
