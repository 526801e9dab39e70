import type { KubeApi } from "./api.ts";
import type { Clock } from "#src/time/clock.ts";
import { isAlreadyExists, isConflict, isNotFound } from "./errors.ts";
import { microTime } from "./micro-time.ts";
import type { KubeObject, ResourceKind } from "./object.ts";

/**
 * How leadership was come by: nobody held the Lease before (`created`), its holder had given it back (`released`), or
 * it ran out, so that a request of the former holder may still be under way (`expired`).
 */
export type Acquisition = "created" | "released" | "expired";

export interface LeaseOptions {
  readonly api: KubeApi;
  readonly namespace: string;
  readonly name: string;
  /** Unique to this process: two processes of one identity would both lead. */
  readonly identity: string;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  /** How long others wait after the last renewal that they saw, in whole seconds; default 15 s. */
  readonly durationMs?: number;
  /** A leader that could not renew for so long stops; default 10 s. Well below `durationMs`. */
  readonly renewDeadlineMs?: number;
  /** Between two attempts; default 2 s. */
  readonly retryPeriodMs?: number;
  /** A failed attempt, for the log. */
  readonly onError?: (error: unknown) => void;
}

export interface Leadership {
  readonly acquired: Acquisition;
  /** Aborted with a `LeaseLost` the moment that leadership can no longer be relied on. */
  readonly signal: AbortSignal;
  /** Whether leadership can be relied on now: to be asked before each write, because a timer may fire late. */
  held(): boolean;
  /**
   * Stops renewing, and gives the Lease back unless `release` is false: a leader that had to abort a write of unknown
   * outcome lets it run out instead, so that the next one waits. Never rejects.
   */
  stop(options: { readonly release: boolean }): Promise<void>;
}

/** Another process leads, or may soon. */
export class LeaseLost extends Error {
  override readonly name = "LeaseLost";
}

/** `coordination.k8s.io/v1`, with the fields that client-go writes, so that its tools read ours. */
interface Lease extends KubeObject {
  readonly spec?: LeaseSpec;
}

interface LeaseSpec {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly acquireTime?: string;
  readonly renewTime?: string;
  readonly leaseTransitions?: number;
}

const leases: ResourceKind = {
  group: "coordination.k8s.io",
  version: "v1",
  plural: "leases",
  kind: "Lease",
  namespaced: true,
};

/** Attempts spread over this share of the period more, so that candidates do not meet. */
const jitter = 0.2;
const releaseDeadlineMs = 2_000;

/**
 * Leader election by one Lease. *Guarantees*: as long as clocks run at about the same rate, no two processes rely on
 * leadership at once: a leader stops `renewDeadlineMs` after it *began* its last successful renewal, others take over
 * no earlier than the Lease's duration after they first *saw* that renewal, both by their own monotonic clock.
 * *Caveats*: a lease is no fence; what is under way when it is lost may still land.
 * @returns once this process leads; rejects with the signal's reason only.
 */
export function acquireLease(options: LeaseOptions, signal: AbortSignal): Promise<Leadership> {
  return new LeaderElection(options).acquire(signal);
}

class LeaderElection {
  readonly #options: LeaseOptions;
  readonly #durationMs: number;
  readonly #renewDeadlineMs: number;
  readonly #retryPeriodMs: number;
  /** The other holder's last sign of life, and when we saw it. */
  #seen: { readonly version: string | undefined; readonly at: number } | undefined;
  /** What we tried last, should the answer have been lost. */
  #tried: Acquisition = "expired";

  constructor(options: LeaseOptions) {
    this.#options = options;
    this.#durationMs = options.durationMs ?? 15_000;
    this.#renewDeadlineMs = options.renewDeadlineMs ?? 10_000;
    this.#retryPeriodMs = options.retryPeriodMs ?? 2_000;
  }

  async acquire(signal: AbortSignal): Promise<Leadership> {
    const { clock, onError } = this.#options;
    for (;;) {
      const begunAt = clock.monotonic();
      try {
        const held = await this.#tryToAcquire(signal);
        if (held !== undefined) return this.#lead(held, begunAt);
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        if (!isConflict(error) && !isAlreadyExists(error)) onError?.(error);
      }
      await clock.sleep(this.#period(), signal);
    }
  }

  async #tryToAcquire(signal: AbortSignal): Promise<{ lease: Lease; acquired: Acquisition } | undefined> {
    const { api, namespace, name, identity } = this.#options;
    const call = { signal, deadlineMs: this.#renewDeadlineMs / 2 };
    let found: Lease;
    try {
      found = await api.get<Lease>(leases, namespace, name, call);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      this.#tried = "created";
      const body = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { namespace, name } };
      const lease = await api.create<Lease>(leases, namespace, { ...body, spec: this.#claim(undefined) }, call);
      return { lease, acquired: "created" };
    }
    const holder = found.spec?.holderIdentity ?? "";
    if (holder !== identity) {
      if (holder !== "" && !this.#hasRunOut(found)) return undefined;
      this.#tried = holder === "" ? "released" : "expired";
    }
    const acquired = this.#tried;
    const lease = await this.#write(found, this.#claim(found.spec), call);
    this.#seen = undefined;
    this.#tried = "expired";
    return { lease, acquired };
  }

  #hasRunOut({ metadata, spec }: Lease): boolean {
    const now = this.#options.clock.monotonic();
    if (this.#seen === undefined || this.#seen.version !== metadata.resourceVersion)
      this.#seen = { version: metadata.resourceVersion, at: now };
    const seconds = spec?.leaseDurationSeconds ?? 0;
    return now - this.#seen.at >= (seconds > 0 ? seconds * 1000 : this.#durationMs);
  }

  #lead(held: { readonly lease: Lease; readonly acquired: Acquisition }, begunAt: number): Leadership {
    const { clock } = this.#options;
    const lost = new AbortController();
    const stopped = new AbortController();
    let { lease } = held;
    let renewedAt = begunAt;
    let cancelDeadline: () => void = () => undefined;
    const lose = (why: string, cause?: unknown) => {
      stopped.abort();
      cancelDeadline();
      lost.abort(new LeaseLost(why, { cause }));
    };
    const startDeadline = () => {
      cancelDeadline();
      const left = renewedAt + this.#renewDeadlineMs - clock.monotonic();
      cancelDeadline = clock.setTimer(() => lose(`the Lease was not renewed for ${this.#renewDeadlineMs} ms`), left);
    };
    const renewal = async () => {
      while (!stopped.signal.aborted) {
        await clock.sleep(this.#period(), stopped.signal);
        const startedAt = clock.monotonic();
        try {
          lease = await this.#renew(lease, stopped.signal);
          if (stopped.signal.aborted) return;
          renewedAt = startedAt;
          startDeadline();
        } catch (error) {
          if (stopped.signal.aborted) return;
          if (error instanceof LeaseLost) lose(error.message);
          else this.#options.onError?.(error);
        }
      }
    };
    startDeadline();
    const renewing = renewal().catch(() => undefined);
    return {
      acquired: held.acquired,
      signal: lost.signal,
      held: () => !stopped.signal.aborted && clock.monotonic() < renewedAt + this.#renewDeadlineMs,
      stop: async ({ release }) => {
        stopped.abort();
        cancelDeadline();
        await renewing;
        if (release && !lost.signal.aborted) await this.#release();
      },
    };
  }

  async #renew(lease: Lease, signal: AbortSignal): Promise<Lease> {
    const { api, namespace, name, identity } = this.#options;
    const call = { signal, deadlineMs: this.#renewDeadlineMs / 2 };
    try {
      return await this.#write(lease, this.#claim(lease.spec), call);
    } catch (error) {
      if (!isConflict(error) && !isNotFound(error)) throw error;
    }
    // Somebody wrote it, perhaps we ourselves with an answer that was lost.
    const found = await api.get<Lease>(leases, namespace, name, call).catch((error: unknown) => {
      throw isNotFound(error) ? new LeaseLost("the Lease was deleted") : error;
    });
    if (found.spec?.holderIdentity !== identity)
      throw new LeaseLost(`the Lease is held by ${found.spec?.holderIdentity || "nobody"}`);
    return this.#write(found, this.#claim(found.spec), call);
  }

  async #release(): Promise<void> {
    const { api, namespace, name, identity, clock, onError } = this.#options;
    const call = { signal: new AbortController().signal, deadlineMs: releaseDeadlineMs };
    try {
      const found = await api.get<Lease>(leases, namespace, name, call);
      if (found.spec?.holderIdentity !== identity) return;
      const spec = { ...found.spec, holderIdentity: "", leaseDurationSeconds: 1, renewTime: microTime(clock.now()) };
      await this.#write(found, spec, call);
    } catch (error) {
      onError?.(error);
    }
  }

  #write(lease: Lease, spec: LeaseSpec, call: { readonly signal: AbortSignal; readonly deadlineMs: number }) {
    const { api, namespace, name } = this.#options;
    return api.replace<Lease>(leases, namespace, name, { ...lease, spec }, call);
  }

  /** The Lease as ours from now on. */
  #claim(before: LeaseSpec | undefined): LeaseSpec {
    const { identity, clock } = this.#options;
    const now = microTime(clock.now());
    const ours = before?.holderIdentity === identity;
    return {
      ...before,
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(this.#durationMs / 1000),
      acquireTime: ours ? (before.acquireTime ?? now) : now,
      renewTime: now,
      leaseTransitions: (before?.leaseTransitions ?? 0) + (before === undefined || ours ? 0 : 1),
    };
  }

  #period(): number {
    return this.#retryPeriodMs * (1 + jitter * this.#options.random());
  }
}
