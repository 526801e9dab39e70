/** A deadline has passed. */
export class TimeoutError extends Error {
  override readonly name = "TimeoutError";
}

/**
 * The result of `work`, unless it takes longer than `seconds` or `signal` aborts first. `work` itself goes on.
 * @param what the subject of the error message; a function is called when the deadline has passed
 * @throws {TimeoutError} after the deadline
 */
export async function within<T>(
  what: string | (() => string),
  seconds: number,
  work: Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  work.catch(() => {});
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal?.reason);
  if (signal?.aborted) abort();
  signal?.addEventListener("abort", abort, { once: true });
  const timer = setTimeout(() => {
    const subject = typeof what === "string" ? what : what();
    reject(new TimeoutError(`${subject} took longer than ${seconds} s`));
  }, seconds * 1_000);
  try {
    return await Promise.race([work, ended]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}
