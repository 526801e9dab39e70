import type { Endpoints, Kind, ServiceAccountTokens } from "#src/kinds/kind.ts";
import type { PerKind } from "#src/kinds/per-kind.ts";
import type { Governance, Tenancy } from "#src/reconcile/tenancy/tenancy.ts";
import type { Clock } from "#src/time/clock.ts";
import type { Breakers } from "./breakers.ts";
import type { CachedResource, ResourceStore } from "./cached-resource.ts";
import type { CrdReads } from "./crd-reads.ts";
import type { ObservedUndeclared } from "./observed-undeclared.ts";
import type { CodeStore } from "./issued-codes.ts";
import type { SecretSource } from "./secret-reads.ts";
import type { ReconcileStates } from "./reconcile-states.ts";

export type Stores = PerKind<ResourceStore>;

/** Knows what lies in groups and is not declared by any object. */
export interface UndeclaredSource {
  /**
   * What the object reports, and what it removes next; null if there is nothing to say about it yet.
   * @param uid the external resource that is, or is about to be, recorded in the status.
   */
  observe(cached: CachedResource, governance: Governance, uid: string | undefined): ObservedUndeclared | null;
  /** The keys of the Group objects in whose findings the last resync put the resource. */
  groupsThatReport(kind: Kind, uid: string): readonly string[];
  /** The removal of the resource was attempted. */
  recordRemoval(cached: CachedResource, uid: string, outcome: "removed" | "failed"): void;
}

/** The sources that an observation is read from: caches of Kubernetes and of the platform, and what the process remembers. */
export interface Sources {
  readonly kinds: readonly Kind[];
  readonly stores: Stores;
  readonly states: PerKind<ReconcileStates>;
  readonly tenancy: Tenancy;
  readonly crds: CrdReads;
  readonly secrets: SecretSource;
  readonly codes: CodeStore;
  readonly breakers: Breakers;
  readonly undeclared: UndeclaredSource;
  /** The cluster's owner id, which operators of every class share. */
  readonly ownerId: string;
  /** Hashes of the owner id and the class: the current one first, then the previous ones. */
  readonly owners: readonly [string, ...string[]];
  readonly serviceAccounts: ServiceAccountTokens;
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
