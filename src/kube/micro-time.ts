/** Formats milliseconds since the epoch as a `meta/v1.MicroTime`: RFC 3339 with microseconds. */
export function microTime(ms: number): string {
  return new Date(ms).toISOString().replace("Z", "000Z");
}
