import type { Clock } from "#src/time/clock.ts";
import type { ListQuery, PlatformApi, ResourcePage } from "./api.ts";
import { Circuit } from "./circuit.ts";
import type { ExternalResource, ResourceType } from "./collection.ts";
import { PlatformFailure } from "./failure.ts";
import { groups } from "./permission-resources.ts";
import { Throttle } from "./throttle.ts";

export interface GovernedApiOptions {
  /** The uid of a group. Reading it is the circuit's probe; whether it exists and may be read does not matter. */
  readonly probedGroup: string;
  readonly clock: Clock;
  /** Returns a number in [0, 1). */
  readonly random: () => number;
  /** Ends all probes. */
  readonly signal: AbortSignal;
}

/**
 * The API of one platform address under one credential, shared by everything that uses the credential, which protects the platform from its callers: during an outage, and during a pause that the
 * platform asked for, no call is sent. A call then fails with `suspended` or `paused`.
 */
export class GovernedApi implements PlatformApi {
  readonly circuit: Circuit;
  readonly #throttle: Throttle;
  readonly #api: PlatformApi;
  readonly #clock: Clock;

  constructor(api: PlatformApi, { probedGroup, clock, random, signal }: GovernedApiOptions) {
    this.#api = api;
    this.#clock = clock;
    this.#throttle = new Throttle(clock, random);
    this.circuit = new Circuit({ probe: (probe) => api.get(groups, probedGroup, probe), clock, random, signal });
  }

  list<R extends ExternalResource>(
    type: ResourceType<R>,
    query: ListQuery,
    signal: AbortSignal,
  ): Promise<ResourcePage<R>> {
    return this.#send(`list ${type.name}`, () => this.#api.list(type, query, signal));
  }

  get<R extends ExternalResource>(type: ResourceType<R>, uid: string, signal: AbortSignal): Promise<R> {
    return this.#send(`get ${type.name}`, () => this.#api.get(type, uid, signal));
  }

  create<R extends ExternalResource>(
    type: ResourceType<R>,
    parent: string,
    body: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<R> {
    return this.#send(`create ${type.name}`, () => this.#api.create(type, parent, body, signal));
  }

  update<R extends ExternalResource>(
    type: ResourceType<R>,
    uid: string,
    body: Readonly<Record<string, unknown>>,
    mask: readonly string[],
    signal: AbortSignal,
  ): Promise<R> {
    return this.#send(`update ${type.name}`, () => this.#api.update(type, uid, body, mask, signal));
  }

  delete(type: ResourceType, uid: string, signal: AbortSignal): Promise<void> {
    return this.#send(`delete ${type.name}`, () => this.#api.delete(type, uid, signal));
  }

  async #send<T>(name: string, call: () => Promise<T>): Promise<T> {
    this.circuit.requireClosed(name);
    this.#throttle.requireNoPause(name);
    const sentAt = this.#clock.monotonic();
    try {
      const result = await call();
      this.circuit.succeeded();
      this.#throttle.succeeded(sentAt);
      return result;
    } catch (error) {
      if (error instanceof PlatformFailure) {
        this.#throttle.failed(error.problem, sentAt);
        this.circuit.failed(error.problem);
      }
      throw error;
    }
  }
}
