import type { Logger } from "pino";
import { ApiError, Code, resourceExhausted, unavailable } from "../errors/api-error.ts";
import type { Faults } from "../faults/faults.ts";
import type { ResponseFault } from "../faults/response-fault.ts";
import { responseFaultOf, runWithFault } from "../faults/run-with-fault.ts";
import { DatabaseUnavailableError } from "../store/database.ts";
import type { PlatformMetrics } from "./platform-metrics.ts";

export interface CallRunnerOptions {
  readonly metrics: PlatformMetrics;
  readonly log: Logger;
  /** Milliseconds that each answer waits: a test aid. */
  readonly latency: number;
  /** Calls beyond so many at once are told to come back: better than all of them late. */
  readonly maximumInFlight: number;
  readonly faults: Faults;
}

/** A call whose operation is known, and how to do it. */
export interface FoundCall<T> {
  readonly operation: string;
  /** @throws ApiError */
  readonly run: () => Promise<T>;
}

/** How a call ended; a fault on demand may break what is sent of it. */
export type CallResult<T> = { readonly responseFault?: ResponseFault | undefined } & (
  | { readonly kind: "answer"; readonly value: T }
  | { readonly kind: "error"; readonly error: ApiError }
);

/** Seconds after which a call that was sent away is worth another try. */
const retryAfter = 1;

/** What is the same for a call over every transport: it is limited, counted, logged, and ends in an answer or an `ApiError`. */
export class CallRunner {
  readonly #options: CallRunnerOptions;
  #inFlight = 0;

  constructor(options: CallRunnerOptions) {
    this.#options = options;
  }

  /** @param find finds out which operation is called; it may throw an `ApiError` as the operation may */
  async run<T>(find: () => Promise<FoundCall<T>>): Promise<CallResult<T>> {
    const { metrics, log, latency, maximumInFlight, faults } = this.#options;
    const started = performance.now();
    let operation = "unknown";
    let outcome: CallResult<T>;
    let responseFault: ResponseFault | undefined;
    metrics.inFlight.set(++this.#inFlight);
    try {
      if (this.#inFlight > maximumInFlight) throw resourceExhausted("too many calls at once", retryAfter);
      const call = await find();
      operation = call.operation;
      const fault = faults.strike(operation);
      if (fault === undefined) outcome = { kind: "answer", value: await call.run() };
      else {
        metrics.faults.inc({ method: operation });
        responseFault = responseFaultOf(fault.effect);
        outcome = { kind: "answer", value: await runWithFault(fault, call.run) };
      }
    } catch (thrown) {
      outcome = { kind: "error", error: this.#errorOf(thrown, operation) };
    }
    if (latency > 0) await new Promise((resolve) => setTimeout(resolve, latency));
    metrics.inFlight.set(--this.#inFlight);
    const seconds = (performance.now() - started) / 1_000;
    const code = outcome.kind === "answer" ? 0 : outcome.error.code;
    metrics.observe(operation, code, seconds);
    log.debug({ operation, code, seconds }, "answered");
    return responseFault === undefined ? outcome : { ...outcome, responseFault };
  }

  #errorOf(thrown: unknown, operation: string): ApiError {
    if (thrown instanceof ApiError) return thrown;
    this.#options.log.error({ err: thrown, operation }, "call failed");
    if (thrown instanceof DatabaseUnavailableError)
      return unavailable(
        thrown.kept === "nothing"
          ? "nothing was changed; try again"
          : "whether the change was kept is not known; look before you try again",
      );
    return new ApiError(Code.internal, "INTERNAL", "Internal: the call failed; the platform's log says why");
  }
}
