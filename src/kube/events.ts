import type { KubeApi } from "./api.ts";
import type { Clock } from "#src/time/clock.ts";
import { microTime } from "./micro-time.ts";
import type { KubeObject, ResourceKind } from "./object.ts";

export interface EventDescription {
  readonly type: "Normal" | "Warning";
  /** CamelCase: why. At most 128 characters. */
  readonly reason: string;
  /** CamelCase: what was done or tried. At most 128 characters. */
  readonly action: string;
  /** For people; cut at 1,024 bytes. */
  readonly note: string;
}

/** Tells people what happened to an object. Never fails, never waits. */
export interface Recorder {
  record(object: KubeObject, event: EventDescription): void;
}

export interface EventRecorderOptions {
  readonly api: KubeApi;
  /** `reportingController`: `iam.muster.dev/operator`. */
  readonly controller: string;
  /** `reportingInstance`: the pod. */
  readonly instance: string;
  readonly clock: Clock;
  /** Events a second in the long run; default 5. Each costs the API server as much as a create. */
  readonly ratePerSecond?: number;
  /** Events at once; default 50. */
  readonly burst?: number;
  /** Waiting to be sent; default 1,000. */
  readonly queueLimit?: number;
  /** An event was not written: too many waited (`full`), or the API server did not take it (`failed`). */
  readonly onDrop?: (why: "full" | "failed", error?: unknown) => void;
}

const events: ResourceKind = {
  group: "events.k8s.io",
  version: "v1",
  plural: "events",
  kind: "Event",
  namespaced: true,
};

/** The same thing said again within this time is counted on the first event, as client-go does. */
const seriesMs = 6 * 60_000;
/** A count is written at most so often. */
const seriesWriteMs = 60_000;
const seriesLimit = 1_000;
const noteBytes = 1_024;
const sendDeadlineMs = 5_000;

/** One thing that happened to one object, once or several times. */
interface Series {
  readonly name: string;
  readonly namespace: string;
  readonly object: KubeObject;
  readonly event: EventDescription;
  readonly firstAt: number;
  lastAt: number;
  count: number;
  written: "not yet" | "first" | "failed";
  writtenAt: number;
  queued: boolean;
}

/**
 * Writes `events.k8s.io/v1` events in the background, within a token bucket. What would exceed the queue is dropped and
 * told to `onDrop`; what repeats is counted on one event.
 */
export class EventRecorder implements Recorder {
  readonly #options: EventRecorderOptions;
  readonly #series = new Map<string, Series>();
  readonly #queue: Series[] = [];
  readonly #stopped = new AbortController();
  readonly #bucket: TokenBucket;
  #sending = false;
  #made = 0;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    const { clock, ratePerSecond = 5, burst = 50 } = options;
    this.#bucket = new TokenBucket(clock, ratePerSecond, burst);
  }

  record(object: KubeObject, event: EventDescription): void {
    if (this.#stopped.signal.aborted) return;
    const series = this.#seriesOf(object, event);
    const { clock, queueLimit = 1_000, onDrop } = this.#options;
    if (series.queued || (series.written === "first" && clock.monotonic() - series.writtenAt < seriesWriteMs)) return;
    if (this.#queue.length >= queueLimit) {
      onDrop?.("full");
      return;
    }
    series.queued = true;
    this.#queue.push(series);
    if (!this.#sending) void this.#send();
  }

  /** Drops what waits and ends what is under way. */
  stop(): void {
    this.#stopped.abort();
    this.#queue.length = 0;
  }

  #seriesOf(object: KubeObject, event: EventDescription): Series {
    const { clock } = this.#options;
    const now = clock.now();
    const { uid = "", name, namespace = "default" } = object.metadata;
    const id = [uid, event.type, event.reason, event.action, event.note].join("\n");
    const known = this.#series.get(id);
    if (known !== undefined && known.written !== "failed" && now - known.lastAt < seriesMs) {
      known.count++;
      known.lastAt = now;
      return known;
    }
    const series: Series = {
      name: `${name.slice(0, 220)}.${(BigInt(now) * 1_000_000n + BigInt(this.#made++)).toString(16)}`,
      namespace,
      object,
      event,
      firstAt: now,
      lastAt: now,
      count: 1,
      written: "not yet",
      writtenAt: 0,
      queued: false,
    };
    this.#series.delete(id);
    this.#series.set(id, series);
    if (this.#series.size > seriesLimit) {
      const [oldest] = this.#series.keys();
      if (oldest !== undefined) this.#series.delete(oldest);
    }
    return series;
  }

  async #send(): Promise<void> {
    this.#sending = true;
    const { signal } = this.#stopped;
    try {
      while (!signal.aborted) {
        const wait = this.#bucket.untilNext();
        if (wait > 0) await this.#options.clock.sleep(wait, signal);
        const series = this.#queue.shift();
        if (series === undefined) return;
        this.#bucket.take();
        series.queued = false;
        await this.#write(series);
      }
    } catch (error) {
      if (!signal.aborted) this.#options.onDrop?.("failed", error);
    } finally {
      this.#sending = false;
    }
  }

  async #write(series: Series): Promise<void> {
    const { api, clock, onDrop } = this.#options;
    const call = { signal: this.#stopped.signal, deadlineMs: sendDeadlineMs };
    const { name, namespace, count, lastAt } = series;
    const repeats = { count, lastObservedTime: microTime(lastAt) };
    try {
      if (series.written === "first") await api.patch(events, namespace, name, { series: repeats }, call);
      else await api.create(events, namespace, this.#describe(series), call);
      series.written = "first";
    } catch (error) {
      series.written = "failed";
      if (!call.signal.aborted) onDrop?.("failed", error);
    }
    series.writtenAt = clock.monotonic();
  }

  #describe({ name, namespace, object, event, firstAt, lastAt, count }: Series): object {
    const { apiVersion, kind, metadata } = object;
    const { type, reason, action, note } = event;
    return {
      apiVersion: "events.k8s.io/v1",
      kind: "Event",
      metadata: { name, namespace },
      eventTime: microTime(firstAt),
      reportingController: this.#options.controller,
      reportingInstance: this.#options.instance,
      regarding: { apiVersion, kind, name: metadata.name, namespace: metadata.namespace, uid: metadata.uid },
      type,
      reason,
      action,
      note: cut(note),
      ...(count > 1 ? { series: { count, lastObservedTime: microTime(lastAt) } } : {}),
    };
  }
}

/** At most `noteBytes` of UTF-8, without half a character at the end. */
function cut(note: string): string {
  if (Buffer.byteLength(note) <= noteBytes) return note;
  const bytes = Buffer.from(note).subarray(0, noteBytes - 3);
  return `${new TextDecoder().decode(bytes, { stream: true })}…`;
}

/** So many at once, and then so many a second. */
class TokenBucket {
  readonly #clock: Clock;
  readonly #ratePerMs: number;
  readonly #burst: number;
  #tokens: number;
  #filledAt: number;

  constructor(clock: Clock, ratePerSecond: number, burst: number) {
    this.#clock = clock;
    this.#ratePerMs = ratePerSecond / 1000;
    this.#burst = burst;
    this.#tokens = burst;
    this.#filledAt = clock.monotonic();
  }

  /** Milliseconds until one can be taken. */
  untilNext(): number {
    const now = this.#clock.monotonic();
    this.#tokens = Math.min(this.#burst, this.#tokens + (now - this.#filledAt) * this.#ratePerMs);
    this.#filledAt = now;
    // What is missing by rounding alone is not worth a timer.
    return this.#tokens >= 0.999 ? 0 : (1 - this.#tokens) / this.#ratePerMs;
  }

  take(): void {
    this.#tokens -= 1;
  }
}
