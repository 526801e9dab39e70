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

  /** Forgets what is older than an hour. @returns the times of the other removals, by key. */
  recent(now: MonotonicTime): ReadonlyMap<string, readonly MonotonicTime[]> {
    while ((this.#removals[0]?.at ?? now) <= now - hourMs) this.#removals.shift();
    return new Map(
      Map.groupBy(this.#removals, ({ key }) => key)
        .entries()
        .map(([key, removals]) => [key, removals.map(({ at }) => at)]),
    );
  }
}
