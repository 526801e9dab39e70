import { setImmediate as nextTurn } from "node:timers/promises";

const maximumTurns = 16;
/** How long others are served (ms). */
const maximumTime = 5;
/** A turn that takes less (ms) served nobody. */
const idleTurn = 0.05;
const maximumIdleTurns = 2;

/**
 * Resolves after the event loop has served what is ready: after up to 16 of its turns, fewer if they take long or nothing is
 * ready. A call needs several turns, and Node accepts one connection in each, so with a single turn between pieces of work a
 * call would wait for several pieces, and a client that connects for one for each connection before its own.
 */
export async function serveOthers(): Promise<void> {
  const started = performance.now();
  let [before, idleTurns] = [started, 0];
  for (let n = 0; n < maximumTurns && idleTurns < maximumIdleTurns; n++) {
    await nextTurn();
    const now = performance.now();
    idleTurns = now - before < idleTurn ? idleTurns + 1 : 0;
    if (now - started >= maximumTime) return;
    before = now;
  }
}
