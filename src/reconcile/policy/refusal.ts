import type { KubeStepName, MonotonicTime, Observed, Refusal } from "#src/reconcile/observe/observed.ts";
import { hours, minutes, seconds } from "#src/time/durations.ts";
import { plainText } from "./plain-text.ts";

/**
 * When a call that Kubernetes refused is made again: a permission is missing, a quota is exceeded, or an admission policy,
 * a webhook or the schema rejects the write.
 *
 * Guarantees: one step of one object backs off from 1 s to 5 min, and the write of a code from 1 min to 8 h. A change of the
 * spec, the request of a deletion, and a request for a reconcile end the delay at once. Steps are refused independently of each
 * other: while the status is refused, the rest of the work is done.
 */

interface Delays {
  readonly firstMs: number;
  readonly maxMs: number;
}

const usualDelays: Delays = { firstMs: seconds(1), maxMs: minutes(5) };
const delaysOf: Readonly<Partial<Record<KubeStepName, Delays>>> = {
  // Each attempt costs a resource, which is created before the write and deleted after the refusal.
  writeSecret: { firstMs: minutes(1), maxMs: hours(8) },
};
/** A write was not made because others wrote the object after it had been read. */
export const writtenByOthers = { code: 409, message: "the object was changed after it had been read" };
/** Each delay is up to this share longer, so that the objects of a namespace do not all retry at once. */
const jitter = 0.2;
const maxMessageLength = 1024;

/**
 * The refusal to remember after Kubernetes refused `step`.
 * @param random in [0, 1).
 */
export function refusalOf(
  observed: Observed,
  step: KubeStepName,
  { code, message }: Pick<Refusal, "code" | "message">,
  at: MonotonicTime,
  random: number,
): Refusal {
  const previous = observed.state.refusals?.[step];
  const attemptOf = attemptOfWrite(observed);
  const attempts = previous?.attemptOf === attemptOf ? previous.attempts + 1 : 1;
  const { firstMs, maxMs } = delaysOf[step] ?? usualDelays;
  const delayMs = Math.min(maxMs, firstMs * 2 ** Math.min(attempts - 1, 20));
  return {
    code,
    message: plainText(message, maxMessageLength),
    attemptOf,
    attempts,
    retryAt: at + delayMs * (1 + jitter * random),
  };
}

/** The refusal that delays `step` now. */
export function delayingRefusal(observed: Observed, step: KubeStepName): Refusal | undefined {
  const refusal = observed.state.refusals?.[step];
  if (refusal === undefined || observed.now >= refusal.retryAt) return undefined;
  return refusal.attemptOf === attemptOfWrite(observed) ? refusal : undefined;
}

/** Identifies what is being attempted. The refusal of another attempt does not delay this one. */
function attemptOfWrite({ resource: { metadata }, request }: Observed): string {
  return [metadata.generation, metadata.deletionTimestamp, request?.value].join(" ");
}
