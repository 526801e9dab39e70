import type { MonotonicTime } from "#src/platform-client/collection-view.ts";

const hourMs = 3_600_000;
const correctionsAnHour = 3;

/** When a thing that somebody keeps changing may be set back again; undefined where it may be at once. */
export function fightEndsAt(corrections: readonly MonotonicTime[], now: MonotonicTime): MonotonicTime | undefined {
  const recent = recentCorrections(corrections, now);
  const oldest = recent.at(-correctionsAnHour);
  return oldest === undefined ? undefined : oldest + hourMs;
}

export function recentCorrections(corrections: readonly MonotonicTime[], now: MonotonicTime): readonly MonotonicTime[] {
  return corrections.filter((at) => at > now - hourMs);
}
