import type { Logger } from "pino";
import { ApiError, Code, resourceExhausted, unavailable } from "../errors/api-error.ts";
import type { Faults } from "../faults/faults.ts";
import type { ResponseFault } from "../faults/fault-rule.ts";
import { responseFaultOf, runWithFault } from "../faults/run-with-fault.ts";
import { DatabaseUnavailableError } from "../store/database.ts";
import type { Span, Tracer } from "#src/telemetry/tracer.ts";
import type { PlatformMetrics } from "./platform-metrics.ts";

export interface CallRunnerOptions {
  readonly metrics: PlatformMetrics;
  readonly log: Logger;
  /** Milliseconds by which each response is delayed, for tests. */
  readonly latency: number;
  /** The maximum number of concurrent calls. More are rejected (8), which is better than making all of them slow. */
  readonly maximumInFlight: number;
  readonly faults: Faults;
  readonly tracer?: Tracer | undefined;
}

/** A call whose operation is known. */
export interface FoundCall<T> {
  readonly operation: string;
  /** @throws ApiError */
  readonly run: () => Promise<T>;
}

/** The result of a call. A fault on demand may break its response. */
export type CallResult<T> = { readonly responseFault?: ResponseFault | undefined } & (
  | { readonly kind: "response"; readonly value: T }
  | { readonly kind: "error"; readonly error: ApiError }
);

/** Failures of the platform, not of the request. */
const serverErrors: ReadonlySet<number> = new Set([Code.deadlineExceeded, Code.internal, Code.unavailable]);

/** Seconds after which a rejected call may be retried. */
const retryAfter = 1;

/** Runs calls for every transport: limits, counts and logs them, and returns a response or an `ApiError`. */
export class CallRunner {
  readonly #options: CallRunnerOptions;
  #inFlight = 0;

  constructor(options: CallRunnerOptions) {
    this.#options = options;
  }

  /**
   * @param find determines the operation; it may throw an `ApiError`
   * @param traceparent the trace of the caller, as the header of that name has it
   */
  run<T>(find: () => Promise<FoundCall<T>>, traceparent: string | undefined): Promise<CallResult<T>> {
    const { tracer } = this.#options;
    if (tracer === undefined) return this.#run(find);
    const parent = traceparent === undefined ? null : { traceparent };
    return tracer.span("call", { kind: "server", parent }, (span) => this.#run(find, span));
  }

  async #run<T>(find: () => Promise<FoundCall<T>>, span?: Span): Promise<CallResult<T>> {
    const { metrics, log, latency, maximumInFlight, faults } = this.#options;
    const started = performance.now();
    let operation = "unknown";
    let result: CallResult<T>;
    let responseFault: ResponseFault | undefined;
    metrics.inFlight.set(++this.#inFlight);
    try {
      if (this.#inFlight > maximumInFlight)
        throw resourceExhausted("too many concurrent calls; retry later", retryAfter);
      const call = await find();
      operation = call.operation;
      const fault = faults.ruleFor(operation);
      if (fault === undefined) result = { kind: "response", value: await call.run() };
      else {
        metrics.faults.inc({ method: operation });
        responseFault = responseFaultOf(fault.effect);
        result = { kind: "response", value: await runWithFault(fault, call.run) };
      }
    } catch (thrown) {
      result = { kind: "error", error: this.#errorOf(thrown, operation) };
    }
    if (latency > 0) await new Promise((resolve) => setTimeout(resolve, latency));
    metrics.inFlight.set(--this.#inFlight);
    const seconds = (performance.now() - started) / 1_000;
    const code = result.kind === "response" ? 0 : result.error.code;
    metrics.observe(operation, code, seconds);
    log.debug({ operation, code, seconds }, "call completed");
    span?.rename(operation);
    span?.set({ "rpc.method": operation, "rpc.grpc.status_code": code });
    if (serverErrors.has(code)) span?.fail("the platform failed");
    return responseFault === undefined ? result : { ...result, responseFault };
  }

  #errorOf(thrown: unknown, operation: string): ApiError {
    if (thrown instanceof ApiError) return thrown;
    this.#options.log.error({ err: thrown, operation }, "call failed");
    if (thrown instanceof DatabaseUnavailableError)
      return unavailable(
        thrown.outcome === "notCommitted"
          ? "nothing was changed; retry the request"
          : "the outcome of the commit is unknown; read the resource before you retry",
      );
    return new ApiError(Code.internal, "INTERNAL", "Internal: the call failed; see the log of the platform");
  }
}
