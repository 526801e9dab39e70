import type { Kind } from "#src/kinds/kind.ts";
import type { Observed } from "#src/reconcile/observe/observed.ts";
import { type Decision, evaluate, type Phase } from "./check.ts";
import { conclude } from "./conclude.ts";
import type { DecisionInput } from "./decision-input.ts";
import { ending } from "./ending.ts";
import { existing } from "./existing.ts";
import { untilExpiry } from "./expiry.ts";
import * as kubernetesMessages from "./kubernetes-messages.ts";
import { isBeingDeleted } from "./object.ts";
import { failing } from "./outcome.ts";
import { delayingRefusal } from "./refusal.ts";
import { untilSecretRead } from "./secret.ts";
import { isReportedIfRefused } from "./step.ts";
import { untilRemoval } from "./undeclared.ts";

/**
 * The whole policy of reconciliation, for every kind: from what was observed of an object, and the
 * description of its kind, to the single next step, and the check that decided on it.
 *
 * Expected flow of a creation: `list` (shared by all objects, usually done already) → `addFinalizer` → `create` →
 * `writeStatus` → `done`. Of an edit: `update` → `writeStatus` → `done`. Of a deletion: `readCrd` (shared) → `read` →
 * `delete` → `removeFinalizer`.
 *
 * Guarantees: pure. An external resource is created only after its absence is proven (see `absence.ts`), written only
 * after it is known to be ours (`ownership.ts`), and its object is released only after it is gone. "First time",
 * "retry" and "recovery" have no code path of their own: they are observations.
 *
 * Assumptions: the result of each step is observed before the next decision.
 */
export function decide(observed: Observed, kind: Kind): Decision {
  const input = { ...observed, kind };
  // Only for some kinds: a Secret is read again, and what nobody declared is removed. For all: expiry, and what Kubernetes refused.
  const isEnding = isBeingDeleted(observed.resource);
  const { step, check } = decideBy(isEnding ? ending : existing, input);
  const timed = isEnding ? step : untilSecretRead(input, untilRemoval(input, step));
  return withCheck(input, unlessRefused(input, { step: untilExpiry(input, timed), check }));
}

/** A status that is written says which check decided, for `muster why`. It is never written for that alone. */
function withCheck({ resource }: DecisionInput, { step, check }: Decision): Decision {
  return step.do !== "writeStatus" || resource.status?.decidedBy === check
    ? { step, check }
    : { step: { ...step, patch: { ...step.patch, decidedBy: check } }, check };
}

/** @throws {Error} if no check decides: the last one of each phase always does */
function decideBy(phase: Phase, input: DecisionInput): Decision {
  const decision = evaluate(phase, input);
  if (decision === undefined) throw new Error(`no check decides about ${input.kind.name} objects in this state`);
  return decision;
}

/** The decision, unless Kubernetes refused its step a moment ago. Then the refusal is what there is to report. */
function unlessRefused(observed: DecisionInput, decision: Decision): Decision {
  const { step } = decision;
  if (!isReportedIfRefused(step)) return decision;
  const refusal = delayingRefusal(observed, step.do);
  if (refusal === undefined) return decision;
  const problem = failing("KubernetesForbidden", kubernetesMessages.refusedByKubernetes(refusal.message));
  return { step: conclude(observed, problem, refusal.retryAt), check: "refusedByKubernetes" };
}
