import type { Clock, MonotonicTime } from "#src/time/clock.ts";
import { minutes, seconds } from "#src/time/durations.ts";
import { describeProblem, PlatformFailure, type PlatformProblem } from "./failure.ts";
import { type Outage, type OutageClass, outageIn } from "./outage.ts";

export interface SuspensionOptions {
  /**
   * Whether the calls work: it resolves, or rejects with the `PlatformFailure` of a call. If it rejects with another error, or
   * because the call was paused, nothing is known, and it is probed again. It ends with `signal`.
   */
  readonly probe: (signal: AbortSignal) => Promise<unknown>;
  /** Whether a probe is a call that nobody would make otherwise, so that it is not made for every few failures. */
  readonly probeIsExtra: boolean;
  readonly clock: Clock;
  /** Returns a number in [0, 1). */
  readonly random: () => number;
  /** Ends all probes. */
  readonly signal: AbortSignal;
}

/** Receives the outage when calls are suspended or the class of the outage changes; undefined when calls go again. */
export type OutageListener = (outage: Outage | undefined) => void;

/** After this many consecutive failures of one class, a probe decides whether calls are suspended. */
const failuresBeforeProbe = 3;
/** Probes go on for this time after the last call that was not sent. */
const neededMs = minutes(2);
/** What a probe ended with that was stopped. */
const unsent: PlatformProblem = { kind: "paused", retryAfterMs: 0 };
const probeIntervals: Readonly<Record<OutageClass, { readonly minMs: number; readonly maxMs: number }>> = {
  platform: { minMs: seconds(1), maxMs: seconds(2.5) },
  tokenService: { minMs: seconds(1), maxMs: seconds(2.5) },
  // Somebody has to change something first.
  token: { minMs: seconds(30), maxMs: seconds(60) },
  exchange: { minMs: seconds(30), maxMs: seconds(60) },
};

/**
 * Suspends the calls of one credential during an outage, so that callers wait for one probe and not each for a backoff of
 * its own.
 *
 * **Expected flow.** Each call passes `requireNoOutage`, and its result is recorded with `succeeded` or `failed`.
 * Three consecutive failures of one class lead to a probe. If the probe fails, too, calls are suspended: `requireNoOutage`
 * throws, and probes go on until the first success ends that.
 *
 * **Guarantees.**
 * - The failures of a single object, whatever their number, suspend no calls while the probe succeeds. They neither
 *   end the delays of other objects nor reset the object's own.
 * - At most one probe is in flight. During an outage they are an interval apart: 1 to 2.5 s, or 30 to 60 s if the token was
 *   rejected or its exchange refused; longer if the platform asked for a longer pause (Retry-After). Extra ones that find no
 *   outage are an interval apart, too.
 * - An outage that begins right after another is met as soon as any other.
 * - There is no timer unless a call failed or was suspended within the last two minutes, and none after `signal` aborted.
 *
 * **Assumptions.** The probe needs nothing that the other calls do not need. Failures are recorded when they happen.
 *
 * **Caveats.** A probe that reads does not see an outage of writes only: those are suspended by another one (`GovernedApi`).
 * Results of calls that were sent before an outage was found are ignored during it.
 */
export class Suspension {
  readonly #options: SuspensionOptions;
  readonly #listeners: OutageListener[] = [];
  #outage: Outage | undefined;
  #recoveries = 0;
  /** The current run of failures of one class, while calls go. */
  #run: { readonly class: OutageClass; readonly failures: number } | undefined;
  #neededUntil: MonotonicTime = 0;
  #nextProbeAt: MonotonicTime = 0;
  #cancelTimer: (() => void) | undefined;
  #probing = false;

  constructor(options: SuspensionOptions) {
    this.#options = options;
    options.signal.addEventListener("abort", () => this.#cancelTimer?.(), { once: true });
  }

  /** Undefined while calls go. */
  get outage(): Outage | undefined {
    return this.#outage;
  }

  /** How many times calls went again after an outage. */
  get recoveries(): number {
    return this.#recoveries;
  }

  onChange(listener: OutageListener): void {
    this.#listeners.push(listener);
  }

  /** Must be called before a call is sent. @throws {PlatformFailure} of kind `suspended` during an outage. */
  requireNoOutage(call: string): void {
    if (this.#outage === undefined) return;
    this.#need();
    this.#scheduleProbe();
    throw new PlatformFailure(call, { kind: "suspended", outage: this.#outage.problem });
  }

  /** Records that the platform responded to a call. */
  succeeded(): void {
    this.#run = undefined;
  }

  /** Records that a call failed. */
  failed(problem: PlatformProblem): void {
    if (this.#outage !== undefined || problem.kind === "paused") return;
    const failure = outageIn(problem);
    if (failure === undefined) {
      this.succeeded();
      return;
    }
    const failures = this.#run?.class === failure.class ? this.#run.failures + 1 : 1;
    this.#run = { class: failure.class, failures };
    if (failures < failuresBeforeProbe) return;
    this.#need();
    this.#nextProbeAt = Math.max(this.#nextProbeAt, this.#options.clock.monotonic() + retryAfterOf(failure.problem));
    this.#scheduleProbe();
  }

  #need(): void {
    this.#neededUntil = this.#options.clock.monotonic() + neededMs;
  }

  /** Schedules the next probe, unless it is scheduled or in flight already, or nothing needs it. */
  #scheduleProbe(): void {
    const { clock, signal } = this.#options;
    const now = clock.monotonic();
    if (this.#probing || this.#cancelTimer !== undefined || signal.aborted || now >= this.#neededUntil) return;
    const cancel = clock.setTimer(
      () => {
        this.#cancelTimer = undefined;
        void this.#probe();
      },
      Math.max(this.#nextProbeAt - now, 0),
    );
    this.#cancelTimer = () => {
      this.#cancelTimer = undefined;
      cancel();
    };
  }

  async #probe(): Promise<void> {
    const { probe, clock, signal } = this.#options;
    this.#probing = true;
    const failure = await probe(signal).then(
      () => undefined,
      (error: unknown) => (error instanceof PlatformFailure ? error.problem : unsent),
    );
    this.#probing = false;
    if (signal.aborted) return;
    const found = failure === undefined ? undefined : outageIn(failure);
    const intervalMs = this.#intervalOf(found?.class ?? this.#outage?.class ?? "platform");
    const pauseMs = failure !== undefined && "retryAfterMs" in failure ? retryAfterOf(failure) : 0;
    this.#nextProbeAt = clock.monotonic() + Math.max(intervalMs, pauseMs);
    if (found !== undefined) this.#suspend(found);
    else if (failure?.kind === "paused") this.#scheduleProbe();
    else this.end();
  }

  #suspend({ class: outageClass, problem }: Pick<Outage, "class" | "problem">): void {
    const previous = this.#outage;
    const since = previous?.since ?? this.#options.clock.monotonic();
    this.#run = undefined;
    this.#outage = { class: outageClass, problem, message: describeProblem(problem), since };
    this.#scheduleProbe();
    if (previous?.class !== outageClass) this.#notify();
  }

  /** Lets calls go again. */
  end(): void {
    const { clock, probeIsExtra } = this.#options;
    const wasSuspended = this.#outage !== undefined;
    this.#run = undefined;
    if (wasSuspended || !probeIsExtra) this.#nextProbeAt = clock.monotonic();
    if (!wasSuspended) return;
    this.#cancelTimer?.();
    this.#outage = undefined;
    this.#recoveries += 1;
    this.#notify();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener(this.#outage);
  }

  #intervalOf(outageClass: OutageClass): number {
    const { minMs, maxMs } = probeIntervals[outageClass];
    return minMs + (maxMs - minMs) * this.#options.random();
  }
}

function retryAfterOf({ retryAfterMs = 0 }: { readonly retryAfterMs?: number }): number {
  return retryAfterMs;
}
