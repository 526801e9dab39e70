import type { Clock } from "#src/time/clock.ts";

const patienceMs = 10_000;
const pauseMs = 500;

/** How a network plugin rejects a connection: as closed, or as unreachable. */
const rejections: ReadonlySet<unknown> = new Set(["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "EACCES", "EPERM"]);

/**
 * Repeats an attempt while its connection is rejected, for at most 10 s: after the start of a pod, a network plugin takes some seconds
 * until the NetworkPolicies let it connect.
 * @throws what the last attempt threw, or the reason of `signal`
 */
export async function untilConnected<T>(
  attempt: () => Promise<T>,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<T> {
  const deadline = clock.monotonic() + patienceMs;
  for (;;)
    try {
      return await attempt();
    } catch (error) {
      if (!isRejectedConnection(error) || clock.monotonic() + pauseMs > deadline) throw error;
      await clock.sleep(pauseMs, signal);
    }
}

function isRejectedConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ("code" in error && rejections.has(error.code)) || isRejectedConnection(error.cause);
}
