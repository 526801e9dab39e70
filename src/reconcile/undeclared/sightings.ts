import { timestamp } from "#src/api/timestamp.ts";
import type { CachedResource } from "#src/reconcile/observe/cached-resource.ts";
import type { Clock, MonotonicTime } from "#src/time/clock.ts";

/** Since when, and in how many consecutive resyncs, a resource was seen. */
export interface Sighting {
  /** When the operator first saw it, in RFC 3339 with seconds. */
  readonly firstSeenTime: string;
  /** When this process first saw it. */
  readonly firstSeenAt: MonotonicTime;
  readonly seenIn: number;
  /** Neither this process nor the one before it, as far as statuses tell, has seen the resource before. */
  readonly isNew: boolean;
}

/** By uid. As large as what was found. */
export type Sightings = ReadonlyMap<string, Sighting>;

/**
 * Continues the sightings of the resync before.
 * @param before undefined at the first resync of this process: then the statuses of `groups` say when a previous process
 * first saw what they list.
 * @returns a function that notes that a resource is seen now, and what it has noted.
 */
export function continueSightings(
  before: Sightings | undefined,
  groups: readonly CachedResource[],
  clock: Clock,
): { readonly note: (external: { readonly uid: string }) => Sighting; readonly sightings: Sightings } {
  const at = clock.monotonic();
  const now = timestamp(clock.now());
  const recorded = before === undefined ? recordedTimes(groups) : undefined;
  const sightings = new Map<string, Sighting>();
  const note = ({ uid }: { readonly uid: string }) => {
    const seen = before?.get(uid);
    const { firstSeenTime = recorded?.get(uid) ?? now, firstSeenAt = at, seenIn = 0 } = seen ?? {};
    const isNew = seen === undefined && recorded?.get(uid) === undefined;
    const next = { firstSeenTime, firstSeenAt, seenIn: seenIn + 1, isNew };
    sightings.set(uid, next);
    return next;
  };
  return { note, sightings };
}

function recordedTimes(groups: readonly CachedResource[]): ReadonlyMap<string, string> {
  return new Map(
    groups.flatMap(({ resource: { status } }) =>
      (status?.undeclared ?? []).map(({ uid, firstSeenTime }) => [uid, firstSeenTime] as const),
    ),
  );
}
