/** Something took too long. */
export class TimeoutError extends Error {
  override readonly name = "TookTooLong";
}

/**
 * What `work` comes to, unless it takes longer or `signal` aborts before: then nobody waits for it any more.
 * @throws {TimeoutError}
 */
export async function within<T>(what: string, seconds: number, work: Promise<T>, signal?: AbortSignal): Promise<T> {
  work.catch(() => {});
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal?.reason);
  if (signal?.aborted) abort();
  signal?.addEventListener("abort", abort, { once: true });
  const timer = setTimeout(() => reject(new TimeoutError(`${what} took longer than ${seconds} s`)), seconds * 1_000);
  try {
    return await Promise.race([work, ended]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}
