import { isDeepStrictEqual } from "node:util";
import type { Fields } from "#src/kinds/kind.ts";
import type { ExternalResource } from "#src/reconcile/observe/observed.ts";
import { appliedGeneration } from "./applied.ts";
import { conclude } from "./conclude.ts";
import type { DecisionInput } from "./decision-input.ts";
import type { Differences } from "./differences.ts";
import { decideHeldRoles } from "./held-roles.ts";
import * as messages from "./messages.ts";
import * as driftMessages from "./drift-messages.ts";
import { readBeforeUpdate } from "./freshness.ts";
import { failing, type Problem, stalled } from "./outcome.ts";
import { attemptOf } from "./attempted.ts";
import { attempt, fightEndsAt, stalledDelayMs } from "./retry.ts";
import { changedSecret, differencesWithSecret } from "./secret.ts";
import type { Event, Step } from "./step.ts";

/**
 * The step that makes the managed fields of `external` match the spec; undefined if they do. A difference is either an
 * edit of the spec, which is always written, or drift: a change made on the platform after this generation of the spec
 * had been applied. Fields that follow from facts of the cluster are always written, too, but no more often than drift.
 */
export function decideFields(observed: DecisionInput, desired: Fields, external: ExternalResource): Step | undefined {
  const all = differencesWithSecret(observed, desired, external);
  if (all === undefined) return undefined;
  const isDrift = wasApplied(observed, external.uid);
  const left = isDrift ? findDriftLeft(observed, all) : undefined;
  // A Secret that somebody changed is an edit, whatever else is left as it is.
  const differences = left === undefined ? all : changedSecret(observed, external);
  if (differences === undefined) return left;
  const { body, mask, drift, secret } = differences;
  const fields = fieldsOf(differences);
  const { now, state } = observed;
  const { update } = state;
  const keptOthers = update?.attemptOf === attemptOf(observed) && isDeepStrictEqual(update.drift, drift);
  if (!isDrift && keptOthers && now < update.at + stalledDelayMs)
    return conclude(
      observed,
      stalled("PreconditionFailed", driftMessages.valuesNotKept(drift)),
      update.at + stalledDelayMs,
    );
  const outdated = readBeforeUpdate(observed, external);
  if (outdated !== undefined) return attempt(observed, outdated);
  const held = decideHeldRoles(observed, desired, external, differences);
  if (held !== undefined) return held;
  const event: Event =
    isDrift && !followsCluster(observed, differences)
      ? { type: "Normal", reason: "DriftCorrected", note: driftMessages.driftCorrected(fields) }
      : { type: "Normal", reason: "Updated", note: messages.updated(fields) };
  return attempt(observed, {
    do: "update",
    uid: external.uid,
    body,
    mask,
    drift,
    // Who rotates a Secret is not a writer who reverts what Muster does: it uses up none of the corrections of drift.
    correction: isDrift && differences.isEdit !== true,
    ...(secret === undefined ? {} : { secret }),
    event,
  });
}

/** The step that reports drift and leaves it as it is; undefined if it is to be corrected. */
function findDriftLeft(observed: DecisionInput, differences: Differences): Step | undefined {
  const { drift } = differences;
  const fields = fieldsOf(differences);
  const detected = (message: string): Problem => ({ ...failing("DriftDetected", message), drift });
  if (observed.resource.spec.policy.drift === "Report" && !followsCluster(observed, differences))
    return conclude(observed, detected(driftMessages.driftReported(fields)));
  const fightEnd = fightEndsAt(observed);
  // Another writer reverts every correction.
  return fightEnd === undefined ? undefined : conclude(observed, detected(driftMessages.driftFought(fields)), fightEnd);
}

function fieldsOf({ drift }: Differences): string {
  return drift.map(({ field }) => field).join(", ");
}

/** Whether nobody changed the resource: what it is to be follows from facts of the cluster, which have changed. */
function followsCluster({ kind, resource }: DecisionInput, { isEdit, mask }: Differences): boolean {
  return isEdit === true || mask.every((field) => kind.principal?.followsCluster(field, resource) === true);
}

/** Whether this generation of the spec had been applied to the resource. */
function wasApplied({ resource: { status, metadata } }: DecisionInput, uid: string): boolean {
  return status?.uid === uid && appliedGeneration(status) === metadata.generation;
}
