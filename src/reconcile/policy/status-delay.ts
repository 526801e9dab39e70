import type { Observed } from "#src/reconcile/observe/observed.ts";

/** A wait is shown once it has lasted this long: most are over sooner, and a status write is dear. */
export const statusDelayMs = 2_000;
/** Where a tree is being deleted nobody has to act, and yet a wait of this long is worth telling. */
export const maxStatusDelayMs = 60_000;

/**
 * How long a wait that the deletion of another resource has brought about lasts before it is shown. While deletions keep
 * coming in, what stands in their way may be the next to go: so a tree that is deleted whole, in any order, costs no such
 * write.
 */
export function statusDelayAmidDeletions({ lastDeletionAt, state: memory, now }: Observed): number {
  const quietAt = lastDeletionAt + statusDelayMs;
  return Math.min(Math.max(quietAt - (memory.waitingSince ?? now), statusDelayMs), maxStatusDelayMs);
}
