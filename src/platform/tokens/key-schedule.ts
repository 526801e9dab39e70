import { hours, minutes } from "#src/time/durations.ts";
import { apiTokenLifetime } from "./token-lifetime.ts";

/** The maximum time between publishing and using a key (ms), longer than verifiers cache the published keys. */
const longestLead = hours(1);
/** The allowed clock skew: an old key is published for this time after its last token has expired (ms). */
const allowance = minutes(5);

/** The properties of a key that the schedule depends on. Times are in milliseconds since the epoch. */
export interface ScheduledKey {
  readonly kid: string;
  readonly createTime: number;
}

/** The use of each key at one point in time. */
export interface KeySchedule<K extends ScheduledKey> {
  /** The key that signs. */
  readonly current: K;
  /** The keys that are not used yet, the current one, and those whose tokens may still be valid. */
  readonly published: readonly K[];
  /** The keys whose last token has expired. */
  readonly expired: readonly K[];
  /** Whether the next key has to be created. */
  readonly due: boolean;
}

/**
 * Returns the schedule of the keys. A key is published when it is created, signs after a lead time until its successor
 * does, and stays published until the last token that it may have signed has expired. Everything follows from the create
 * times, so all replicas agree without communication.
 * @param keys in the order of creation, at least one
 * @param interval milliseconds from one key to the next
 */
export function scheduleOf<K extends ScheduledKey>(
  keys: readonly [K, ...K[]],
  interval: number,
  now: number,
): KeySchedule<K> {
  const lead = Math.min(longestLead, interval / 2);
  const isUsed = ({ createTime }: K) => createTime + lead <= now;
  const isExpired = (index: number) => {
    const successor = keys[index + 1];
    return successor !== undefined && successor.createTime + lead + apiTokenLifetime + allowance <= now;
  };
  return {
    // The very first key signs at once, because it has no predecessor.
    current: keys.findLast(isUsed) ?? keys[0],
    published: keys.filter((_, index) => !isExpired(index)),
    expired: keys.filter((_, index) => isExpired(index)),
    due: keys.every(({ createTime }) => createTime + interval <= now),
  };
}
