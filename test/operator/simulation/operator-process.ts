import type { Kind, ServiceAccountTokens } from "#src/kinds/kind.ts";
import { settleTimes } from "#src/commands/operator/earlier-leader.ts";
import { tenantResource } from "#src/commands/operator/tenancy-caches.ts";
import type { KubeApi } from "#src/kube/api.ts";
import type { KubeObject } from "#src/kube/object.ts";
import type { Acquisition } from "#src/kube/leadership.ts";
import type { Clock } from "#src/time/clock.ts";
import type { PlatformApi } from "#src/platform-client/api.ts";
import { PostLedger } from "#src/platform-client/post-ledger.ts";
import { GovernedApi } from "#src/platform-client/governed-api.ts";
import { PlatformSession } from "#src/platform-client/session.ts";
import { observeOrphans } from "#src/reconcile/observe/orphans.ts";
import { newResourceStores, type ResourceStores } from "#src/reconcile/observe/resource-stores.ts";
import { ownerHash } from "#src/kinds/marker.ts";
import { PerKind } from "#src/kinds/per-kind.ts";
import type { Observed } from "#src/reconcile/observe/observed.ts";
import type { Boundary } from "#src/reconcile/tenancy/boundary.ts";
import { everything } from "#src/reconcile/tenancy/boundary.testing.ts";
import { singleTenant } from "#src/reconcile/tenancy/single-tenant.testing.ts";
import { connectTenantHandlers } from "#src/reconcile/tenant-handlers.ts";
import { TenantReconciler } from "#src/reconcile/tenant-reconciler.ts";
import { OwnerCheck } from "#src/platform-client/owner-check.ts";
import type { Step } from "#src/reconcile/policy/step.ts";
import { OperatorCore } from "#src/reconcile/operator-core.ts";
import { Controller } from "#src/runtime/controller.ts";
import { WorkerPool } from "#src/runtime/worker-pool.ts";
import { LiveTenants } from "./live-tenants.ts";
import { MemoryCredential } from "./memory-credential.ts";
import type { MemoryKube } from "./memory-kube.ts";
import { allowedRoles, type MemoryPlatform, operatorIdentity, root } from "./memory-platform.ts";

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
  readonly acquired: Acquisition;
  /** Called when a call starts. @returns the number of the call in the whole scenario. */
  readonly onCall: () => number;
  readonly crash: CrashPoint | undefined;
  /** What the Tenant permits, where it differs from everything within the root. */
  readonly boundary?: Partial<Boundary>;
  /** The identities for emergencies that the Tenant lists; by default none. */
  readonly breakGlass?: readonly string[];
  /** Serve the Tenants of the cluster. By default, one that permits everything governs all namespaces. */
  readonly liveTenants?: boolean;
  /** The owner id; by default `cluster`. */
  readonly ownerId?: string;
  /** Write only while the operator's identity on the platform records the owner id. By default, that is not checked. */
  readonly checksOwner?: boolean;
  /** The service-account tokens of the cluster; by default, the platform discovers their keys. */
  readonly serviceAccounts?: ServiceAccountTokens;
  /** The Tenant's annotation `iam.muster.dev/confirm`. */
  readonly confirmation?: () => string | undefined;
  readonly onEvent?: (reason: string, name: string) => void;
  /** Called after each step that was performed, with the observation that it was decided from. */
  readonly onStep?: (observed: Observed, step: Step) => void;
}

/** The components of the operator, connected as by `muster operator`, with doubles of Kubernetes and the platform. */
export class OperatorProcess {
  readonly #core: OperatorCore;
  /** The errors of failed reconciles. */
  readonly failures: unknown[] = [];
  readonly #lifetime = new AbortController();
  readonly #stores: ResourceStores;
  readonly #pool: WorkerPool;
  readonly #controllers: PerKind<Controller>;
  readonly #posts = new PostLedger(settleMs);
  readonly #ownerCheck: OwnerCheck;
  readonly #live: LiveTenants | undefined;
  readonly #tenants: Controller | undefined;
  readonly #stopWatch: () => void;
  readonly #options: ProcessOptions;
  #dead = false;
  /** While true, the watches deliver nothing, and what happened meanwhile is lost: only a list shows it. */
  deaf = false;
  reconciles = 0;
  /** How many status writes were forbidden. */
  forbiddenStatuses = 0;

  constructor(options: ProcessOptions) {
    const { kinds, kube, clock, acquired, onEvent, onStep } = options;
    this.#options = options;
    this.#ownerCheck = new OwnerCheck({
      api: this.#governed(options.platform, this.#lifetime.signal),
      identity: operatorIdentity,
      owner: options.ownerId ?? "cluster",
      clock,
      signal: this.#lifetime.signal,
    });
    const stores = newResourceStores(kinds);
    this.#stores = stores;
    for (const [kind, store] of stores.entries()) {
      store.addScope(undefined);
      if (!kube.unreadable.has(kind)) this.list(kind);
    }
    this.#stopWatch = kube.watch((event) => {
      if (this.deaf) return;
      if (event.object.metadata.namespace === undefined) {
        this.#live?.apply(event);
        return;
      }
      const store = stores.get(event.object.kind);
      if (store.synced) store.apply(event);
    });
    const since = clock.monotonic();
    const gatedKube = this.#gated(kube) as KubeApi;
    const events = { create: (about: KubeObject, created: () => void) => kube.createEvent(about).then(created) };
    const gatedEvents = this.#gated(events) as typeof events;
    const operator = this.#openSession(operatorIdentity, [root], this.#lifetime.signal);
    const { settledAt } = settleTimes(acquired, stores, since, settleMs);
    const outer = { roots: [root], roles: allowedRoles, namespaces: null };
    this.#live =
      options.liveTenants === true
        ? new LiveTenants({
            kube,
            operator: { ...operator, identity: operatorIdentity, roots: [root] },
            open: (_tenant, { identity, roots }, signal) => this.#openSession(identity, roots, signal),
            outer,
            settledAt,
            signal: this.#lifetime.signal,
          })
        : undefined;
    this.#core = new OperatorCore({
      kinds,
      stores,
      tenancy:
        this.#live?.tenancy ??
        singleTenant(
          {
            ...operator,
            name: "all",
            boundary: { ...everything(outer), adopt: kinds.map(({ name }) => name), ...options.boundary },
            identity: operatorIdentity,
            settledAt,
          },
          options.breakGlass,
        ),
      kube: gatedKube,
      newBreakerId: () => `opening at ${clock.monotonic()}`,
      breakerLimits: { objects: 20, share: 0.1 },
      confirmationOf: () => options.confirmation?.(),
      ownerId: options.ownerId ?? "cluster",
      owners: [ownerHash(options.ownerId ?? "cluster")] as const,
      serviceAccounts: options.serviceAccounts ?? { issuer: "https://issuer.example", audience: "auth.example" },
      publicIssuers: [],
      endpoints: {
        authUrl: "https://auth.example",
        platformUrl: "https://api.example",
        defaultAudience: "auth.example",
      },
      soleLeaderSince: settledAt,
      settleMs,
      clock,
      signal: this.#lifetime.signal,
      recorder: {
        record: (object, { reason }) => onEvent?.(reason, object.metadata.name),
        write: async (object, { reason }) => {
          await gatedEvents.create(object, () => onEvent?.(reason, object.metadata.name));
        },
      },
      random: () => 0.5,
      enqueue: (kind, key, how) => this.#controllers.get(kind).enqueue(key, how),
      telemetry: {
        performed: (observed, step) => onStep?.(observed, step),
        decided: () => undefined,
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
          reconcile: (key, signal, observes) => {
            this.reconciles += 1;
            return this.#core.reconciler.reconcile(kind, key, signal, observes);
          },
          clock,
          random: () => 0.5,
          onFailure: ({ error }) => {
            if (!this.#dead) this.failures.push(error);
          },
        }),
    );
    this.#tenants = this.#live && this.#createTenantController(this.#live, gatedKube);
    const controllers = [...this.#controllers.values(), ...(this.#tenants === undefined ? [] : [this.#tenants])];
    this.#pool = new WorkerPool({ controllers, workers: 4, clock });
    if (this.#live !== undefined && this.#tenants !== undefined) {
      const tenants = this.#tenants;
      connectTenantHandlers(this.#live.tenants, this.sources, (tenant, how) => tenants.enqueue(tenant, how));
      this.#pool.start(this.#tenants);
    }
    this.reconcileAll();
    for (const [kind, controller] of this.#controllers.entries())
      stores.get(kind).onSynced(() => this.#pool.start(controller));
  }

  /** Lists everything again, as after 410 Gone, and watches from there. Each reflector does so by itself, in any order. */
  async relist(order: readonly string[], gapMs: number): Promise<void> {
    for (const kind of order) {
      if (kind === "Tenant" || kind === "Namespace") this.#live?.list(this.#options.kube, kind);
      else this.list(kind);
      await this.#options.clock.sleep(gapMs, this.#lifetime.signal).catch(() => undefined);
    }
    this.deaf = false;
    // What changed in the gaps arrives with the watch, which resumes from the version of the list.
    for (const kind of order)
      if (kind === "Tenant" || kind === "Namespace") this.#live?.list(this.#options.kube, kind);
      else this.list(kind);
  }

  /** Lists the objects of a kind, as a reflector does when it starts and when a kind becomes readable. */
  list(kind: string): void {
    const { kube } = this.#options;
    this.#stores.get(kind).replace({
      namespace: undefined,
      objects: structuredClone(kube.objects().filter((object) => object.kind === kind)),
      resourceVersion: kube.version,
      versionAtStart: "0",
    });
  }

  get sources(): OperatorCore["sources"] {
    return this.#core.sources;
  }

  get undeclared(): OperatorCore["undeclared"] {
    return this.#core.undeclared;
  }

  get dead(): boolean {
    return this.#dead;
  }

  /** Reconciles every object. */
  reconcileAll(): void {
    for (const [kind, controller] of this.#controllers.entries())
      for (const key of this.sources.stores.get(kind).keys()) controller.enqueue(key, { priority: "low" });
  }

  /** One resync of every session: lists the platform. */
  async resync(): Promise<void> {
    for (const session of this.sources.tenancy.sessions)
      await this.#core.resync(session, {
        onListed: () => undefined,
        onFailure: (_kind, _root, error) => this.failures.push(error),
      });
  }

  #openSession(identity: string, roots: readonly string[], signal: AbortSignal) {
    const { platform, kinds, clock, checksOwner } = this.#options;
    const credentialEpoch = () => platform.credentialEpoch;
    const session = new PlatformSession({
      api: this.#governed(this.#gated(new MemoryCredential(platform, identity)) as PlatformApi, signal),
      identity,
      roots,
      credentialEpoch,
      collections: kinds.map(({ collection }) => collection),
      posts: this.#posts,
      ...(checksOwner === true ? { owner: this.#ownerCheck } : {}),
      clock,
      signal,
      canWrite: () => true,
    });
    return { session, credentialEpoch };
  }

  #governed(api: PlatformApi, signal: AbortSignal): GovernedApi {
    const { clock } = this.#options;
    return new GovernedApi(api, { address: "the platform", probedGroup: root, clock, random: () => 0.5, signal });
  }

  #createTenantController({ tenants, namespaces, tenancy }: LiveTenants, kube: KubeApi): Controller {
    const { clock } = this.#options;
    const reconciler = new TenantReconciler({
      resource: tenantResource,
      namespaces,
      class: "",
      kube,
      tenants,
      sources: this.sources,
      tenancy,
      outer: { roots: [root], roles: allowedRoles, namespaces: null },
      owner: "cluster",
      ownerCheck: this.#ownerCheck,
      reportOf: () => ({ is: "checked", unreadableRoots: [], missingCapabilities: [] }),
      orphans: () => this.orphans(),
      undeclared: (tenant) => this.undeclared.shareOf(tenant),
      abandoned: () => 0,
      onConfirmed: () => undefined,
      onConfirmation: () => undefined,
    });
    return new Controller({
      name: "tenant",
      reconcile: (key, signal) => reconciler.reconcile(key, signal),
      clock,
      random: () => 0.5,
      onFailure: ({ error }) => {
        if (!this.#dead) this.failures.push(error);
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
