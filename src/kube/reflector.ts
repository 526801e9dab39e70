import type { KubeApi, WatchEvent } from "./api.ts";
import type { Clock } from "#src/time/clock.ts";
import { isGone, isThrottled, KubeError } from "./errors.ts";
import { compareResourceVersions, type KubeObject, type ResourceKind, withoutBulk } from "./object.ts";
import type { Listing, ObjectEvent } from "./store.ts";

/** What a reflector tells, for logs and metrics. */
export type ReflectorReport =
  | { readonly type: "listed"; readonly objects: number; readonly pages: number; readonly durationMs: number }
  | { readonly type: "watching"; readonly resourceVersion: string }
  /** The version to watch from is no longer kept; everything is listed again. */
  | { readonly type: "expired" }
  | { readonly type: "failed"; readonly step: "list" | "watch"; readonly error: unknown; readonly retryInMs: number }
  /** One object could not be taken in; the stream went on. */
  | { readonly type: "skipped"; readonly error: unknown };

/** What a reflector feeds: a `Store`. */
export interface FedStore {
  versionOf(namespace: string | undefined): string;
  addScope(namespace: string | undefined): void;
  replace(listing: Listing): void;
  apply(event: ObjectEvent): void;
}

export interface ReflectorOptions {
  readonly api: KubeApi;
  readonly resource: ResourceKind;
  /** Absent: all namespaces. */
  readonly namespace?: string;
  readonly store: FedStore;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly report?: (report: ReflectorReport) => void;
}

const pageLimit = 500;
/** The server ends a watch after this and up to 50 s more, so that watches do not all end together. */
const watchSeconds = 240;
const watchSecondsSpread = 50;
/** Bookmarks come every minute: so long without a word, nobody is there. */
const silenceMs = 90_000;
/** A version that is gone so soon after the list that gave it would be gone again: no list without a pause then. */
const relistAtOnceMs = 5_000;
const backoffBaseMs = 800;
const backoffMaxMs = 30_000;

/** Nothing, not even a bookmark, came for too long. */
class WatchSilent extends Error {
  override readonly name = "WatchSilent";
}

/** The server ended a watch at once: going on without a pause would be a storm. */
class WatchTooShort extends Error {
  override readonly name = "WatchTooShort";
}

/** Where a reflector stands: with nothing to go on from, or with all events told up to a version. */
type Position = { readonly at: "nothing" } | { readonly at: "version"; readonly version: string };

/**
 * Keeps a store as the API server has it: lists, then watches from the list's version, and again from where a watch
 * ended. *Guarantees*: it never ends but by its signal; every change reaches the store, or a list that includes it does.
 * *Errors*: 410 → list again; 429 and 503 → Retry-After; anything else → backoff with jitter; nothing heard for 90 s →
 * a new connection.
 */
export class Reflector {
  readonly #options: ReflectorOptions;
  /** In a row, without anything heard between. */
  #failures = 0;
  #listedAt = Number.NEGATIVE_INFINITY;

  constructor(options: ReflectorOptions) {
    this.#options = options;
    options.store.addScope(options.namespace);
  }

  /** Resolves when `signal` aborts; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    let position: Position = { at: "nothing" };
    while (!signal.aborted) {
      const step = position.at === "nothing" ? "list" : "watch";
      try {
        position = position.at === "nothing" ? await this.#list(signal) : await this.#watch(position.version, signal);
      } catch (caught) {
        if (signal.aborted) return;
        const failure: unknown = caught instanceof StoppedAt ? caught.cause : caught;
        if (caught instanceof StoppedAt) position = { at: "version", version: caught.version };
        if (isGone(failure)) position = { at: "nothing" };
        await this.#pause(step, failure, signal);
      }
    }
  }

  async #list(signal: AbortSignal): Promise<Position> {
    const { api, resource, namespace, store, clock } = this.#options;
    const started = clock.monotonic();
    const since = store.versionOf(namespace);
    const objects: KubeObject[] = [];
    let pages = 0;
    let next: string | undefined;
    let resourceVersion = "";
    do {
      const page = await api.list(resource, {
        signal,
        limit: pageLimit,
        ...(namespace === undefined ? {} : { namespace }),
        ...(next === undefined ? {} : { continue: next }),
      });
      pages++;
      for (const item of page.items) this.#takeIn(() => objects.push(complete(item, resource)));
      resourceVersion = page.metadata.resourceVersion ?? resourceVersion;
      next = page.metadata.continue === "" ? undefined : page.metadata.continue;
    } while (next !== undefined);
    this.#listedAt = clock.monotonic();
    this.#takeIn(() => store.replace({ namespace, objects, resourceVersion, since }));
    this.#report({ type: "listed", objects: objects.length, pages, durationMs: clock.monotonic() - started });
    return { at: "version", version: resourceVersion };
  }

  async #watch(from: string, signal: AbortSignal): Promise<Position> {
    const { api, resource, namespace, clock, random } = this.#options;
    const ending = new AbortController();
    const forward = () => ending.abort(signal.reason);
    signal.addEventListener("abort", forward, { once: true });
    const started = clock.monotonic();
    const silence = new SilenceTimer(clock, () => ending.abort(new WatchSilent(`nothing heard for ${silenceMs} ms`)));
    let version = from;
    let heard = 0;
    try {
      const events = api.watch(resource, {
        resourceVersion: from,
        timeoutSeconds: watchSeconds + Math.floor(random() * watchSecondsSpread),
        signal: ending.signal,
        ...(namespace === undefined ? {} : { namespace }),
      });
      this.#report({ type: "watching", resourceVersion: from });
      for await (const event of events) {
        silence.heard();
        version = this.#hear(event, version);
        this.#failures = 0;
        heard++;
      }
    } catch (error) {
      throw new StoppedAt(version, error);
    } finally {
      silence.stop();
      signal.removeEventListener("abort", forward);
    }
    if (heard === 0 && clock.monotonic() - started < 1000)
      throw new StoppedAt(version, new WatchTooShort("the watch ended at once, without an event"));
    return { at: "version", version };
  }

  /** @returns the version up to which all is told now. */
  #hear(event: WatchEvent, version: string): string {
    const call = `watch ${this.#options.resource.plural}`;
    if (event.type === "ERROR") throw KubeError.fromStatus(call, event.object);
    const told = event.object.metadata.resourceVersion;
    if (told === undefined) return version;
    // A server that has restarted from an older backup would keep silent until its versions have caught up with ours.
    if (compareResourceVersions(told, version) < 0)
      throw new KubeError({ call, code: 410, reason: "Expired" }, "the API server's history went back");
    if (event.type !== "BOOKMARK") this.#takeIn(() => this.#options.store.apply(event));
    return told;
  }

  /** One object, or one subscriber of the store, must not end the stream for all. */
  #takeIn(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#report({ type: "skipped", error });
    }
  }

  async #pause(step: "list" | "watch", error: unknown, signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#options;
    const failures = this.#failures++;
    if (isGone(error) && failures === 0 && clock.monotonic() - this.#listedAt > relistAtOnceMs) {
      this.#report({ type: "expired" });
      return;
    }
    const window = Math.min(backoffMaxMs, backoffBaseMs * 2 ** Math.min(failures, 10));
    const backoff = Math.min(backoffMaxMs, window * (1 + random()));
    const asked = isThrottled(error) ? error.retryAfterMs : undefined;
    const retryInMs = asked === undefined ? backoff : asked * (1 + random() / 10);
    this.#report({ type: "failed", step, error, retryInMs });
    await clock.sleep(retryInMs, signal).catch(() => undefined);
  }

  #report(report: ReflectorReport): void {
    this.#options.report?.(report);
  }
}

/** A watch that failed, with how far it had come. */
class StoppedAt extends Error {
  readonly version: string;

  constructor(version: string, cause: unknown) {
    super("the watch stopped", { cause });
    this.version = version;
  }
}

/** Items of a list come without apiVersion and kind where they are built in; what is kept has both. */
function complete(item: KubeObject, { group, version, kind }: ResourceKind): KubeObject {
  const object = withoutBulk(item);
  return object.kind === undefined
    ? { ...object, apiVersion: group === "" ? version : `${group}/${version}`, kind }
    : object;
}

/** Calls back once nothing was heard for `silenceMs`; hearing costs nothing but a look at the clock. */
class SilenceTimer {
  readonly #clock: Clock;
  readonly #onSilence: () => void;
  #heardAt: number;
  #cancel: () => void = () => undefined;

  constructor(clock: Clock, onSilence: () => void) {
    this.#clock = clock;
    this.#onSilence = onSilence;
    this.#heardAt = clock.monotonic();
    this.#wait(silenceMs);
  }

  heard(): void {
    this.#heardAt = this.#clock.monotonic();
  }

  stop(): void {
    this.#cancel();
  }

  #wait(ms: number): void {
    this.#cancel = this.#clock.setTimer(() => {
      const left = this.#heardAt + silenceMs - this.#clock.monotonic();
      if (left <= 0) this.#onSilence();
      else this.#wait(left);
    }, ms);
  }
}
