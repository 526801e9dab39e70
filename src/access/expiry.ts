import type { KnownIdentity } from "./access-state.ts";

/**
 * When the static keys of the identity have expired, if they have: the platform then refuses its tokens.
 * @param now milliseconds since the epoch
 */
export function expiredAt(identity: KnownIdentity | undefined, now: number): string | undefined {
  const { expirationTime } = identity?.assumedBy ?? {};
  return expirationTime !== undefined && Date.parse(expirationTime) <= now ? expirationTime : undefined;
}
