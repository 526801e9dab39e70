import type { Moment } from "#src/platform-client/collection-view.ts";

const hourMs = 3_600_000;
const correctionsAnHour = 3;

/** When a thing that somebody keeps changing may be set back again; undefined where it may be at once. */
export function fightEndsAt(corrections: readonly Moment[], now: Moment): Moment | undefined {
  const recent = recentCorrections(corrections, now);
  const oldest = recent.at(-correctionsAnHour);
  return oldest === undefined ? undefined : oldest + hourMs;
}

export function recentCorrections(corrections: readonly Moment[], now: Moment): readonly Moment[] {
  return corrections.filter((at) => at > now - hourMs);
}
