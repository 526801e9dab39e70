import type { Clock, MonotonicTime } from "#src/time/clock.ts";
import { seconds } from "#src/time/durations.ts";
import type { KubeApi, WatchEvent } from "./api.ts";
import { isGone, isThrottled, isUnreadable, KubeError } from "./errors.ts";
import { listPages } from "./list-pages.ts";
import { compareResourceVersions, type KubeObject, type ResourceKind } from "./object.ts";
import type { StoreWriter } from "./store.ts";
import { Watchdog } from "./watchdog.ts";

/** What a reflector reports, for logs and metrics. */
export type ReflectorReport =
  | { readonly type: "listed"; readonly objects: number; readonly pages: number; readonly durationMs: number }
  | { readonly type: "watching"; readonly resourceVersion: string }
  /** The API server no longer keeps the version to continue from; the reflector lists again at once. */
  | { readonly type: "expired" }
  | { readonly type: "failed"; readonly step: "list" | "watch"; readonly error: unknown; readonly retryInMs: number }
  /** One object could not be stored, or a listener of the store threw; the stream continued. */
  | { readonly type: "skipped"; readonly error: unknown };

export interface ReflectorOptions {
  readonly api: KubeApi;
  readonly resource: ResourceKind;
  /** Absent: all namespaces, or a cluster-scoped resource. */
  readonly namespace?: string;
  /** Whether to store an object; the others are dropped as they arrive. It must not change with time. Absent: all. */
  readonly accepts?: (object: KubeObject) => boolean;
  readonly store: StoreWriter;
  readonly clock: Clock;
  /** Returns a number in [0, 1). */
  readonly random: () => number;
  readonly report?: (report: ReflectorReport) => void;
}

/** The API server ends a watch after this many seconds, plus a random part, so that watches do not end together. */
const watchSeconds = 240;
const watchSecondsSpread = 50;
/** The time that an API server may take to end a watch whose time is over. */
const endingSeconds = 10;
/**
 * Where an API server sent something of a watch, a bookmark follows at least every minute: a connection that is silent for longer
 * is dead. It promises none before, and sends none of a kind of which it has seen no change since it started: such a watch is dead
 * if it does not end at its time, or if TCP's keep-alive says so.
 */
const silenceMs = seconds(90);
/** A watch that ends earlier, without an event, counts as failed: otherwise we would reconnect in a tight loop. */
const shortWatchMs = seconds(1);
/** A version that expires this soon after its list would expire again, so the next list is delayed. */
const earlyExpiryMs = seconds(5);
const backoffBaseMs = 800;
const backoffMaxMs = seconds(30);

/** Neither an event nor a bookmark, nor the end of the watch, arrived in time. */
class WatchSilent extends Error {
  override readonly name = "WatchSilent";
}

/** The API server ended a watch at once, without an event. */
class WatchTooShort extends Error {
  override readonly name = "WatchTooShort";
}

/** How far a reflector has come. */
type Position = Unlisted | Listed;

/** There is no version to watch from: list next. */
interface Unlisted {
  readonly state: "unlisted";
}

/** The store contains every change up to `resourceVersion`: watch from there next. */
interface Listed {
  readonly state: "listed";
  readonly listedAt: MonotonicTime;
  /** Advances with every event. */
  resourceVersion: string;
}

/**
 * Keeps a store equal to the API server's state of one resource, in one namespace or in all.
 *
 * *Expected flow*: list in pages, replace the store's content, watch from the list's version. The API server ends each
 * watch after 240 to 290 s; the next one continues from the last event or bookmark.
 *
 * *Guarantees*: `run` ends only when its signal aborts. Every change reaches the store, either as an event or as part of
 * a list, except an event that cannot be stored, which is reported as skipped. A list is applied as a whole or not at all.
 *
 * *Assumptions*: the API server ends each watch at its time, and after a first event sends bookmarks at least every 90 s; versions of
 * one resource are comparable.
 *
 * *Caveats*: between a failure and the next successful step the store is stale; the reflector only reports it. Of the
 * changes between the last event and a list, only the result is seen.
 *
 * *Errors*: 410 → list again, at once the first time; 429 and 503 → wait as long as Retry-After asks, at most 5 min; any
 * other error → back off 0.8 to 30 s with jitter, beginning again when the API server responds after it did not, and continue
 * from the last version; silence for 90 s after an event, or at the end → reconnect; an event whose version is older than ours (a restored backup of etcd)
 * → list again; a list that cannot be stored → list again, with backoff; the resource can no longer be read (403, 404) → list
 * again, with backoff. An event that cannot be stored is skipped.
 */
export class Reflector {
  readonly #options: ReflectorOptions;
  /** Consecutive failures of one sort, without an event between them: without a response, or with one. */
  #failures = 0;
  #lastWasSilent = false;

  constructor(options: ReflectorOptions) {
    this.#options = options;
    options.store.addScope(options.namespace);
  }

  /** Resolves when `signal` aborts; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    let position: Position = { state: "unlisted" };
    while (!signal.aborted) {
      try {
        if (position.state === "unlisted") position = await this.#list(signal);
        else await this.#watch(position, signal);
      } catch (error) {
        if (signal.aborted) return;
        await this.#pause(position, error, signal);
        // What can no longer be read may be another set of objects when it can be again.
        if (isGone(error) || isUnreadable(error)) position = { state: "unlisted" };
      }
    }
  }

  async #list(signal: AbortSignal): Promise<Listed> {
    const { api, resource, namespace, store, clock } = this.#options;
    const startedAt = clock.monotonic();
    const list = store.startList(namespace);
    let [pages, objects] = [0, 0];
    let resourceVersion = "";
    for await (const { items, metadata } of listPages(api, resource, signal, namespace)) {
      const accepted = items.filter((item) => this.#accepts(item)).map((item) => complete(item, resource));
      resourceVersion = metadata.resourceVersion ?? resourceVersion;
      list.add(accepted, resourceVersion);
      pages += 1;
      objects += accepted.length;
    }
    const listedAt = clock.monotonic();
    await list.end();
    this.#report({ type: "listed", objects, pages, durationMs: clock.monotonic() - startedAt });
    return { state: "listed", listedAt, resourceVersion };
  }

  /** Watches until the API server ends the stream; `position` advances with every event, also if the watch fails. */
  async #watch(position: Listed, signal: AbortSignal): Promise<void> {
    const { api, resource, namespace, clock, random } = this.#options;
    const ending = new AbortController();
    const forwardAbort = () => ending.abort(signal.reason);
    signal.addEventListener("abort", forwardAbort, { once: true });
    const startedAt = clock.monotonic();
    const timeoutSeconds = watchSeconds + Math.floor(random() * watchSecondsSpread);
    let received = 0;
    const watchdog = new Watchdog(clock, seconds(timeoutSeconds + endingSeconds), () =>
      ending.abort(
        new WatchSilent(
          received === 0
            ? `the watch did not end after ${timeoutSeconds} s`
            : `no event or bookmark for ${silenceMs} ms`,
        ),
      ),
    );
    try {
      const events = api.watch(resource, {
        resourceVersion: position.resourceVersion,
        timeoutSeconds,
        signal: ending.signal,
        ...(namespace === undefined ? {} : { namespace }),
      });
      this.#report({ type: "watching", resourceVersion: position.resourceVersion });
      for await (const event of events) {
        watchdog.allow(silenceMs);
        this.#apply(event, position);
        this.#failures = 0;
        received++;
      }
    } finally {
      watchdog.stop();
      signal.removeEventListener("abort", forwardAbort);
    }
    if (received === 0 && clock.monotonic() - startedAt < shortWatchMs)
      throw new WatchTooShort("the API server ended the watch at once, without an event");
  }

  #apply(event: WatchEvent, position: Listed): void {
    const call = `watch ${this.#options.resource.plural}`;
    if (event.type === "ERROR") throw KubeError.fromStatus(call, event.object);
    const { resourceVersion } = event.object.metadata;
    if (resourceVersion === undefined) return;
    // An API server that was restored from a backup sends nothing until its versions have passed ours: list again.
    if (compareResourceVersions(resourceVersion, position.resourceVersion) < 0)
      throw new KubeError({ call, code: 410, reason: "Expired" }, "the API server's resource versions went backwards");
    if (event.type !== "BOOKMARK" && this.#accepts(event.object))
      this.#skipOnError(() => this.#options.store.apply(event));
    position.resourceVersion = resourceVersion;
  }

  #accepts(object: KubeObject): boolean {
    return this.#options.accepts?.(object) ?? true;
  }

  /** One bad object, or one listener of the store that throws, must not end the stream for all other objects. */
  #skipOnError(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#report({ type: "skipped", error });
    }
  }

  async #pause(position: Position, error: unknown, signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#options;
    // An API server that responds again is not to be waited for as long as one that does not.
    const isSilent = error instanceof KubeError && error.code === 0;
    if (isSilent !== this.#lastWasSilent) this.#failures = 0;
    this.#lastWasSilent = isSilent;
    const failures = this.#failures++;
    const early = position.state === "listed" && clock.monotonic() - position.listedAt <= earlyExpiryMs;
    if (isGone(error) && failures === 0 && !early) {
      this.#report({ type: "expired" });
      return;
    }
    const window = Math.min(backoffMaxMs, backoffBaseMs * 2 ** Math.min(failures, 10));
    const backoffMs = Math.min(backoffMaxMs, window * (1 + random()));
    const retryAfterMs = isThrottled(error) ? error.retryAfterMs : undefined;
    const retryInMs = retryAfterMs === undefined ? backoffMs : retryAfterMs * (1 + random() / 10);
    const step = position.state === "unlisted" ? "list" : "watch";
    this.#report({ type: "failed", step, error, retryInMs });
    await clock.sleep(retryInMs, signal).catch(() => undefined);
  }

  #report(report: ReflectorReport): void {
    this.#options.report?.(report);
  }
}

/** Items in a list of a built-in resource lack `apiVersion` and `kind`; objects in the store have both. */
function complete(item: KubeObject, { group, version, kind }: ResourceKind): KubeObject {
  return item.kind === undefined ? { ...item, apiVersion: group === "" ? version : `${group}/${version}`, kind } : item;
}
