import type { SentSecret } from "#src/api/status.ts";
import type { ExternalResource } from "#src/reconcile/observe/observed.ts";
import { wasApplied } from "./applied.ts";
import type { DecisionInput } from "./decision-input.ts";
import { identificationOf } from "./identification-of.ts";

/** What was last sent to the resource with this uid, by this process or as the status records it. */
export function sentTo({ state, resource: { status } }: DecisionInput, uid: string): SentSecret | undefined {
  if (state.secretSent?.of === uid) return state.secretSent.secret ?? undefined;
  return status?.uid === uid ? status.secret : undefined;
}

/**
 * Whether the resource may have a secret that a leader sent before it died, and that no status records. What the object adopted is
 * not meant: its secret was somebody else's before.
 */
export function mayHaveUnrecorded(observed: DecisionInput, external: ExternalResource): boolean {
  return !isSentKnown(observed, external) && identificationOf(observed).managementOf(observed, external) === "Created";
}

/** Whether a request of such a leader may still give the resource a secret: one more, if the status records that it had one. */
export function mayStillGetOne(observed: DecisionInput, external: ExternalResource): boolean {
  const hadOne = sentTo(observed, external.uid) !== undefined;
  return (
    observed.now < observed.settledAt &&
    (hadOne ? !isSentKnown(observed, external) : mayHaveUnrecorded(observed, external))
  );
}

/** Of what a leader did for a generation of the spec that was not applied to its end, the next one knows nothing. */
function isSentKnown(observed: DecisionInput, { uid }: ExternalResource): boolean {
  return observed.state.secretSent?.of === uid || wasApplied(observed, uid);
}

/** What the status is to say of the secret of the resource with this uid; null if it has none. */
export function recordedSecret(observed: DecisionInput, uid: string | undefined): SentSecret | null {
  return (uid === undefined ? undefined : sentTo(observed, uid)) ?? null;
}
