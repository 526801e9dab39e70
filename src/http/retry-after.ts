import { seconds } from "#src/time/durations.ts";

/**
 * Converts a Retry-After header, in seconds or a date (RFC 9110, section 10.2.3), to milliseconds from `now`, which is in
 * milliseconds since the epoch. @returns undefined if there is no header or it is malformed
 */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const waitMs = /^\d+$/.test(header) ? seconds(Number(header)) : Date.parse(header) - now;
  return Number.isNaN(waitMs) ? undefined : Math.max(waitMs, 0);
}
