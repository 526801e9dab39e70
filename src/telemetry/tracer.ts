/** Attributes of a span. Never a token, a body, or a URL with a query. The exporter cuts long strings. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** A span of this process or of another one, as W3C Trace Context: `00-<trace>-<span>-<flags>`. To read it is to use it. */
export interface TraceParent {
  readonly traceparent: string;
}

export interface SpanOptions {
  /** Default: `internal`. */
  readonly kind?: "internal" | "client" | "server";
  /** Default: the current span. Null starts a trace. A malformed one starts a trace, too. */
  readonly parent?: TraceParent | null | undefined;
  readonly attributes?: SpanAttributes;
  /** Milliseconds since the epoch; default: now. */
  readonly startedAt?: number;
  /** Record the span only if another one turns out to be below it, even after it has ended. */
  readonly ifUsed?: boolean;
}

/** The span that `work` runs in. */
export interface Span extends TraceParent {
  /** Names a span whose name was not known at its start. */
  rename(name: string): void;
  set(attributes: SpanAttributes): void;
  /** Marks the span as failed. The message is constant text: it never has data of a request. */
  fail(message: string): void;
}

/** Records what one cause leads to, in this process and in others, as a tree of spans. */
export interface Tracer {
  /**
   * Runs `work` in a new span, which ends with it. Spans that `work` starts, and everything that it awaits, are below. If it
   * throws or rejects, the span has failed.
   */
  span<T>(name: string, options: SpanOptions, work: (span: Span) => T): T;
  /** The span in which the caller runs. */
  current(): TraceParent | undefined;
  /** Sends what was recorded, for at most 2 s. */
  stop(): Promise<void>;
}
