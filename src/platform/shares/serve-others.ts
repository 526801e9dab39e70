import { setImmediate as nextTurn } from "node:timers/promises";

const maximumTurns = 16;
/** A twentieth of the work (ms) between which others are served: turns in which nothing is ready cost no more than that. */
const maximumTime = 0.25;

/**
 * Resolves after the event loop has served what is ready: after up to 16 of its turns, fewer if they take long. Node
 * accepts one connection in each turn, so with a single turn between pieces of work a client that connects would wait for
 * a piece of work for each connection before its own.
 */
export async function serveOthers(): Promise<void> {
  const end = performance.now() + maximumTime;
  for (let n = 0; n < maximumTurns; n++) {
    await nextTurn();
    if (performance.now() >= end) return;
  }
}
