import type { Clock } from "#src/time/clock.ts";
import type { CallOptions, KubeApi } from "./api.ts";
import { microTime } from "./micro-time.ts";
import type { KubeObject, ResourceKind } from "./object.ts";

/** A `coordination.k8s.io/v1` Lease, with the fields that client-go writes, so that its tools can read ours. */
export interface Lease extends KubeObject {
  readonly spec?: LeaseSpec;
}

interface LeaseSpec {
  /** Empty after a release. */
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly acquireTime?: string;
  readonly renewTime?: string;
  readonly leaseTransitions?: number;
}

export interface LeaseClientOptions {
  readonly api: KubeApi;
  readonly namespace: string;
  readonly name: string;
  /** Unique to this process: two processes with the same identity would both lead. */
  readonly identity: string;
  readonly clock: Clock;
}

export const leaseResource: ResourceKind = {
  group: "coordination.k8s.io",
  version: "v1",
  plural: "leases",
  kind: "Lease",
};

/** Reads and writes one Lease on behalf of one process. Every method throws as `KubeApi` does. */
export class LeaseClient {
  readonly #options: LeaseClientOptions;
  readonly #durationMs: number;

  constructor(options: LeaseClientOptions, durationMs: number) {
    this.#options = options;
    this.#durationMs = durationMs;
  }

  get(call: CallOptions): Promise<Lease> {
    const { api, namespace, name } = this.#options;
    return api.get<Lease>(leaseResource, namespace, name, call);
  }

  /** Creates the Lease, held by this process. */
  create(call: CallOptions): Promise<Lease> {
    const { api, namespace, name } = this.#options;
    const lease: Lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { namespace, name } };
    return api.create<Lease>(leaseResource, namespace, { ...lease, spec: this.#claimed(undefined) }, call);
  }

  /** Takes or renews `lease` for this process; a conflict if it was written since it was read. */
  claim(lease: Lease, call: CallOptions): Promise<Lease> {
    return this.#replace(lease, this.#claimed(lease.spec), call);
  }

  /** Gives `lease` back, so that another process can take it at once. */
  release(lease: Lease, call: CallOptions): Promise<Lease> {
    const renewTime = microTime(this.#options.clock.now());
    return this.#replace(lease, { ...lease.spec, holderIdentity: "", leaseDurationSeconds: 1, renewTime }, call);
  }

  isOurs({ spec }: Lease): boolean {
    return spec?.holderIdentity === this.#options.identity;
  }

  #replace(lease: Lease, spec: LeaseSpec, call: CallOptions): Promise<Lease> {
    const { api, namespace, name } = this.#options;
    return api.replace<Lease>(leaseResource, namespace, name, { ...lease, spec }, call);
  }

  #claimed(before: LeaseSpec | undefined): LeaseSpec {
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
}
