export interface BreakerLimits {
  /** The breaker opens when at least this many resources of a kind are missing … */
  readonly objects: number;
  /** … and they are at least this share of the managed ones, between 0 and 1. */
  readonly share: number;
}

/**
 * Whether the re-creation of missing resources is paused until a person confirms it. If many resources disappear at
 * once, Muster probably sees the platform wrongly, or somebody removed them on purpose. A machine should undo neither.
 */
export function opensBreaker(missing: number, managed: number, { objects, share }: BreakerLimits): boolean {
  return missing >= objects && missing >= managed * share;
}
