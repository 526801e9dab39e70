import type { Condition } from "#src/api/condition.ts";
import type { Reason } from "#src/api/reason.ts";
import type { Undeclared } from "#src/api/status.ts";
import type { ObservedUndeclared, SparingReason } from "#src/reconcile/observe/observed.ts";
import type { DecisionInput } from "./decision-input.ts";
import { retryOf } from "./retry.ts";
import * as messages from "./undeclared-messages.ts";
import type { Event, Step } from "./step.ts";

/**
 * What the object of a group says about resources in the group that nobody declared, and which of them is removed next.
 * The status and the condition change only with what they say: at rest, they cost no write.
 */

/** How many resources the status lists. */
export const listedUndeclared = 10;

type Assessed = Extract<ObservedUndeclared, { is: "assessed" }>;

/**
 * The step that removes the next resource that nobody declared; undefined if none is to be removed now. A removal that was
 * not sent, because of an outage or a pause, does not keep the object from being Ready.
 */
export function decideRemoval(observed: DecisionInput): Step | undefined {
  const { undeclared } = observed;
  if (undeclared?.is !== "assessed" || undeclared.removal === null) return undefined;
  if (retryOf(observed, "removeUndeclared") !== undefined) return undefined;
  const { removal } = undeclared;
  if (removal.is === "later") return { do: "wait", until: removal.until };
  const { kind, uid } = removal.resource;
  return {
    do: "removeUndeclared",
    kind,
    uid,
    event: { type: "Normal", reason: "Deleted", note: messages.removed(removal.resource) },
  };
}

/** `step`, or what it waits for, no later than a removal that was not sent is to be tried again. */
export function untilRemoval(observed: DecisionInput, step: Step): Step {
  const { undeclared } = observed;
  const isDue = undeclared?.is === "assessed" && undeclared.removal?.is === "due";
  const retryAt = isDue ? retryOf(observed, "removeUndeclared") : undefined;
  if (retryAt === undefined || step.do !== "done") return step;
  return { do: "done", recheckAt: Math.min(step.recheckAt ?? retryAt, retryAt) };
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
