/** A length of time for people: `41 ms`, `3.1 s`. */
export function took(ms: number): string {
  return ms < 1_000 ? `${Math.max(1, Math.round(ms))} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
