import type { Endpoints, Kind } from "#src/kinds/kind.ts";
import type { PerKind } from "#src/kinds/per-kind.ts";
import type { Tenancy } from "#src/reconcile/tenancy/tenancy.ts";
import type { Clock } from "#src/time/clock.ts";
import type { Breakers } from "./breakers.ts";
import type { ResourceStore } from "./cached-resource.ts";
import type { CrdReads } from "./crd-reads.ts";
import type { ReconcileStates } from "./reconcile-states.ts";

export type Stores = PerKind<ResourceStore>;

/** The sources that an observation is read from: caches of Kubernetes and of the platform, and what the process remembers. */
export interface Sources {
  readonly kinds: readonly Kind[];
  readonly stores: Stores;
  readonly states: PerKind<ReconcileStates>;
  readonly tenancy: Tenancy;
  readonly crds: CrdReads;
  readonly breakers: Breakers;
  /** Hashes of the owner id: the current one first, then the previous ones. */
  readonly owners: readonly [string, ...string[]];
  /** The issuer of the cluster's service-account tokens. */
  readonly serviceAccountIssuer: string;
  /** Issuers at which anybody can have an account, in addition to the built-in list. */
  readonly publicIssuers: readonly string[];
  /** What a client needs to know of the platform to exchange a token. */
  readonly endpoints: Endpoints;
  /** From this time on, an object that the watch reports as new was not seen by a previous leader, however late the watch is. */
  readonly soleLeaderSince: number;
  /** How long after it was sent a request may still take effect, in milliseconds. */
  readonly settleMs: number;
  readonly clock: Clock;
}
