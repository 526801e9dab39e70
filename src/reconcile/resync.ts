import type { Clock } from "#src/time/clock.ts";
import type { CollectionName, ExternalResource } from "#src/platform-client/external-resource.ts";
import type { PlatformSession } from "#src/platform-client/session.ts";

export interface ResyncOptions {
  readonly session: PlatformSession;
  readonly roots: readonly string[];
  readonly intervalMs: number;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly onListed: (collection: CollectionName, seconds: number) => void;
  readonly onFailure: (collection: CollectionName, root: string, error: unknown) => void;
}

const collections: readonly CollectionName[] = ["groups", "identities", "roleBindings"];
/** Each interval is at most this share longer or shorter, so that the resyncs of several operators do not coincide. */
const jitter = 0.1;

/**
 * Lists each collection below each root once per interval, in pages and not object by object. The watch handlers wake the
 * objects whose external resources differ from before. Runs until `signal` aborts.
 */
export async function runResyncs(options: ResyncOptions, signal: AbortSignal): Promise<void> {
  const { clock, intervalMs, random } = options;
  while (!signal.aborted) {
    try {
      await clock.sleep(intervalMs * (1 - jitter + 2 * jitter * random()), signal);
    } catch {
      return;
    }
    await resyncOnce(options);
  }
}

/** One resync. A list that fails is reported and does not prevent the others. */
export async function resyncOnce({ session, roots, clock, onListed, onFailure }: ResyncOptions): Promise<void> {
  for (const collection of collections) {
    const startedAt = clock.monotonic();
    for (const root of roots) {
      try {
        await session.list(collection, { descendantsOf: root });
      } catch (error) {
        onFailure(collection, root, error);
      }
    }
    onListed(collection, (clock.monotonic() - startedAt) / 1000);
  }
}

/** The uids of external resources with one of our markers but without a custom resource. They are reported, never changed. */
export function findOrphans(
  externals: Iterable<ExternalResource>,
  markerIn: (external: ExternalResource) => string | undefined,
  owners: readonly string[],
  known: ReadonlySet<string>,
): string[] {
  const orphans: string[] = [];
  for (const external of externals) {
    const marker = markerIn(external);
    if (marker !== undefined && owners.some((owner) => marker.startsWith(`${owner}-`)) && !known.has(marker))
      orphans.push(external.uid);
  }
  return orphans;
}
