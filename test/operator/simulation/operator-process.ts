import type { Kind } from "#src/kinds/kind.ts";
import type { KubeApi } from "#src/kube/api.ts";
import type { Clock } from "#src/time/clock.ts";
import { Store } from "#src/kube/store.ts";
import type { PlatformApi } from "#src/platform-client/api.ts";
import { PostLedger } from "#src/platform-client/post-ledger.ts";
import { GovernedApi } from "#src/platform-client/governed-api.ts";
import { PlatformSession } from "#src/platform-client/session.ts";
import { Breakers } from "#src/reconcile/observe/breakers.ts";
import { CrdReads } from "#src/reconcile/observe/crd-reads.ts";
import { observeOrphans } from "#src/reconcile/observe/orphans.ts";
import { resyncOnce } from "#src/reconcile/resync.ts";
import {
  type CachedResource,
  parseResource,
  type ResourceIndex,
  resourceIndexes,
} from "#src/reconcile/observe/cached-resource.ts";
import { ownerHash } from "#src/kinds/marker.ts";
import { PerKind } from "#src/kinds/per-kind.ts";
import { ReconcileStates } from "#src/reconcile/observe/reconcile-states.ts";
import type { Observed } from "#src/reconcile/observe/observed.ts";
import type { Sources } from "#src/reconcile/observe/sources.ts";
import { type Boundary, everything } from "#src/reconcile/tenancy/boundary.ts";
import { singleTenant } from "#src/reconcile/tenancy/tenancy.ts";
import type { Step } from "#src/reconcile/policy/step.ts";
import { Reconciler } from "#src/reconcile/reconciler.ts";
import { UndeclaredAccess } from "#src/reconcile/undeclared/undeclared-access.ts";
import { connectWatchHandlers } from "#src/reconcile/watch-handlers.ts";
import { Controller } from "#src/runtime/controller.ts";
import { WorkerPool } from "#src/runtime/worker-pool.ts";
import { type MemoryKube, namespace } from "./memory-kube.ts";
import { type MemoryPlatform, operatorIdentity, root } from "./memory-platform.ts";

export const settleMs = 15_000;

/**
 * A point at which a process can die: just before a call takes effect, just after, or so that the call takes effect only
 * when another process is already the leader.
 */
export interface CrashPoint {
  readonly call: number;
  readonly when: (typeof crashMoments)[number];
}
export const crashMoments = ["before", "after", "long before"] as const;

/** How long a Lease takes to expire after its holder was killed. */
export const leaseMs = 15_000;
/** How long after the death of its sender a request takes effect: within the settle time of the next process. */
const lateMs = leaseMs + settleMs - 2_000;

export interface ProcessOptions {
  readonly kinds: readonly Kind[];
  readonly kube: MemoryKube;
  readonly platform: MemoryPlatform;
  readonly clock: Clock;
  readonly acquired: "created" | "expired";
  /** Called when a call starts. @returns the number of the call in the whole scenario. */
  readonly onCall: () => number;
  readonly crash: CrashPoint | undefined;
  /** What the Tenant permits, where it differs from everything within the root. */
  readonly boundary?: Partial<Boundary>;
  /** The Tenant's annotation `iam.muster.dev/confirm`. */
  readonly confirmation?: () => string | undefined;
  readonly onEvent?: (reason: string, name: string) => void;
  /** Called after each step that was performed, with the observation that it was decided from. */
  readonly onStep?: (observed: Observed, step: Step) => void;
}

/** The components of the operator, connected as by `muster operator`, with doubles of Kubernetes and the platform. */
export class OperatorProcess {
  readonly sources: Sources;
  /** The errors of failed reconciles. */
  readonly failures: unknown[] = [];
  readonly #lifetime = new AbortController();
  readonly #stores: PerKind<Store<CachedResource, ResourceIndex>>;
  readonly #pool: WorkerPool;
  readonly #controllers: PerKind<Controller>;
  readonly #session: PlatformSession;
  readonly #undeclared: UndeclaredAccess;
  readonly #stopWatch: () => void;
  readonly #options: ProcessOptions;
  #dead = false;
  reconciles = 0;
  /** How many status writes were forbidden. */
  forbiddenStatuses = 0;

  constructor(options: ProcessOptions) {
    const { kinds, kube, platform, clock, acquired, onEvent, onStep } = options;
    this.#options = options;
    const stores = new PerKind(
      kinds,
      (kind) =>
        new Store<CachedResource, ResourceIndex>({
          parse: (object) => parseResource(kind, object),
          indexes: resourceIndexes(kind),
        }),
    );
    this.#stores = stores;
    for (const [kind, store] of stores.entries()) {
      store.addScope(namespace);
      if (!kube.unreadable.has(kind)) this.list(kind);
    }
    this.#stopWatch = kube.watch((event) => {
      const store = stores.get(event.object.kind);
      if (store.synced) store.apply(structuredClone(event));
    });
    const since = clock.monotonic();
    const gatedKube = this.#gated(kube) as KubeApi;
    this.#session = new PlatformSession({
      api: new GovernedApi(this.#gated(platform) as PlatformApi, {
        probedGroup: root,
        clock,
        random: () => 0.5,
        signal: this.#lifetime.signal,
      }),
      identity: operatorIdentity,
      roots: [root],
      credentialEpoch: () => platform.credentialEpoch,
      collections: kinds.map(({ collection }) => collection),
      posts: new PostLedger(settleMs),
      clock,
      signal: this.#lifetime.signal,
      canWrite: () => true,
    });
    const base = {
      kinds,
      stores,
      states: new PerKind(kinds, () => new ReconcileStates()),
      tenancy: singleTenant({
        name: "all",
        session: this.#session,
        boundary: {
          ...everything({ roots: [root], roles: ["viewer"], namespaces: null }),
          adopt: kinds.map(({ name }) => name),
          ...options.boundary,
        },
        identity: operatorIdentity,
        credentialEpoch: () => platform.credentialEpoch,
        settledAt: acquired === "expired" ? since + settleMs : since,
      }),
      crds: new CrdReads(gatedKube, clock, this.#lifetime.signal),
      breakers: new Breakers(() => `opening at ${clock.monotonic()}`),
      owners: [ownerHash("cluster")] as const,
      serviceAccountIssuer: "https://issuer.example",
      publicIssuers: [],
      endpoints: { authUrl: "https://auth.example", platformUrl: "https://api.example" },
      soleLeaderSince: acquired === "expired" ? since + settleMs : since,
      settleMs,
      clock,
    };
    this.#undeclared = new UndeclaredAccess({
      sources: base,
      breakerLimits: { objects: 20, share: 0.1 },
      confirmationOf: () => options.confirmation?.(),
    });
    this.sources = { ...base, undeclared: this.#undeclared };
    const reconciler = new Reconciler({
      sources: this.sources,
      kube: gatedKube,
      recorder: { record: (object, { reason }) => onEvent?.(reason, object.metadata.name) },
      random: () => 0.5,
      enqueue: (kind, key, how) => this.#controllers.get(kind).enqueue(key, how),
      telemetry: {
        performed: (observed, step) => onStep?.(observed, step),
        failed: () => undefined,
        refused: (_observed, step) => {
          if (step.do === "writeStatus") this.forbiddenStatuses += 1;
        },
      },
    });
    this.#controllers = new PerKind(
      kinds,
      (kind) =>
        new Controller({
          name: kind.name,
          reconcile: (key, signal) => {
            this.reconciles += 1;
            return reconciler.reconcile(kind, key, signal);
          },
          clock,
          random: () => 0.5,
          onFailure: ({ error }) => {
            if (!this.#dead) this.failures.push(error);
          },
        }),
    );
    this.#pool = new WorkerPool({ controllers: [...this.#controllers.values()], workers: 4, clock });
    connectWatchHandlers(this.sources, { objects: 20, share: 0.1 }, (kind, key, how) =>
      this.#controllers.get(kind).enqueue(key, how),
    );
    this.reconcileAll();
    for (const [kind, controller] of this.#controllers.entries())
      stores.get(kind).onSynced(() => this.#pool.start(controller));
  }

  /** Lists the objects of a kind, as a reflector does when it starts and when a kind becomes readable. */
  list(kind: string): void {
    const { kube } = this.#options;
    this.#stores.get(kind).replace({
      namespace,
      objects: structuredClone(kube.objects().filter((object) => object.kind === kind)),
      resourceVersion: kube.version,
      versionAtStart: "0",
    });
  }

  get undeclared(): UndeclaredAccess {
    return this.#undeclared;
  }

  get dead(): boolean {
    return this.#dead;
  }

  /** Reconciles every object. */
  reconcileAll(): void {
    for (const [kind, controller] of this.#controllers.entries())
      for (const key of this.sources.stores.get(kind).keys()) controller.enqueue(key, { priority: "low" });
  }

  /** One resync: lists the platform. */
  async resync(): Promise<void> {
    const { kinds, clock } = this.#options;
    await resyncOnce({
      kinds,
      session: this.#session,
      roots: [root],
      intervalMs: 0,
      clock,
      random: () => 0.5,
      onListed: () => undefined,
      onFailure: (_kind, _root, error) => this.failures.push(error),
      onComplete: async (session) => {
        for (const key of await this.#undeclared.assess(session))
          this.#controllers.get("Group").enqueue(key, { priority: "low" });
      },
    });
  }

  /** The uids that a resync would report as orphans. */
  orphans(): string[] {
    return this.sources.kinds.flatMap((kind) => observeOrphans(this.sources, kind));
  }

  /** Like SIGKILL: no call is finished, and the lease is not released. */
  kill(): void {
    this.#dead = true;
    this.#stopWatch();
    this.#lifetime.abort(new Error("killed"));
    void this.#pool.stop({ graceMs: 0 });
  }

  /** `api`, with calls that never return once the process is dead, and one that kills it. */
  #gated(api: object): object {
    return new Proxy(api, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== "function") return method;
        return async (...parameters: unknown[]) => {
          const call = this.#dead ? -1 : this.#options.onCall();
          if (this.#endsAt(call, "before")) return never;
          if (this.#endsAt(call, "long before")) {
            const applyLate = () => void Promise.allSettled([Reflect.apply(method, target, parameters) as unknown]);
            this.#options.clock.setTimer(applyLate, lateMs);
            return never;
          }
          const outcome = await Promise.allSettled([Reflect.apply(method, target, parameters) as Promise<unknown>]);
          if (this.#endsAt(call, "after")) return never;
          if (outcome[0].status === "rejected") throw outcome[0].reason;
          return outcome[0].value;
        };
      },
    });
  }

  #endsAt(call: number, when: CrashPoint["when"]): boolean {
    const { crash } = this.#options;
    if (!this.#dead && crash?.call === call && crash.when === when) this.kill();
    return this.#dead;
  }
}

const never: Promise<never> = new Promise(() => undefined);
