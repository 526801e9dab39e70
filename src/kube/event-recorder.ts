import type { Clock, MonotonicTime } from "#src/time/clock.ts";
import { minutes, seconds } from "#src/time/durations.ts";
import type { CallOptions, KubeApi } from "./api.ts";
import { type EventDescription, type EventType, eventOf, eventResource, type Occurrence, seriesOf } from "./event.ts";
import { EventQueue } from "./event-queue.ts";
import type { KubeObject } from "./object.ts";
import { TokenBucket } from "./token-bucket.ts";

/** Records what happened to an object, as an Event. */
export interface Recorder {
  /** Never throws, never blocks, and may drop the event. */
  record(object: KubeObject, event: EventDescription): void;
  /** Resolves once the event is written, at once and outside of every limit. @throws {KubeError} */
  write(object: KubeObject, event: EventDescription, signal: AbortSignal): Promise<void>;
}

/** Why events were not written: the queue was full, they had waited for more than 5 s, or the write failed. */
export type DropReason = "full" | "expired" | "failed";

export interface EventRecorderOptions {
  readonly api: KubeApi;
  /** `reportingController`: `iam.muster.dev/operator`. */
  readonly controller: string;
  /** `reportingInstance`: the name of the pod. */
  readonly instance: string;
  readonly clock: Clock;
  /** Writes per second in the long run; default: 5. Each costs the API server as much as creating an object. */
  readonly ratePerSecond?: number;
  /** Writes at once; default: 50. */
  readonly burst?: number;
  /** Writes that may wait; default: 100. */
  readonly queueLimit?: number;
  /** Reports that this number of events was not written. */
  readonly onDrop?: (reason: DropReason, events: number, error?: unknown) => void;
}

/** A repeated event within this time of the last one increments its count, as in client-go; later it is a new event. */
const seriesMs = minutes(6);
/** The count of a repeated event is written at most this often. */
const countIntervalMs = minutes(1);
/** The number of events whose repetitions are recognized. */
const seriesLimit = 1_000;
/** An event that has waited longer is dropped, so that a burst does not delay the events after it. */
const maxAgeMs = seconds(5);
const writeDeadlineMs = seconds(5);

/** An event of one object, which may have happened several times. */
type Series = PendingSeries | WrittenSeries;

/** It is queued, or being created. */
interface PendingSeries extends Occurrence {
  readonly state: "pending";
  readonly id: string;
  readonly group: string;
  readonly queuedAt: MonotonicTime;
  lastAt: number;
  /** When it last happened. */
  repeatedAt: MonotonicTime;
  count: number;
  combined: number;
}

/** It has been created; only its count changes. */
interface WrittenSeries {
  readonly state: "written";
  readonly id: string;
  readonly name: string;
  readonly namespace: string;
  /** When its creation or its last count was queued. */
  queuedAt: MonotonicTime;
  lastAt: number;
  /** When it last happened. */
  repeatedAt: MonotonicTime;
  count: number;
}

/**
 * Writes `events.k8s.io/v1` Events in the background, within a token bucket.
 *
 * *Expected flow*: `record` queues an event; one write at a time creates it. If the same event (object, reason, note)
 * happens again, its count is incremented, and written at most once a minute. While there is no token for another
 * event, it is combined with a queued one of the same group (namespace, kind, type, reason and action), whose note then
 * says how many events it stands for.
 *
 * *Guarantees*: at most `burst` + `ratePerSecond` × t writes in any time t. Nothing is written that has been queued for
 * more than 5 s, so writes end 5 s after the last event. Warnings go before Normals. Memory is bounded. Every event is
 * written, counted or combined in an Event, or reported to `onDrop`.
 *
 * *Caveats*: in a burst, most objects do not get an Event of their own: conditions hold their state. The last
 * repetitions of an event may not be written, because its count is written only with a repetition.
 *
 * *Errors*: a failed write is reported to `onDrop` and not retried.
 */
export class EventRecorder implements Recorder {
  readonly #options: EventRecorderOptions;
  readonly #bucket: TokenBucket;
  readonly #queue: EventQueue<Series>;
  /** By id; the least recently created series is forgotten first. */
  readonly #series = new Map<string, Series>();
  /** By group: a queued event that others can be combined with. */
  readonly #combinable = new Map<string, PendingSeries>();
  readonly #stopped = new AbortController();
  #writing = false;
  #namesMade = 0;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    const { clock, ratePerSecond = 5, burst = 50, queueLimit = 100 } = options;
    this.#bucket = new TokenBucket(clock, ratePerSecond, burst);
    this.#queue = new EventQueue(queueLimit);
  }

  record(object: KubeObject, event: EventDescription): void {
    if (this.#stopped.signal.aborted) return;
    const { clock } = this.#options;
    const now = clock.now();
    const { uid = "", namespace = "" } = object.metadata;
    const group = [event.type, event.reason, event.action, object.kind, namespace].join("\n");
    const id = [group, uid, event.note].join("\n");
    const repeated = this.#series.get(id);
    const at = clock.monotonic();
    if (repeated !== undefined && at - repeated.repeatedAt < seriesMs) {
      repeated.count++;
      repeated.lastAt = now;
      repeated.repeatedAt = at;
      if (repeated.state === "written") this.#queueCount(repeated, event.type);
      return;
    }
    const combinable = this.#combinable.get(group);
    if (combinable !== undefined && !this.#hasToken) {
      combinable.combined++;
      return;
    }
    this.#push(event.type, {
      state: "pending",
      id,
      group,
      object,
      event,
      firstAt: now,
      queuedAt: at,
      lastAt: now,
      repeatedAt: at,
      count: 1,
      combined: 0,
    });
  }

  async write(object: KubeObject, event: EventDescription, signal: AbortSignal): Promise<void> {
    const now = this.#options.clock.now();
    const occurrence = { object, event, firstAt: now, lastAt: now, count: 1, combined: 0 };
    await this.#post(occurrence, { signal, deadlineMs: writeDeadlineMs });
  }

  /** Drops what is queued and aborts the current write. */
  stop(): void {
    this.#stopped.abort();
    this.#queue.clear();
  }

  /** Whether one more event than those in the queue can be written at once. */
  get #hasToken(): boolean {
    return this.#queue.size < this.#bucket.available;
  }

  /** Queues the count of an event unless that was done recently, or tokens are short: a later repetition does it. */
  #queueCount(series: WrittenSeries, type: EventType): void {
    const now = this.#options.clock.monotonic();
    if (now - series.queuedAt < countIntervalMs || !this.#hasToken) return;
    series.queuedAt = now;
    this.#push(type, series);
  }

  #push(type: EventType, series: Series): void {
    const dropped = this.#queue.push(type, series);
    if (dropped !== undefined) this.#drop("full", dropped);
    if (dropped === series) return;
    if (series.state === "pending") this.#remember(series);
    if (!this.#writing) void this.#writeQueued();
  }

  #remember(series: PendingSeries): void {
    this.#combinable.set(series.group, series);
    this.#series.delete(series.id);
    this.#series.set(series.id, series);
    if (this.#series.size <= seriesLimit) return;
    const [oldest] = this.#series.keys();
    if (oldest !== undefined) this.#series.delete(oldest);
  }

  #removeCombinable(series: Series): void {
    if (series.state === "pending" && this.#combinable.get(series.group) === series)
      this.#combinable.delete(series.group);
  }

  #drop(reason: DropReason, series: Series, error?: unknown): void {
    this.#removeCombinable(series);
    if (this.#series.get(series.id) === series) this.#series.delete(series.id);
    const events = series.state === "pending" ? series.count + series.combined : 1;
    this.#options.onDrop?.(reason, events, error);
  }

  async #writeQueued(): Promise<void> {
    const { signal } = this.#stopped;
    this.#writing = true;
    try {
      while (this.#queue.size > 0) {
        const waitMs = this.#bucket.untilNextMs;
        if (waitMs > 0) await this.#options.clock.sleep(waitMs, signal);
        const series = this.#next();
        if (series === undefined) return;
        this.#bucket.take();
        await this.#write(series, signal);
      }
    } catch {
      // Only `stop` ends the sleep early.
    } finally {
      this.#writing = false;
    }
  }

  /** The next series to write; those that have waited too long are dropped. */
  #next(): Series | undefined {
    for (;;) {
      const series = this.#queue.shift();
      if (series === undefined) return undefined;
      this.#removeCombinable(series);
      if (this.#options.clock.monotonic() - series.queuedAt <= maxAgeMs) return series;
      this.#drop("expired", series);
    }
  }

  async #write(series: Series, signal: AbortSignal): Promise<void> {
    const call = { signal, deadlineMs: writeDeadlineMs };
    try {
      if (series.state === "pending") await this.#create(series, call);
      else await this.#writeCount(series, call);
    } catch (error) {
      if (!signal.aborted) this.#drop("failed", series, error);
    }
  }

  async #create(series: PendingSeries, call: CallOptions): Promise<void> {
    const written = await this.#post(series, call);
    const { id, queuedAt } = series;
    if (this.#series.get(id) !== series) return;
    const { lastAt, repeatedAt, count } = series;
    this.#series.set(id, { state: "written", id, ...written, queuedAt, lastAt, repeatedAt, count });
  }

  async #post(
    occurrence: Occurrence,
    call: CallOptions,
  ): Promise<{ readonly name: string; readonly namespace: string }> {
    const { api, controller, instance } = this.#options;
    const { namespace = "default" } = occurrence.object.metadata;
    const at = { name: this.#nameOf(occurrence), namespace };
    const reporter = { reportingController: controller, reportingInstance: instance };
    await api.create(eventResource, namespace, eventOf(at, occurrence, reporter), call);
    return at;
  }

  async #writeCount(series: WrittenSeries, call: CallOptions): Promise<void> {
    await this.#options.api.patch(eventResource, series.namespace, series.name, seriesOf(series), call);
  }

  /** Unique among the events of this process; like client-go's, it ends in a time in nanoseconds, in hexadecimal. */
  #nameOf({ object, firstAt }: Occurrence): string {
    return `${object.metadata.name.slice(0, 220)}.${(BigInt(firstAt) * 1_000_000n + BigInt(this.#namesMade++)).toString(16)}`;
  }
}
