import { minutes, seconds } from "#src/time/durations.ts";

/**
 * A token is renewed at a random moment between these shares of its life. Pods that start together thereby do not renew
 * together. A token of one hour is renewed after 38.4 minutes at the latest: if an outage of 20 minutes begins at that moment,
 * the token is still valid for 96 s when the outage ends, and the next attempt follows within 15 s (see `retryAfterMs`).
 */
const renewalWindow = { from: 0.58, to: 0.64 } as const;

/** However short the life of a token is. */
const shortestRenewalMs = seconds(1);

/** The pause before a new token is renewed. @param random returns a number in [0, 1) */
export function renewAfterMs(lifeMs: number, random: () => number): number {
  const share = renewalWindow.from + random() * (renewalWindow.to - renewalWindow.from);
  return Math.max(lifeMs * share, shortestRenewalMs);
}

export interface FailedRenewal {
  /** The number of consecutive failures, this one included. */
  readonly failures: number;
  /** Whether the token service refused the exchange: then somebody has to change something first. */
  readonly refused: boolean;
  /** How long the last token is still valid; 0 without a valid token. */
  readonly remainingMs: number;
  /** The pause that the token service asked for; 0 without one. */
  readonly requestedMs: number;
}

const firstRetryMs = seconds(1);
/** The longest pause while the application has no valid token: a compromise with the load of many pods on the platform. */
const shortestLimitMs = seconds(15);
const longestLimitMs = minutes(2);
const refusedLimitMs = minutes(1);
const longestRequestedMs = minutes(5);

/**
 * The pause before the next attempt. It doubles with each failure, up to a tenth of the time for which the last token is
 * valid: a token with much time left causes little load, and one that is about to expire is retried often. A pause that the
 * token service asked for is observed up to half of that time, and up to 5 minutes without a valid token.
 * @param random returns a number in [0, 1)
 */
export function retryAfterMs(
  { failures, refused, remainingMs, requestedMs }: FailedRenewal,
  random: () => number,
): number {
  const limitMs = Math.min(Math.max(remainingMs / 10, refused ? refusedLimitMs : shortestLimitMs), longestLimitMs);
  const windowMs = Math.min(firstRetryMs * 2 ** Math.min(failures - 1, 20), limitMs);
  const delayMs = windowMs * (0.5 + random() / 2);
  const requestedLimitMs = remainingMs === 0 ? longestRequestedMs : Math.max(remainingMs / 2, shortestLimitMs);
  // Pods that were asked for the same pause are spread over a tenth of it.
  return Math.max(delayMs, Math.min(requestedMs, requestedLimitMs) * (1 + random() / 10));
}
