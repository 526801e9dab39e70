import type { ReadApi } from "#src/platform-client/api.ts";
import { PlatformFailure, type CodeName } from "#src/platform-client/failure.ts";
import type { Clock } from "#src/time/clock.ts";
import { seconds } from "#src/time/durations.ts";

/** How often a call is made before its failure counts. */
const attempts = 6;
const pauseMs = seconds(1);
/** A platform that asks for a longer pause is not waited for. */
const maxPauseMs = seconds(30);

const temporary: readonly CodeName[] = ["RESOURCE_EXHAUSTED", "UNAVAILABLE", "ABORTED"];

/**
 * What a command that only reads has of the platform's API: its result has no methods that write.
 * It repeats calls that the platform refused for the moment, when it asks for it, or after a second.
 */
export function repeatedReads(api: ReadApi, clock: Clock): ReadApi {
  return {
    list: (type, query, signal) => repeat(() => api.list(type, query, signal), clock, signal),
    get: (type, uid, signal) => repeat(() => api.get(type, uid, signal), clock, signal),
  };
}

async function repeat<T>(call: () => Promise<T>, clock: Clock, signal: AbortSignal): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      const pause = pauseAfter(error);
      if (pause === undefined || attempt === attempts) throw error;
      await clock.sleep(pause, signal);
    }
  }
}

/** How long to wait until the call is made again; undefined if that does not help. */
function pauseAfter(error: unknown): number | undefined {
  if (!(error instanceof PlatformFailure) || error.problem.kind !== "rejected") return undefined;
  const { error: rejection, retryAfterMs = pauseMs } = error.problem;
  // A quota does not recover by itself.
  if (!temporary.includes(rejection.code) || rejection.quotaViolations !== undefined) return undefined;
  return retryAfterMs <= maxPauseMs ? retryAfterMs : undefined;
}
