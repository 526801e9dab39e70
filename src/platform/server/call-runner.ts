import type { Logger } from "pino";
import { ApiError, Code, resourceExhausted, unavailable } from "../errors/api-error.ts";
import { StoreUnavailableError } from "../store/store.ts";
import type { Metrics } from "./metrics.ts";

export interface CallRunnerOptions {
  readonly metrics: Metrics;
  readonly log: Logger;
  /** Milliseconds that each answer waits: a test aid. */
  readonly latency: number;
  /** Calls beyond so many at once are told to come back: better than all of them late. */
  readonly maximumInFlight: number;
}

export type Outcome<T> =
  | { readonly kind: "answer"; readonly value: T }
  | { readonly kind: "error"; readonly error: ApiError };

/** Seconds after which a call that was sent away is worth another try. */
const retryAfter = 1;

/** What is the same for a call over every transport: it is limited, counted, logged, and ends in an answer or an `ApiError`. */
export class CallRunner {
  readonly #options: CallRunnerOptions;
  #inFlight = 0;

  constructor(options: CallRunnerOptions) {
    this.#options = options;
  }

  /** @param work finds out which operation is called, says so by `named`, and does it */
  async run<T>(work: (named: (operation: string) => void) => Promise<T>): Promise<Outcome<T>> {
    const { metrics, log, latency, maximumInFlight } = this.#options;
    const started = performance.now();
    let operation = "unknown";
    let outcome: Outcome<T>;
    metrics.inFlight.set(++this.#inFlight);
    try {
      if (this.#inFlight > maximumInFlight) throw resourceExhausted("too many calls at once", retryAfter);
      const value = await work((name) => {
        operation = name;
      });
      outcome = { kind: "answer", value };
    } catch (thrown) {
      outcome = { kind: "error", error: this.#errorOf(thrown, operation) };
    }
    if (latency > 0) await new Promise((resolve) => setTimeout(resolve, latency));
    metrics.inFlight.set(--this.#inFlight);
    const seconds = (performance.now() - started) / 1_000;
    const code = outcome.kind === "answer" ? 0 : outcome.error.code;
    metrics.observe(operation, code, seconds);
    log.debug({ operation, code, seconds }, "answered");
    return outcome;
  }

  #errorOf(thrown: unknown, operation: string): ApiError {
    if (thrown instanceof ApiError) return thrown;
    this.#options.log.error({ err: thrown, operation }, "call failed");
    if (thrown instanceof StoreUnavailableError)
      return unavailable(
        thrown.kept === "nothing"
          ? "nothing was changed; try again"
          : "whether the change was kept is not known; look before you try again",
      );
    return new ApiError(Code.internal, "INTERNAL", "Internal: the call failed; the platform's log says why");
  }
}
