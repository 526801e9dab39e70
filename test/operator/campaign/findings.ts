export interface Findings {
  readonly violations: readonly string[];
  /** What remained and is reported as an orphan: a request that took effect late. */
  readonly reported: readonly string[];
  /** How many were compared, by what they are. A comparison that is never made finds nothing. */
  readonly compared: Readonly<Record<string, number>>;
}
