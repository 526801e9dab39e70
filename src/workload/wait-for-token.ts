import type { Clock } from "#src/time/clock.ts";
import type { TokenFiles } from "./token-files.ts";
import { checkToken, type TokenCheck } from "./token-status.ts";

/** Two files are read each time, which takes a tenth of a millisecond. A watch of a file system is not available everywhere. */
const pollMs = 50;

export interface TokenWait {
  readonly clock: Clock;
  /** How long to wait for a valid token; 0 for one look. */
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

/**
 * Waits until the files of an agent have a valid token, or the time is over.
 * @returns the last state of the files
 * @throws the reason of `signal`
 */
export async function waitForToken(files: TokenFiles, { clock, waitMs, signal }: TokenWait): Promise<TokenCheck> {
  const deadline = clock.monotonic() + waitMs;
  for (;;) {
    const check = checkToken(files.readStatus(), files.readToken() !== undefined, clock.now());
    const remainingMs = deadline - clock.monotonic();
    if (check.valid || remainingMs <= 0) return check;
    await clock.sleep(Math.min(pollMs, remainingMs), signal);
  }
}
