import { setTimeout as sleepOnTimers } from "node:timers/promises";

/** Milliseconds of a monotonic clock, from an arbitrary start: only differences mean anything. */
export type MonotonicTime = number;

/** Time as a part like any other, so that tests and the simulation own it. */
export interface Clock {
  /** The wall clock, in milliseconds since the epoch: for what people and other machines read. It may jump. */
  now(): number;
  /** Milliseconds that only grow, from an arbitrary start: for every measurement and deadline. */
  monotonic(): number;
  /** Calls back once after `ms`, unless the returned function is called first. */
  setTimer(callback: () => void, ms: number): () => void;
  /** Resolves after `ms`; rejects with the signal's reason as soon as that aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** The longest time that one timer of Node can hold, about 24 days. */
const longestTimerMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer: (callback, ms) => {
    const timer = setTimeout(callback, Math.min(Math.max(ms, 0), longestTimerMs));
    return () => clearTimeout(timer);
  },
  sleep: async (ms, signal) => {
    try {
      await sleepOnTimers(Math.min(ms, longestTimerMs), undefined, { signal });
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    }
  },
};
