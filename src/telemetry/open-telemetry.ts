import { AsyncLocalStorage } from "node:async_hooks";
import {
  type Context,
  diag,
  DiagLogLevel,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span as ApiSpan,
  SpanKind,
  SpanStatusCode,
  type Tracer as ApiTracer,
  trace,
  TraceFlags,
} from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { minutes, seconds } from "#src/time/durations.ts";
import type { Logger } from "./log.ts";
import type { SamplerSetting } from "./trace-settings.ts";
import type { Span, SpanAttributes, SpanOptions, TraceParent, Tracer } from "./tracer.ts";

export interface OpenTelemetryOptions {
  readonly service: string;
  readonly version: string;
  readonly sampler: SamplerSetting;
  /** Milliseconds between two exports. */
  readonly delayMs: number;
  readonly log: Logger;
}

const kinds = { internal: SpanKind.INTERNAL, client: SpanKind.CLIENT, server: SpanKind.SERVER } as const;
/** The longest string of an attribute. */
const maxAttributeLength = 256;
const maxAttributes = 32;
const stopMs = seconds(2);

/**
 * A tracer on the SDK of OpenTelemetry, which sends traces with OTLP over HTTP. The only file that loads the SDK.
 *
 * *Guarantees*: recording never fails and never waits for the collector. At most 2,048 spans wait for it; further ones are
 * dropped. A failed export is logged at most once a minute.
 */
export class OpenTelemetryTracer implements Tracer {
  readonly #provider: TracerProvider;
  readonly #tracer: ApiTracer;
  readonly #current = new AsyncLocalStorage<Scope>();

  constructor({ service, version, sampler, delayMs, log }: OpenTelemetryOptions) {
    logProblems(log);
    const own = resourceFromAttributes({ "service.name": service, "service.version": version });
    this.#provider = new TracerProvider({
      resource: defaultResource()
        .merge(own)
        .merge(detectResources({ detectors: [envDetector] })),
      sampler: samplerOf(sampler),
      spanLimits: { attributeValueLengthLimit: maxAttributeLength, attributeCountLimit: maxAttributes },
      spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter(), scheduledDelayMillis: delayMs })],
    });
    this.#tracer = this.#provider.getTracer("muster", version);
  }

  span<T>(name: string, options: SpanOptions, work: (span: Span) => T): T {
    const { kind = "internal", parent, attributes = {}, startedAt = Date.now(), ifUsed = false } = options;
    const above = parent === undefined ? (this.#current.getStore()?.context ?? ROOT_CONTEXT) : contextOf(parent);
    const start = () => this.#tracer.startSpan(name, { kind: kinds[kind], attributes, startTime: startedAt }, above);
    const span = new Scope(above, start);
    if (!ifUsed) span.start();
    return this.#current.run(span, () => {
      let result: T;
      try {
        result = work(span);
      } catch (error) {
        span.endFailed();
        throw error;
      }
      if (!(result instanceof Promise)) {
        span.end();
        return result;
      }
      return result.then(
        (value: unknown) => {
          span.end();
          return value;
        },
        (error: unknown) => {
          span.endFailed();
          throw error;
        },
      ) as T;
    });
  }

  current(): TraceParent | undefined {
    return this.#current.getStore();
  }

  async stop(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, stopMs);
    });
    await Promise.race([this.#provider.shutdown().catch(() => undefined), late]);
    clearTimeout(timer);
  }
}

/** A span, and the context of what is below it. It is recorded when it is first needed, which may be after its end. */
class Scope implements Span {
  readonly #above: Context;
  readonly #begin: () => ApiSpan;
  #span: ApiSpan | undefined;
  /** Milliseconds since the epoch. */
  #endedAt: number | undefined;

  constructor(above: Context, begin: () => ApiSpan) {
    this.#above = above;
    this.#begin = begin;
  }

  start(): ApiSpan {
    if (this.#span !== undefined) return this.#span;
    this.#span = this.#begin();
    if (this.#endedAt !== undefined) this.#span.end(this.#endedAt);
    return this.#span;
  }

  get context(): Context {
    return trace.setSpan(this.#above, this.start());
  }

  get traceparent(): string {
    const { traceId, spanId, traceFlags } = this.start().spanContext();
    return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
  }

  rename(name: string): void {
    this.start().updateName(name);
  }

  set(attributes: SpanAttributes): void {
    this.start().setAttributes(attributes);
  }

  fail(message: string): void {
    this.start().setStatus({ code: SpanStatusCode.ERROR, message });
  }

  end(): void {
    this.#endedAt = Date.now();
    this.#span?.end();
  }

  /** The message of an error may have data of a request, so only the status is recorded. */
  endFailed(): void {
    this.#span?.setStatus({ code: SpanStatusCode.ERROR });
    this.end();
  }
}

/** The context of a span elsewhere. A malformed header is none, as W3C Trace Context requires. */
function contextOf(parent: TraceParent | null): Context {
  const [, traceId = "", spanId = "", flags = ""] =
    /^(?!ff)[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:-.*)?$/.exec(parent?.traceparent ?? "") ?? [];
  const traceFlags = Number.parseInt(flags || "0", 16) & TraceFlags.SAMPLED;
  const spanContext = { traceId, spanId, traceFlags, isRemote: true };
  return isSpanContextValid(spanContext) ? trace.setSpanContext(ROOT_CONTEXT, spanContext) : ROOT_CONTEXT;
}

function samplerOf({ root, parentBased }: SamplerSetting): Sampler {
  const sampler =
    root === "on"
      ? new AlwaysOnSampler()
      : root === "off"
        ? new AlwaysOffSampler()
        : new TraceIdRatioBasedSampler(root.ratio);
  return parentBased ? new ParentBasedSampler({ root: sampler }) : sampler;
}

/** Logs what the SDK reports, mostly that the collector does not respond, at most once a minute. */
function logProblems(log: Logger): void {
  let loggedAt = Number.NEGATIVE_INFINITY;
  const report = (message: string) => {
    const now = performance.now();
    if (now - loggedAt < minutes(1)) return;
    loggedAt = now;
    log.warn({ problem: message.slice(0, 500) }, "traces were not sent");
  };
  const ignore = () => undefined;
  diag.setLogger({ error: report, warn: report, info: ignore, debug: ignore, verbose: ignore }, DiagLogLevel.WARN);
}
