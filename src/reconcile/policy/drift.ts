import { isDeepStrictEqual } from "node:util";
import type { Fields } from "#src/kinds/kind.ts";
import type { ExternalResource } from "#src/reconcile/observe/observed.ts";
import { appliedGeneration } from "./applied.ts";
import { conclude } from "./conclude.ts";
import type { DecisionInput } from "./decision-input.ts";
import type { Differences } from "./differences.ts";
import * as messages from "./messages.ts";
import * as driftMessages from "./drift-messages.ts";
import { failing, type Problem, stalled } from "./outcome.ts";
import { attemptOf } from "./attempted.ts";
import { attempt, fightEndsAt, stalledDelayMs } from "./retry.ts";
import { differencesWithSecret } from "./secret.ts";
import type { Event, Step } from "./step.ts";

/**
 * The step that makes the managed fields of `external` match the spec; undefined if they do. A difference is either an
 * edit of the spec, which is always written, or drift: a change made on the platform after this generation of the spec
 * had been applied. Fields that follow from facts of the cluster are always written, too, but no more often than drift.
 */
export function decideFields(observed: DecisionInput, desired: Fields, external: ExternalResource): Step | undefined {
  const differences = differencesWithSecret(observed, desired, external);
  if (differences === undefined) return undefined;
  const isDrift = wasApplied(observed, external.uid);
  const { body, mask, drift, secret } = differences;
  const fields = drift.map(({ field }) => field).join(", ");
  const followsCluster =
    differences.isEdit === true ||
    mask.every((field) => observed.kind.principal?.followsCluster(field, observed.resource) === true);
  if (isDrift) {
    const reported = followsCluster ? undefined : findDriftReported(observed, fields, differences);
    if (reported !== undefined) return conclude(observed, reported);
    const fightEnd = fightEndsAt(observed);
    if (fightEnd !== undefined) return conclude(observed, driftFought(fields, differences), fightEnd);
  }
  const { now, state } = observed;
  const { update } = state;
  const keptOthers = update?.attemptOf === attemptOf(observed) && isDeepStrictEqual(update.drift, drift);
  if (!isDrift && keptOthers && now < update.at + stalledDelayMs)
    return conclude(
      observed,
      stalled("PreconditionFailed", driftMessages.valuesNotKept(drift)),
      update.at + stalledDelayMs,
    );
  const event: Event =
    isDrift && !followsCluster
      ? { type: "Normal", reason: "DriftCorrected", note: driftMessages.driftCorrected(fields) }
      : { type: "Normal", reason: "Updated", note: messages.updated(fields) };
  return attempt(observed, {
    do: "update",
    uid: external.uid,
    body,
    mask,
    drift,
    correction: isDrift,
    ...(secret === undefined ? {} : { secret }),
    event,
  });
}

/** The spec says that drift is reported and not corrected. */
function findDriftReported({ resource }: DecisionInput, fields: string, { drift }: Differences): Problem | undefined {
  return resource.spec.policy.drift === "Report"
    ? { ...failing("DriftDetected", driftMessages.driftReported(fields)), drift }
    : undefined;
}

/** Another writer reverts every correction. */
function driftFought(fields: string, { drift }: Differences): Problem {
  return { ...failing("DriftDetected", driftMessages.driftFought(fields)), drift };
}

/** Whether this generation of the spec had been applied to the resource. */
function wasApplied({ resource: { status, metadata } }: DecisionInput, uid: string): boolean {
  return status?.uid === uid && appliedGeneration(status) === metadata.generation;
}
