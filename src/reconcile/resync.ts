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
/** Passes of many operators must not fall together: each interval is this share longer or shorter at most. */
const spread = 0.1;

/**
 * Lists each collection below each root, once an interval, by pages and not by object; what differs from before wakes
 * the resource that it belongs to. Runs until `signal` aborts.
 */
export async function runResyncs(options: ResyncOptions, signal: AbortSignal): Promise<void> {
  const { clock, intervalMs, random } = options;
  while (!signal.aborted) {
    try {
      await clock.sleep(intervalMs * (1 - spread + 2 * spread * random()), signal);
    } catch {
      return;
    }
    await resyncOnce(options);
  }
}

/** One pass. A list that fails is told, and does not keep the others from being made. */
export async function resyncOnce({
  session,
  roots,
  clock,
  onListed: onListed,
  onFailure,
}: ResyncOptions): Promise<void> {
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

/** Uids that carry a marker of ours, while no custom resource of that name is there. They are told, never touched. */
export function findOrphans(
  rows: Iterable<ExternalResource>,
  markerIn: (row: ExternalResource) => string | undefined,
  owners: readonly string[],
  known: ReadonlySet<string>,
): string[] {
  const orphans: string[] = [];
  for (const row of rows) {
    const marker = markerIn(row);
    if (marker !== undefined && owners.some((owner) => marker.startsWith(`${owner}-`)) && !known.has(marker))
      orphans.push(row.uid);
  }
  return orphans;
}
