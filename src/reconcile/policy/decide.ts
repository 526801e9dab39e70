import type { Kind } from "#src/kinds/kind.ts";
import type { Observed } from "#src/reconcile/observe/observed.ts";
import { conclude } from "./conclude.ts";
import type { DecisionInput } from "./decision-input.ts";
import { decideDeletion } from "./deletion.ts";
import { untilExpiry } from "./expiry.ts";
import * as kubernetesMessages from "./kubernetes-messages.ts";
import { isBeingDeleted } from "./object.ts";
import { failing } from "./outcome.ts";
import { decidePresence } from "./presence.ts";
import { delayingRefusal } from "./refusal.ts";
import { untilSecretRead } from "./secret.ts";
import { isReportedIfRefused, type Step } from "./step.ts";
import { untilRemoval } from "./undeclared.ts";

/**
 * The whole policy of reconciliation, for every kind: from what was observed of an object, and the
 * description of its kind, to the single next step.
 *
 * Expected flow of a creation: `list` (shared by all objects, usually done already) → `addFinalizer` → `create` →
 * `writeStatus` → `done`. Of an edit: `update` → `writeStatus` → `done`. Of a deletion: `readCrd` (shared) → `delete` →
 * `removeFinalizer`.
 *
 * Guarantees: pure. An external resource is created only after its absence is proven (see `absence.ts`), written only
 * after it is known to be ours (`ownership.ts`), and its object is released only after it is gone. "First time",
 * "retry" and "recovery" have no code path of their own: they are observations.
 *
 * Assumptions: the result of each step is observed before the next decision.
 */
export function decide(observed: Observed, kind: Kind): Step {
  const input = { ...observed, kind };
  const step = isBeingDeleted(observed.resource)
    ? decideDeletion(input)
    : untilSecretRead(input, untilRemoval(input, decidePresence(input)));
  return unlessRefused(input, untilExpiry(input, step));
}

/** `step`, unless Kubernetes refused it a moment ago. Then the refusal is what there is to report. */
function unlessRefused(observed: DecisionInput, step: Step): Step {
  if (!isReportedIfRefused(step)) return step;
  const refusal = delayingRefusal(observed, step.do);
  if (refusal === undefined) return step;
  return conclude(
    observed,
    failing("KubernetesForbidden", kubernetesMessages.refusedByKubernetes(refusal.message)),
    refusal.retryAt,
  );
}
