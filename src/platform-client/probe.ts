import type { Clock } from "#src/time/clock.ts";
import { seconds } from "#src/time/durations.ts";
import { PlatformFailure } from "./failure.ts";

/** A probe without a response within this time has failed. */
const deadlineMs = seconds(5);

/**
 * Makes one cheap call that shows whether the platform responds under a credential. Resolves if it does, whatever the result;
 * rejects with a `PlatformFailure` if it does not within 5 s.
 * @param address of the platform, for the message
 */
export async function probe(
  address: string,
  call: (signal: AbortSignal) => Promise<unknown>,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  const abort = new AbortController();
  const end = () => abort.abort(signal.reason);
  signal.addEventListener("abort", end, { once: true });
  const timedOut = new PlatformFailure("probe", {
    kind: "noResponse",
    message: `${address} is not available: no response within ${deadlineMs} ms`,
  });
  const late = Promise.withResolvers<never>();
  const cancelDeadline = clock.setTimer(() => {
    abort.abort(timedOut);
    late.reject(timedOut);
  }, deadlineMs);
  try {
    // A part of the call may ignore the signal, such as an exchange that other callers wait for.
    await Promise.race([call(abort.signal), late.promise]);
  } catch (error) {
    throw error instanceof PlatformFailure ? error : timedOut;
  } finally {
    cancelDeadline();
    signal.removeEventListener("abort", end);
  }
}
