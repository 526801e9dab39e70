export interface Findings {
  readonly violations: readonly string[];
  /** What remained and is reported as an orphan: a request that took effect late. */
  readonly reported: readonly string[];
}
