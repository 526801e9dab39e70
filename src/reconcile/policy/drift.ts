import { isDeepStrictEqual } from "node:util";
import type { Drift } from "#src/api/status.ts";
import type { MonotonicTime } from "#src/reconcile/observe/observed.ts";
import { wasApplied } from "./applied.ts";
import { attemptOf } from "./attempted.ts";
import { calls, check, part, type Phase, reports } from "./check.ts";
import { conclude } from "./conclude.ts";
import type { DecisionInput, Found } from "./decision-input.ts";
import type { Differences } from "./differences.ts";
import { readBeforeUpdate } from "./freshness.ts";
import { asLettingIn, lettingIn } from "./held-roles.ts";
import * as messages from "./messages.ts";
import { failing, type Problem, stalled } from "./outcome.ts";
import { fightEndsAt, stalledDelayMs } from "./retry.ts";
import { changedSecret, differencesWithSecret } from "./secret.ts";
import type { Event } from "./step.ts";

/** A resource whose managed fields do not match the spec. */
interface Differing extends Found {
  readonly differences: Differences;
  /** Whether this generation of the spec had been applied to the resource before, so that somebody changed it on the platform. */
  readonly isDrift: boolean;
}

export function asDiffering(observed: Found): Differing | undefined {
  const { references, external } = observed;
  const differences = differencesWithSecret(observed, references.desired, external);
  return differences === undefined
    ? undefined
    : { ...observed, differences, isDrift: wasApplied(observed, external.uid) };
}

/** A difference that is to be removed. */
export const correcting: Phase<Differing> = [
  check("valuesNotKept", "The platform did not keep what was written a moment ago.", (observed) => {
    const { isDrift, differences, now, state } = observed;
    const { update } = state;
    const keptOthers = update?.attemptOf === attemptOf(observed) && isDeepStrictEqual(update.drift, differences.drift);
    if (isDrift || !keptOthers || now >= update.at + stalledDelayMs) return undefined;
    const problem = stalled("PreconditionFailed", valuesNotKeptMessage(differences.drift));
    return conclude(observed, problem, update.at + stalledDelayMs);
  }),
  calls("readBeforeUpdate", "The resource was not read since the spec was seen.", (observed) =>
    readBeforeUpdate(observed, observed.external),
  ),
  part("the update lets in others", asLettingIn, lettingIn),
  calls("differs", "A managed field is not what the spec says.", (observed) => {
    const { differences, isDrift, external } = observed;
    const { body, mask, drift, secret } = differences;
    const fields = fieldsOf(differences);
    const event: Event =
      isDrift && !followsCluster(observed)
        ? { type: "Normal", reason: "DriftCorrected", note: driftCorrectedMessage(fields) }
        : { type: "Normal", reason: "Updated", note: messages.updated(fields) };
    return {
      do: "update",
      uid: external.uid,
      body,
      mask,
      drift,
      // Who rotates a Secret is not a writer who reverts what Muster does: it uses up none of the corrections of drift.
      correction: isDrift && differences.isEdit !== true,
      ...(secret === undefined ? {} : { secret }),
      event,
    };
  }),
];

/**
 * Makes the managed fields of the resource match the spec. A difference is either an
 * edit of the spec, which is always written, or drift: a change made on the platform after this generation of the spec
 * had been applied. Fields that follow from facts of the cluster are always written, too, but no more often than drift.
 */
export const differing: Phase<Differing> = [
  // A Secret that somebody changed is an edit, whatever else is left as it is.
  part("drift is left as it is, and the Secret was changed", asChangedSecret, correcting),
  reports("driftReported", "Drift is reported and not corrected.", (observed) =>
    isDriftReported(observed)
      ? detected(observed.differences, driftReportedMessage(fieldsOf(observed.differences)))
      : undefined,
  ),
  check("driftFought", "Another writer reverts every correction.", (observed) => {
    const fightEnd = fightEndOf(observed);
    if (fightEnd === undefined) return undefined;
    const message = driftFoughtMessage(fieldsOf(observed.differences));
    return conclude(observed, detected(observed.differences, message), fightEnd);
  }),
  ...correcting,
];

function asChangedSecret(observed: Differing): Differing | undefined {
  if (!isDriftReported(observed) && fightEndOf(observed) === undefined) return undefined;
  const differences = changedSecret(observed, observed.external);
  return differences === undefined ? undefined : { ...observed, differences };
}

function isDriftReported(observed: Differing): boolean {
  return observed.isDrift && observed.resource.spec.policy.drift === "Report" && !followsCluster(observed);
}

function fightEndOf(observed: Differing): MonotonicTime | undefined {
  return observed.isDrift ? fightEndsAt(observed) : undefined;
}

function detected({ drift }: Differences, message: string): Problem {
  return { ...failing("DriftDetected", message), drift };
}

function fieldsOf({ drift }: Differences): string {
  return drift.map(({ field }) => field).join(", ");
}

/** Whether nobody changed the resource: what it is to be follows from facts of the cluster, which have changed. */
function followsCluster({ kind, resource, differences: { isEdit, mask } }: Differing): boolean {
  return isEdit === true || mask.every((field) => kind.principal?.followsCluster(field, resource) === true);
}

/** Whether drift, also a deletion, is reported and not corrected, and nobody requested a reconcile. */
export function reportsDrift({ resource: { spec }, request }: DecisionInput): boolean {
  return spec.policy.drift === "Report" && request === null;
}

// What they say.

function driftReportedMessage(fields: string): string {
  return `${changedOutside(fields)} The change is kept because spec.policy.drift is Report. Set it to Correct to revert the change, or change the spec to match.`;
}

function driftFoughtMessage(fields: string): string {
  return `${changedOutside(fields)} Muster reverted such changes three times within an hour. Find the other writer and stop it; Muster reverts the change again when the hour is over.`;
}

function changedOutside(fields: string): string {
  return `Changed on the platform outside of Kubernetes: ${fields}.`;
}

function valuesNotKeptMessage(drift: readonly Drift[]): string {
  const fields = drift.map(({ field, expected, actual }) => `spec.${field}: "${expected}" is stored as "${actual}"`);
  return `The platform accepted the update but stored other values. ${fields.join("; ")}. Change the spec to the stored values.`;
}

function driftCorrectedMessage(fields: string): string {
  return `Reverted to the spec: ${fields}.`;
}
