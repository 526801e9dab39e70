import type { Condition } from "#src/api/condition.ts";
import type { Reason } from "#src/api/reason.ts";
import type { Undeclared } from "#src/api/status.ts";
import type { MonotonicTime, ObservedUndeclared, Removal, SparingReason } from "#src/reconcile/observe/observed.ts";
import type { DecisionInput } from "./decision-input.ts";
import { retryOf } from "./attempted.ts";
import * as messages from "./undeclared-messages.ts";
import { currentMs } from "./freshness.ts";
import { type Event, noLaterThan, type PlatformStep, type Step } from "./step.ts";

/**
 * What the object of a group says about resources in the group that nobody declared, and which of them is removed next.
 * The status and the condition change only with what they say: at rest, they cost no write.
 */

/** How many resources the status lists. */
export const listedUndeclared = 10;

type Assessed = Extract<ObservedUndeclared, { is: "assessed" }>;

/**
 * The step that removes the next resource that nobody declared, or reads it first; undefined if none is to be removed now. What
 * was not sent, because of an outage or a pause, does not keep the object from being Ready.
 */
export function decideRemoval(observed: DecisionInput): Step | undefined {
  const removal = removalOf(observed);
  if (removal === null) return undefined;
  if (removal.is === "later") return { do: "wait", until: removal.until };
  return retryOfRemoval(observed) === undefined ? removeNext(observed, removal) : undefined;
}

/** `step`, or what it waits for, no later than what a removal takes is to be tried again. */
export function untilRemoval(observed: DecisionInput, step: Step): Step {
  const retryAt = removalOf(observed)?.is === "due" ? retryOfRemoval(observed) : undefined;
  return retryAt === undefined || step.do !== "done" ? step : noLaterThan(step, retryAt);
}

function removalOf({ undeclared }: DecisionInput): Removal | null {
  return undeclared?.is === "assessed" ? undeclared.removal : null;
}

/** When the removal, or the read before it, is to be tried again. While the removal waits, nothing is read for it. */
function retryOfRemoval(observed: DecisionInput): MonotonicTime | undefined {
  return retryOf(observed, "removeUndeclared") ?? retryOf(observed, "read");
}

/** Somebody may have taken the resource since it was listed. */
function removeNext({ now }: DecisionInput, { resource, readAt }: Extract<Removal, { is: "due" }>): PlatformStep {
  const { kind, uid } = resource;
  const startedAfter = now - currentMs;
  if (readAt === null || readAt < startedAfter) return { do: "read", kind, uid, startedAfter };
  const event: Event = { type: "Normal", reason: "Deleted", note: messages.removed(resource) };
  return { do: "removeUndeclared", kind, uid, event };
}

/** The condition AccessDeclared, without its times; undefined if the object has none. */
export function accessDeclared(
  undeclared: ObservedUndeclared | null,
): (Pick<Condition, "status" | "message"> & { readonly reason: Reason }) | undefined {
  if (undeclared?.is !== "assessed") return undefined;
  if (totalOf(undeclared) === 0) return { status: "True", reason: "Available", message: messages.everythingDeclared() };
  return {
    status: "False",
    reason: "UndeclaredAccess",
    message: messages.undeclared(undeclared.counts, sparedBy(undeclared), undeclared.confirmId),
  };
}

/** What `status.undeclared` is to be: null removes it, undefined leaves it unchanged. */
export function listOfUndeclared(undeclared: ObservedUndeclared | null): Undeclared[] | null | undefined {
  if (undeclared === null) return undefined;
  if (undeclared.is === "unreported" || undeclared.first.length === 0) return null;
  return [...undeclared.first];
}

/** The event for resources that the status did not name before. A list that was full says nothing about what is new. */
export function undeclaredEvent({ resource, undeclared }: DecisionInput): Event | undefined {
  if (undeclared?.is !== "assessed") return undefined;
  const { undeclared: before = [] } = resource.status ?? {};
  if (before.length >= listedUndeclared) return undefined;
  const known = new Set(before.map(({ uid }) => uid));
  const added = undeclared.first.filter(({ uid }) => !known.has(uid));
  return added.length === 0
    ? undefined
    : { type: "Warning", reason: "UndeclaredAccess", note: messages.undeclaredFound(added) };
}

export function totalOf({ counts }: Assessed): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** Why resources are not removed, the most frequent reason first. */
function sparedBy({ spared }: Assessed): readonly (readonly [SparingReason, number])[] {
  return (Object.entries(spared ?? {}) as [SparingReason, number][]).toSorted(
    ([a, some], [b, others]) => others - some || (a < b ? -1 : 1),
  );
}
