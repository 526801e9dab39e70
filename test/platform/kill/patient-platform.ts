import { setTimeout as sleep } from "node:timers/promises";
import { PlatformAdmin } from "#test/support/harness/platform-admin.ts";
import { PlatformError } from "#test/support/harness/send-json.ts";

/** It is not known whether a change was made. Its caller has to read before it tries again. */
export class OutcomeUnknown extends Error {
  override readonly name = "OutcomeUnknown";
}

/** How long a caller waits before it repeats a call (ms). */
export const pause = 100;

/** A caller that repeats what the platform responds to with UNAVAILABLE, which says whether something was changed. */
export class PatientPlatform extends PlatformAdmin {
  /** How long each call took that failed at first, or took more than a second (ms). */
  readonly waits: number[] = [];

  /** @throws {OutcomeUnknown | PlatformError} any other error than UNAVAILABLE */
  // oxlint-disable-next-line typescript/no-explicit-any
  override async call(method: string, path: string, body?: object): Promise<any> {
    const started = performance.now();
    for (let [attempt, isUnknown] = [1, false]; ; attempt++) {
      const failure = await super.call(method, path, body).then(
        (response) => ({ response }),
        (error: unknown) => ({ error }),
      );
      const waited = performance.now() - started;
      const isUnavailable = "error" in failure && saysUnavailable(failure.error);
      if (!isUnavailable && (attempt > 1 || waited > 1_000)) this.waits.push(waited);
      if ("response" in failure) return failure.response;
      // The deletion before it was made.
      if (isUnknown && failure.error instanceof PlatformError && failure.error.status === 404) return undefined;
      if (!isUnavailable) throw failure.error;
      if (String(failure.error).includes("outcome of the commit is unknown")) {
        if (method !== "DELETE") {
          this.waits.push(waited);
          throw new OutcomeUnknown(`${method} ${path}`);
        }
        isUnknown = true;
      }
      await sleep(pause);
    }
  }
}

export function saysUnavailable(error: unknown): boolean {
  return error instanceof PlatformError && error.status === 503;
}
