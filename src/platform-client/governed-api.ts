import type { Clock, MonotonicTime } from "#src/time/clock.ts";
import type { ListQuery, PlatformApi, ResourcePage } from "./api.ts";
import { Suspension } from "./suspension.ts";
import type { ExternalResource, ResourceType } from "./collection.ts";
import { PlatformFailure } from "./failure.ts";
import { groups } from "./permission-resources.ts";
import { probe } from "./probe.ts";
import { Throttle } from "./throttle.ts";
import { TrialWrites } from "./trial-writes.ts";

export interface GovernedApiOptions {
  /** The platform's address, for messages. */
  readonly address: string;
  /** The uid of a group. Reading it is the probe; whether it exists and may be read does not matter. */
  readonly probedGroup: string;
  readonly clock: Clock;
  /** Returns a number in [0, 1). */
  readonly random: () => number;
  /** Ends all probes. */
  readonly signal: AbortSignal;
}

/**
 * The API of one platform address under one credential, shared by everything that uses the credential. It protects the
 * platform from its callers: during an outage, and during a pause that the platform asked for, no call is sent. A call then
 * fails with `suspended` or `paused`. During an outage of writes only, such as a database that is read-only, one write at a
 * time is sent.
 */
export class GovernedApi implements PlatformApi {
  readonly suspension: Suspension;
  /** Of writes only: the other one does not see an outage of writes only, because its probe reads. */
  readonly writes: Suspension;
  readonly trials = new TrialWrites();
  readonly #throttle: Throttle;
  readonly #api: PlatformApi;
  readonly #clock: Clock;

  constructor(api: PlatformApi, { address, probedGroup, clock, random, signal }: GovernedApiOptions) {
    this.#api = api;
    this.#clock = clock;
    this.#throttle = new Throttle(clock, random);
    const readGroup = (end: AbortSignal) => api.get(groups, probedGroup, end);
    this.suspension = new Suspension({
      probe: (end) => probe(address, readGroup, clock, end),
      probeIsExtra: true,
      clock,
      random,
      signal,
    });
    this.writes = new Suspension({ probe: () => this.trials.request(), probeIsExtra: false, clock, random, signal });
    // What was known of writes is older than the outage that has ended.
    this.suspension.onChange((outage) => {
      if (outage === undefined) this.writes.end();
    });
  }

  list<R extends ExternalResource>(
    type: ResourceType<R>,
    query: ListQuery,
    signal: AbortSignal,
  ): Promise<ResourcePage<R>> {
    return this.#read(`list ${type.name}`, () => this.#api.list(type, query, signal));
  }

  get<R extends ExternalResource>(type: ResourceType<R>, uid: string, signal: AbortSignal): Promise<R> {
    return this.#read(`get ${type.name}`, () => this.#api.get(type, uid, signal));
  }

  create<R extends ExternalResource>(
    type: ResourceType<R>,
    parent: string,
    body: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<R> {
    return this.#write(`create ${type.name}`, () => this.#api.create(type, parent, body, signal));
  }

  update<R extends ExternalResource>(
    type: ResourceType<R>,
    uid: string,
    body: Readonly<Record<string, unknown>>,
    mask: readonly string[],
    signal: AbortSignal,
    sendBefore?: MonotonicTime,
  ): Promise<R> {
    return this.#write(`update ${type.name}`, () => this.#api.update(type, uid, body, mask, signal, sendBefore));
  }

  delete(type: ResourceType, uid: string, signal: AbortSignal, sendBefore?: MonotonicTime): Promise<void> {
    return this.#write(`delete ${type.name}`, () => this.#api.delete(type, uid, signal, sendBefore));
  }

  async #read<T>(name: string, call: () => Promise<T>): Promise<T> {
    this.suspension.requireNoOutage(name);
    this.#throttle.requireNoPause(name);
    return this.#send(call, [this.suspension]);
  }

  async #write<T>(name: string, call: () => Promise<T>): Promise<T> {
    this.suspension.requireNoOutage(name);
    const send = async () => {
      this.#throttle.requireNoPause(name);
      return this.#send(call, [this.suspension, this.writes]);
    };
    // A trial that a pause prevents is over: the next one is requested when the pause ends.
    if (this.trials.wanted) return this.trials.run(send);
    this.writes.requireNoOutage(name);
    return send();
  }

  async #send<T>(call: () => Promise<T>, suspensions: readonly Suspension[]): Promise<T> {
    const sentAt = this.#clock.monotonic();
    try {
      const result = await call();
      for (const suspension of suspensions) suspension.succeeded();
      this.#throttle.succeeded(sentAt);
      return result;
    } catch (error) {
      if (error instanceof PlatformFailure) {
        this.#throttle.failed(error.problem, sentAt);
        for (const suspension of suspensions) suspension.failed(error.problem);
      }
      throw error;
    }
  }
}
