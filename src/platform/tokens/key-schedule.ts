import { apiTokenLifetime } from "./token-lifetime.ts";

/** A key at most this long is published before it is used (ms): longer than anybody remembers our published keys. */
const longestLead = 60 * 60_000;
/** Clocks differ: an old key is kept this much longer than its last token holds (ms). */
const allowance = 5 * 60_000;

/** What the schedule of keys goes by. Times in milliseconds since the epoch. */
export interface ScheduledKey {
  readonly kid: string;
  readonly createTime: number;
}

/** Which key does what at a moment. */
export interface KeySchedule<K extends ScheduledKey> {
  /** Signs; the only one that does. */
  readonly current: K;
  /** Those that are not used yet, the current one, and those whose last token still holds. */
  readonly published: readonly K[];
  /** Those whose last token has expired. */
  readonly over: readonly K[];
  /** Whether it is time to make the next one. */
  readonly due: boolean;
}

/**
 * A key is published when it is made, used after a lead until its successor is used, and kept until the last token
 * that it can have signed has expired. Everything follows from when the keys were made, so all replicas agree.
 * @param keys in the order in which they were made, at least one
 * @param interval milliseconds from one key to the next
 */
export function scheduleOf<K extends ScheduledKey>(
  keys: readonly [K, ...K[]],
  interval: number,
  now: number,
): KeySchedule<K> {
  const lead = Math.min(longestLead, interval / 2);
  const isUsed = ({ createTime }: K) => createTime + lead <= now;
  const isOver = (index: number) => {
    const successor = keys[index + 1];
    return successor !== undefined && successor.createTime + lead + apiTokenLifetime + allowance <= now;
  };
  return {
    // The very first key has nobody who signs while it is only published.
    current: keys.findLast(isUsed) ?? keys[0],
    published: keys.filter((_, index) => !isOver(index)),
    over: keys.filter((_, index) => isOver(index)),
    due: keys.every(({ createTime }) => createTime + interval <= now),
  };
}
