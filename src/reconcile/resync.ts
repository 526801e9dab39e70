import type { Clock } from "#src/time/clock.ts";
import type { Kind } from "#src/kinds/kind.ts";
import type { PlatformSession } from "#src/platform-client/session.ts";
import type { Semaphore } from "#src/runtime/semaphore.ts";
import { isUsedBy } from "./tenancy/used-kinds.ts";
import type { Tenancy } from "./tenancy/tenancy.ts";

export interface ResyncSchedule {
  readonly intervalMs: number;
  /** Limits the concurrent resyncs of several sessions. */
  readonly limit: Semaphore;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
}

export interface ResyncReport {
  readonly onListed: (kind: Kind, seconds: number) => void;
  readonly onFailure: (kind: Kind, root: string, error: unknown) => void;
}

export interface ResyncOptions extends ResyncReport {
  readonly kinds: readonly Kind[];
  /** Says which of the kinds the Tenants of the session permit. */
  readonly tenancy: Pick<Tenancy, "contexts">;
  readonly session: PlatformSession;
  readonly clock: Clock;
}

/** Each interval is at most this share longer or shorter, so that the resyncs of several operators do not coincide. */
const jitter = 0.1;

/** Calls `resync` once per interval until `signal` aborts. */
export async function runResyncs(
  { clock, intervalMs, random, limit }: ResyncSchedule,
  resync: () => Promise<unknown>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await clock.sleep(intervalMs * (1 - jitter + 2 * jitter * random()), signal);
    } catch {
      return;
    }
    await limit.run(async () => {
      if (!signal.aborted) await resync();
    });
  }
}

/**
 * Lists each collection below each group of the session, in pages and not object by object. The watch handlers wake the objects
 * whose external resources differ from before. A list that fails is reported and does not prevent the others. A kind that no
 * Tenant of the session permits by its name is not listed: the identity need not be allowed to.
 * @returns whether every list succeeded.
 */
export async function resyncOnce(options: ResyncOptions): Promise<boolean> {
  const { kinds, tenancy, session, clock, onListed, onFailure } = options;
  let isComplete = true;
  const startedAt = clock.monotonic();
  const used = kinds.filter(({ name }) => isUsedBy(tenancy, session, name));
  const collections = used.map(({ collection }) => collection);
  const roots = session.groups;
  const outcomes = await session.listTogether(
    collections,
    roots.map((root) => ({ descendantsOf: root })),
  );
  for (const [scope, root] of roots.entries())
    for (const [index, kind] of used.entries()) {
      const outcome = outcomes[scope]?.[index];
      if (outcome?.status !== "rejected") continue;
      isComplete = false;
      onFailure(kind, root, outcome.reason);
    }
  const took = (clock.monotonic() - startedAt) / 1000;
  for (const kind of kinds) {
    onListed(kind, took);
    // Whoever waits for a decision need not wait until all resources of all kinds have been looked at.
    await clock.turn();
  }
  return isComplete;
}
