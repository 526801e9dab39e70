import { mayHaveManaged } from "#src/kinds/may-have-managed.ts";
import type { ExternalResource } from "#src/reconcile/observe/observed.ts";
import type { DecisionInput } from "./decision-input.ts";
import { expiredMessage } from "./expiry-messages.ts";
import { stalled } from "./outcome.ts";
import * as ownershipMessages from "./ownership-messages.ts";
import { managedUid } from "./ownership.ts";
import type { IdentificationRules } from "./identification-rules.ts";

/** What is common to resources that are created again after they are gone. */
export const recreated = {
  canBeLookedFor: ({ unrecorded }) => unrecorded?.is !== "unknown",
  // What existed when this process decided to delete it was not created again before, and not since without a POST.
  mayBeCreatedAgain: (observed) => {
    const { claim, state } = observed;
    const recorded = managedUid(observed);
    if (recorded === undefined || claim?.uid !== recorded || claim.external.is !== "gone") return false;
    return state.posted !== undefined || state.deleting !== recorded;
  },
  createdToRecord: ({ resource: { status }, state: { posted } }) =>
    status?.management === undefined ? posted?.created : undefined,
  recordsExpiry: true,
  ended: ({ kind }, left) => ({ ...stalled("Expired", left ?? expiredMessage(kind.noun)), recorded: "forgotten" }),
  claimedByOther: ({ kind }, uid, other) => ownershipMessages.claimedByOther(kind.noun, uid, other),
} satisfies Partial<IdentificationRules>;

/**
 * Whether nothing exists because of an object, and no POST of it can still take effect.
 * @param uid what was found without a record. @param isAbsent whether nothing else shows what an earlier process may have created
 */
export function isGuardingNothing(observed: DecisionInput, uid: string | undefined, isAbsent: boolean): boolean {
  const { resource, state, now, settledAt, unrecorded } = observed;
  if (managedUid(observed) !== undefined || state.posted !== undefined) return false;
  if (!mayHaveManaged(resource)) return true;
  if (uid !== undefined) return false;
  if (state.bornHere) return true;
  if (now < settledAt || !isAbsent) return false;
  // The proof is to be complete that no process created anything for an object that no Tenant permits now.
  if (unrecorded?.is !== "identified") return unrecorded?.is === "impossible";
  const { snapshot, found } = unrecorded;
  return snapshot !== null && snapshot.startedAt >= settledAt && found.length === 0;
}

/** The matches that no other object wants, and has not recorded yet. */
export function freeMatches({ matches, wantedByOthers }: DecisionInput): readonly ExternalResource[] {
  return matches.filter(({ uid }) => !wantedByOthers.includes(uid));
}

/** Of `matches`, one that a POST of this process with a lost response created, or else the first. */
export function ownFirst(
  { createdHere }: DecisionInput,
  matches: readonly ExternalResource[],
): ExternalResource | undefined {
  return matches.find(({ uid }) => createdHere.includes(uid)) ?? matches[0];
}
