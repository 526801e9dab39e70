import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { minutes } from "#src/time/durations.ts";
import { AuthoredWriter } from "../audit/authored-writer.ts";
import { identities } from "../collections/identities.ts";
import type { Identity } from "../gen/muster/platform/iam/v2beta1/identity_pb.ts";
import type { Writer } from "../store/database.ts";

/** The resolution of `lastSeenTime` (ms), so that not every token costs an update of the identity. */
const resolution = minutes(1);

/**
 * Records that an identity was assumed: by an exchange, a refresh or a login.
 * @param now in milliseconds since the epoch
 * @returns whether the identity exists
 */
export async function updateLastSeen(tx: Writer, uid: string, now: number): Promise<boolean> {
  const identity = await identities.find(tx, uid);
  if (identity === undefined) return false;
  const seen = lastSeenAt(identity, now);
  if (seen === undefined) return true;
  identity.lastSeenTime = timestampFromMs(seen);
  await identities.update(new AuthoredWriter(tx, { kind: "platform" }, now), identity);
  return true;
}

/** Whether the `lastSeenTime` of an identity that is assumed now is accurate enough. It never decreases, so this remains true. */
export function wasSeenLately(identity: Identity, now: number): boolean {
  return lastSeenAt(identity, now) === undefined;
}

/**
 * The new `lastSeenTime` of an identity that is assumed now; undefined if the one that it has is accurate enough. The time of its
 * creation means that nobody has assumed it, so it is seen a millisecond later at the earliest, also if the login that creates it
 * is what assumes it, or the clock of another replica is behind.
 */
function lastSeenAt({ createTime, lastSeenTime }: Identity, now: number): number | undefined {
  const created = createTime === undefined ? 0 : timestampMs(createTime);
  const seen = lastSeenTime === undefined ? created : timestampMs(lastSeenTime);
  if (seen > created && now - seen < resolution) return undefined;
  return Math.max(now, created + 1);
}
