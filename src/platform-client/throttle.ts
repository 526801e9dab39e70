import type { Clock, MonotonicTime } from "#src/time/clock.ts";
import { minutes, seconds } from "#src/time/durations.ts";
import { PlatformFailure, type PlatformProblem } from "./failure.ts";

/** The first pause after RESOURCE_EXHAUSTED without Retry-After, and the longest one. */
const firstPauseMs = seconds(1);
const maxPauseMs = minutes(1);

/**
 * Slows all calls of one credential down when the platform asks for it. After a response with Retry-After, no call is sent
 * until that time has passed. After RESOURCE_EXHAUSTED without it, the pause doubles from 1 s to 1 min with each call that
 * fails again after the pause before it, minus up to a half at random; a success ends that.
 *
 * A QuotaFailure concerns the request and not the rate of requests, so that it causes no pause.
 */
export class Throttle {
  readonly #clock: Clock;
  readonly #random: () => number;
  #pausedUntil: MonotonicTime = 0;
  /** The last pause that the platform did not ask for; 0 if the last call succeeded. */
  #pauseMs = 0;

  /** @param random returns a number in [0, 1). */
  constructor(clock: Clock, random: () => number) {
    this.#clock = clock;
    this.#random = random;
  }

  /** Must be called before a call is sent. @throws {PlatformFailure} of kind `paused` during a pause. */
  requireNoPause(call: string): void {
    const remainingMs = this.#pausedUntil - this.#clock.monotonic();
    if (remainingMs > 0) throw new PlatformFailure(call, { kind: "paused", retryAfterMs: remainingMs });
  }

  /** Records that a call which was sent at `sentAt` succeeded. */
  succeeded(sentAt: MonotonicTime): void {
    if (sentAt >= this.#pausedUntil) this.#pauseMs = 0;
  }

  /** Records that a call which was sent at `sentAt` failed. */
  failed(problem: PlatformProblem, sentAt: MonotonicTime): void {
    const now = this.#clock.monotonic();
    const exhausted = problem.kind === "rejected" && problem.error.code === "RESOURCE_EXHAUSTED";
    if (exhausted && problem.error.quotaViolations !== undefined) return;
    if (problem.kind !== "paused" && "retryAfterMs" in problem && problem.retryAfterMs !== undefined) {
      this.#pausedUntil = Math.max(this.#pausedUntil, now + problem.retryAfterMs);
      return;
    }
    // Calls that were sent together are one reason for one pause.
    if (!exhausted || sentAt < this.#pausedUntil) return;
    this.#pauseMs = Math.min(Math.max(this.#pauseMs * 2, firstPauseMs), maxPauseMs);
    this.#pausedUntil = now + this.#pauseMs * (1 - this.#random() / 2);
  }
}
