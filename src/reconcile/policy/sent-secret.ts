import type { SentSecret } from "#src/api/status.ts";
import type { DecisionInput } from "./decision-input.ts";

/** What was last sent to the resource with this uid, by this process or as the status records it. */
export function sentTo({ state, resource: { status } }: DecisionInput, uid: string): SentSecret | undefined {
  if (state.secretSent?.of === uid) return state.secretSent.secret ?? undefined;
  return status?.uid === uid ? status.secret : undefined;
}

/** What the status is to say of the secret of the resource with this uid; null removes it. */
export function recordedSecret(observed: DecisionInput, uid: string | undefined): SentSecret | null | undefined {
  if (observed.kind.secret === null) return undefined;
  return (uid === undefined ? undefined : sentTo(observed, uid)) ?? null;
}
