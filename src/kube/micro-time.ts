/** RFC 3339 with microseconds, as `meta/v1.MicroTime` is written. */
export function microTime(ms: number): string {
  return new Date(ms).toISOString().replace("Z", "000Z");
}
