import type { MonotonicTime } from "#src/time/clock.ts";
import { hours } from "#src/time/durations.ts";

const hourMs = hours(1);
/** The removals of an hour beyond this number are forgotten, the oldest first. */
const limit = 10_000;

/**
 * What was removed within the last hour, by what it was rather than by its uid: a resource that is created again has
 * another uid. Forgotten when the process ends.
 */
export class RemovalHistory {
  readonly #removals: { readonly key: string; readonly at: MonotonicTime }[] = [];

  record(key: string, at: MonotonicTime): void {
    this.#removals.push({ key, at });
    if (this.#removals.length > limit) this.#removals.shift();
  }

  /** Forgets what is older than an hour. @returns how often each of the others was removed. */
  recent(now: MonotonicTime): ReadonlyMap<string, number> {
    while ((this.#removals[0]?.at ?? now) <= now - hourMs) this.#removals.shift();
    const counts = new Map<string, number>();
    for (const { key } of this.#removals) counts.set(key, (counts.get(key) ?? 0) + 1);
    return counts;
  }
}
