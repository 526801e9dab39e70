import { once } from "node:events";

/** Resolves when the signal aborts, and keeps the process alive until then: a signal handler alone does not. */
export async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const keepAlive = setInterval(() => {}, 1 << 30);
  await once(signal, "abort");
  clearInterval(keepAlive);
}
