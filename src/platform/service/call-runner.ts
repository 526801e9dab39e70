import type { Logger } from "pino";
import { ApiError, Code, unavailable } from "../errors/api-error.ts";
import type { Faults } from "../faults/faults.ts";
import type { ResponseFault } from "../faults/fault-rule.ts";
import { responseFaultOf, runWithFault } from "../faults/run-with-fault.ts";
import { DatabaseUnavailableError, type WriteOutcome } from "../store/database.ts";
import type { Span, Tracer } from "#src/telemetry/tracer.ts";
import type { CallSlot, CallSlots } from "./call-slots.ts";
import type { PlatformMetrics } from "./platform-metrics.ts";
import type { SecurityLog } from "../audit/security-log.ts";
import { recordCall } from "./record-call.ts";

export interface CallRunnerOptions {
  readonly metrics: PlatformMetrics;
  readonly log: Logger;
  /** Milliseconds by which each response is delayed, for tests. */
  readonly latency: number;
  /** The slots of concurrent calls. More calls are rejected (8), which is better than making all of them slow. */
  readonly slots: CallSlots;
  readonly faults: Faults;
  readonly tracer?: Tracer | undefined;
  readonly securityLog: SecurityLog;
}

/** A call whose operation is known. */
export interface FoundCall<T> {
  readonly operation: string;
  /** Authenticates, takes the slot and does the work. @throws ApiError */
  readonly run: (slot: CallSlot) => Promise<T>;
}

/** What is known of a call before its operation is. */
export interface CallOrigin {
  /** The address of the client. */
  readonly address: string;
  /** The trace of the caller, as the header of that name has it. */
  readonly traceparent: string | undefined;
}

/** The result of a call. A fault on demand may break its response. */
export type CallResult<T> = { readonly responseFault?: ResponseFault | undefined } & (
  | { readonly kind: "response"; readonly value: T }
  | { readonly kind: "error"; readonly error: ApiError }
);

/** Failures of the platform, not of the request. */
const serverErrors: ReadonlySet<number> = new Set([Code.deadlineExceeded, Code.internal, Code.unavailable]);

/** What a caller does after a write that failed. */
const adviceAfter: Readonly<Record<WriteOutcome, string>> = {
  notCommitted: "nothing was changed; retry the request",
  unknown: "the outcome of the commit is unknown; read the resource before you retry",
  partial: "a part of the change was made; retry the request to make the rest",
};

/** Runs calls for every transport: limits, counts and logs them, and returns a response or an `ApiError`. */
export class CallRunner {
  readonly #options: CallRunnerOptions;

  constructor(options: CallRunnerOptions) {
    this.#options = options;
  }

  /**
   * @param find receives the request and determines the operation; it may throw an `ApiError`. The call has no slot yet.
   */
  run<T>(find: () => Promise<FoundCall<T>>, { address, traceparent }: CallOrigin): Promise<CallResult<T>> {
    const { tracer } = this.#options;
    if (tracer === undefined) return this.#run(find, address);
    const parent = traceparent === undefined ? null : { traceparent };
    return tracer.span("call", { kind: "server", parent }, (span) => this.#run(find, address, span));
  }

  async #run<T>(find: () => Promise<FoundCall<T>>, address: string, span?: Span): Promise<CallResult<T>> {
    const { metrics, log, latency, slots, faults, securityLog } = this.#options;
    const started = performance.now();
    let operation = "unknown";
    let result: CallResult<T>;
    let responseFault: ResponseFault | undefined;
    const slot = slots.slotFor(address);
    try {
      const call = await find();
      operation = call.operation;
      const fault = faults.ruleFor(operation);
      if (fault === undefined) result = { kind: "response", value: await call.run(slot) };
      else {
        metrics.faults.inc({ method: operation });
        responseFault = responseFaultOf(fault.effect);
        result = { kind: "response", value: await runWithFault(fault, () => call.run(slot)) };
      }
    } catch (thrown) {
      result = { kind: "error", error: this.#errorOf(thrown, operation) };
    }
    if (latency > 0) await new Promise((resolve) => setTimeout(resolve, latency));
    slot.release();
    const seconds = (performance.now() - started) / 1_000;
    const code = result.kind === "response" ? 0 : result.error.code;
    metrics.observe(operation, code, seconds);
    log.debug({ operation, code, seconds }, "call completed");
    const error = result.kind === "error" ? result.error : undefined;
    recordCall(securityLog, { method: operation, address, caller: slot.caller }, error);
    span?.rename(operation);
    span?.set({ "rpc.method": operation, "rpc.grpc.status_code": code });
    if (serverErrors.has(code)) span?.fail("the platform failed");
    return responseFault === undefined ? result : { ...result, responseFault };
  }

  #errorOf(thrown: unknown, operation: string): ApiError {
    if (thrown instanceof ApiError) return thrown;
    this.#options.log.error({ err: thrown, operation }, "call failed");
    if (thrown instanceof DatabaseUnavailableError) return unavailable(adviceAfter[thrown.outcome]);
    return new ApiError(Code.internal, "INTERNAL", "Internal: the call failed; see the log of the platform");
  }
}
