import { setImmediate as nextTurn, setTimeout as sleepOnTimer } from "node:timers/promises";

/** A point in time as `Clock.monotonic` reports it: milliseconds since an arbitrary start. */
export type MonotonicTime = number;

/** The only source of time, injected so that tests and the simulation control it. */
export interface Clock {
  /** Milliseconds since the epoch, for times that people and other machines read. It may jump: never measure with it. */
  now(): number;
  /** A time that never goes backwards: for every measurement and every deadline. */
  monotonic(): MonotonicTime;
  /** Calls `callback` once after `ms`, unless the returned function is called first. */
  setTimer(callback: () => void, ms: number): () => void;
  /** Resolves after `ms`; rejects with the signal's reason as soon as `signal` aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Resolves once everything that is ready to run has run: for long work, between its parts. It takes no time on a virtual clock. */
  turn(): Promise<void>;
}

/** The longest delay that a timer of Node accepts: about 24 days. */
const maxTimerMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer: (callback, ms) => {
    const timer = setTimeout(callback, Math.min(Math.max(ms, 0), maxTimerMs));
    return () => clearTimeout(timer);
  },
  sleep: async (ms, signal) => {
    try {
      await sleepOnTimer(Math.min(ms, maxTimerMs), undefined, { signal });
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    }
  },
  turn: () => nextTurn(),
};
