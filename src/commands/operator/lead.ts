import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { confirmAnnotation } from "#src/api/annotations.ts";
import type { Proxies } from "#src/http/proxies.ts";
import type { Kind } from "#src/kinds/kind.ts";
import { PerKind } from "#src/kinds/per-kind.ts";
import type { KubeClient } from "#src/kube/client.ts";
import { EventRecorder } from "#src/kube/event-recorder.ts";
import { keyOf } from "#src/kube/object.ts";
import type { Leadership } from "#src/kube/leadership.ts";
import type { Enqueue } from "#src/reconcile/wake/enqueue.ts";
import type { TenantObservationSources } from "#src/reconcile/observe/observe-tenant.ts";
import type { ResourceStores } from "#src/reconcile/observe/resource-stores.ts";
import { isUnhandled } from "#src/reconcile/observe/unhandled.ts";
import { runExpiryChecks } from "#src/reconcile/expiry-checks.ts";
import { TenantReconciler, type TenantReconcilerOptions } from "#src/reconcile/tenant-reconciler.ts";
import { OperatorCore } from "#src/reconcile/operator-core.ts";
import { LiveTenancy } from "#src/reconcile/tenancy/live-tenancy.ts";
import type { TenancyStores } from "#src/reconcile/tenancy/tenancy-stores.ts";
import type { TenantSessions } from "#src/reconcile/tenancy/tenant-sessions.ts";
import { connectTenantHandlers } from "#src/reconcile/tenant-handlers.ts";
import { ownerOf } from "#src/platform-client/owner-record.ts";
import type { PlatformSession } from "#src/platform-client/session.ts";
import { Controller } from "#src/runtime/controller.ts";
import { WorkerPool } from "#src/runtime/worker-pool.ts";
import type { Tracer } from "#src/telemetry/tracer.ts";
import type { Clock } from "#src/time/clock.ts";
import type { Cluster } from "./cluster.ts";
import { PlatformConnection, readPlatformAddress } from "./connect-platform.ts";
import { releaseMemory } from "./release-memory.ts";
import { settleTimes } from "./earlier-leader.ts";
import { watchCredentials } from "./credential-metrics.ts";
import { createSessionChecks, createSessions, startSessionWork } from "./live-sessions.ts";
import { breakerLimitsOf, governingFacts, outerBoundOf } from "./governing-facts.ts";
import type { ServiceAccountKeys } from "./service-account-keys.ts";
import type { OperatorValues } from "./settings.ts";
import type { OperatorTelemetry } from "./telemetry.ts";
import { tenantResource } from "./tenancy-caches.ts";

/** Running reconciles may finish for this long at shutdown, so that SIGTERM to exit takes less than 10 s. */
const drainMs = 5_000;

export interface LeadOptions {
  readonly kinds: readonly Kind[];
  readonly values: OperatorValues;
  /** Absent: the platform is called directly. */
  readonly proxies: Proxies | undefined;
  readonly kube: KubeClient;
  readonly caches: ResourceStores;
  readonly tenancyCaches: TenancyStores;
  /** The operator's own namespace. */
  readonly namespace: string;
  readonly cluster: Cluster;
  /** Undefined if the platform discovers the keys. */
  readonly serviceAccountKeys: ServiceAccountKeys | undefined;
  readonly leadership: Leadership;
  readonly telemetry: OperatorTelemetry;
  readonly tracer: Tracer | undefined;
  /** Aborted by `LeaderWork.stop`. */
  readonly lifetime: AbortController;
  readonly clock: Clock;
  readonly random: () => number;
}

export interface LeaderWork {
  /** Stops all work. @returns whether the Lease can be released: false if a write of ours may still take effect on what others create. */
  stop(): Promise<boolean>;
}

/** Starts what only the leader runs: sessions of the platform, controllers, worker pool, checks and resyncs. */
export async function lead(options: LeadOptions): Promise<LeaderWork> {
  const { kinds, values, proxies, kube, namespace, cluster, leadership, telemetry, lifetime, clock, random } = options;
  const address = await readPlatformAddress(values, proxies);
  const platform = new PlatformConnection(address, {
    collections: kinds.map(({ collection }) => collection),
    connections: values.workers,
    deadlineMs: values.platformTimeout,
    clock,
    random,
    canWrite: () => leadership.held(),
    settleMs: values.platformTimeout + values.settleTime,
    observe: (call, outcome, seconds) => telemetry.platformCall(call, outcome, seconds),
    tracer: options.tracer,
  });
  const owner = ownerOf(cluster.ownerId, values.class);
  const { sessions, ownerCheck } = createSessions({
    values,
    kube,
    namespace,
    platform,
    address,
    owner,
    signal: lifetime.signal,
  });
  const { core, tenancy } = createCore(options, sessions, (kind, key, how) => controllers.get(kind).enqueue(key, how));
  const { sources, undeclared } = core;
  const controllers = createControllers(options, core, (one) => tenancy.tenantsOf(one));
  const orphans = new Map<string, readonly string[]>();
  const enqueueTenantsOf = (session: PlatformSession) => {
    for (const context of tenancy.contexts)
      if (context.session === session) tenants.enqueue(context.name, { priority: "low" });
  };
  const checks = createSessionChecks({
    kinds,
    tenancy,
    values,
    sessions,
    telemetry,
    clock,
    random,
    onReport: enqueueTenantsOf,
  });
  const tenants = createTenantController(options, {
    sources,
    tenancy,
    tenants: options.tenancyCaches.tenants,
    outer: outerBoundOf(values),
    owner,
    ownerCheck,
    reportOf: (session) => checks.reportOf(session),
    orphans: () => (orphans.size < kinds.length ? null : [...orphans.values()].flat()),
    undeclared: (tenant) => undeclared.shareOf(tenant),
    abandoned: (tenant) => telemetry.abandonedIn(tenant),
    onConfirmed: (kind, uids) => {
      for (const uid of uids)
        for (const claimant of sources.stores.get(kind).index("claims", uid))
          controllers.get(kind).enqueue(keyOf(claimant), {});
    },
    onConfirmation: (tenant, id) => {
      for (const key of undeclared.groupsHeldBy(tenant, id)) controllers.get("Group").enqueue(key, {});
    },
  });
  const all = [...controllers.values(), tenants];
  let isReleased = false;
  const onIdle = () => {
    if (isReleased || !kinds.every(({ name }) => options.caches.get(name).synced)) return;
    // Every object has been observed once: the lists of both sides are garbage now.
    isReleased = true;
    releaseMemory();
  };
  const pool = new WorkerPool({ controllers: all, workers: values.workers, clock, onIdle });

  connectTenantHandlers(options.tenancyCaches.tenants, sources, (key, how) => tenants.enqueue(key, how));
  const served = { tenants: options.tenancyCaches.tenants, class: values.class ?? "" };
  telemetry.watchSources(sources, served, undeclared);
  watchCredentials(telemetry.metrics, sessions, clock);
  telemetry.metrics.resyncInterval.set(values.resync / 1000);
  telemetry.metrics.onScrape(() => {
    for (const { name, queue } of all) telemetry.metrics.queueAges(name, queue.ages());
  });
  for (const [kind, controller] of controllers.entries()) {
    const store = sources.stores.get(kind);
    for (const cached of store.values())
      controller.enqueue(keyOf(cached), { priority: isUnhandled(cached) ? "high" : "low" });
    store.onSynced(() => {
      if (!lifetime.signal.aborted) pool.start(controller);
    });
  }
  pool.start(tenants);
  options.serviceAccountKeys?.onChange(() => {
    for (const kind of kinds)
      for (const cached of sources.stores.get(kind.name).values())
        if (
          cached.invalid === undefined &&
          kind.principal?.authentication(cached.resource).serviceAccountRef !== undefined
        )
          controllers.get(kind.name).enqueue(keyOf(cached), {});
  });
  const onOrphans = (kind: Kind, uids: readonly string[]) => void orphans.set(kind.name, uids);
  const expiries = runExpiryChecks(
    { kinds, stores: sources.stores, clock, enqueue: (kind, key, how) => controllers.get(kind).enqueue(key, how) },
    lifetime.signal,
  );
  const work = startSessionWork({
    kinds,
    values,
    sessions,
    core,
    telemetry,
    checks,
    onOrphans,
    onResynced: enqueueTenantsOf,
    clock,
    random,
  });

  return {
    stop: async () => {
      const graceMs = leadership.signal.aborted ? 0 : drainMs;
      const end = () => {
        platform.posts.noteAbort();
        lifetime.abort(new Error("the operator is stopping"));
      };
      const drained = pool.stop({ graceMs });
      // Reconciles wait for calls to the platform, which are not aborted with them.
      const cancel = clock.setTimer(end, graceMs);
      await drained;
      cancel();
      end();
      await platform.close();
      await Promise.all([work.ended(), expiries]);
      return !platform.posts.mayStillTakeEffect(clock.monotonic());
    },
  };
}

/** What observes, decides and performs, and the Tenants that it does so for. */
function createCore(
  options: LeadOptions,
  sessions: TenantSessions,
  enqueue: Enqueue,
): { readonly core: OperatorCore; readonly tenancy: LiveTenancy } {
  const { kinds, values, kube, caches, tenancyCaches, cluster, leadership, lifetime, clock } = options;
  const settleMs = values.platformTimeout + values.settleTime;
  const { settledAt, soleLeaderSince } = settleTimes(leadership.acquired, caches, clock.monotonic(), settleMs);
  const tenancy = new LiveTenancy({
    ...tenancyCaches,
    sessions,
    outer: outerBoundOf(values),
    class: values.class ?? "",
    settledAt,
  });
  const recorder = new EventRecorder({
    api: kube,
    controller: "iam.muster.dev/operator",
    instance: hostname(),
    clock,
    onDrop: (reason, events, error) => options.telemetry.eventsDropped(reason, events, error),
  });
  const core = new OperatorCore({
    ...governingFacts(values, cluster, () => options.serviceAccountKeys?.uploaded),
    kinds,
    stores: caches,
    tenancy,
    kube,
    newBreakerId: () => randomUUID().slice(0, 8),
    breakerLimits: breakerLimitsOf(values),
    confirmationOf: (tenant) => tenancyCaches.tenants.get(tenant)?.metadata.annotations?.[confirmAnnotation],
    soleLeaderSince,
    settleMs,
    clock,
    signal: lifetime.signal,
    recorder,
    random: options.random,
    telemetry: options.telemetry,
    tracer: options.tracer,
    enqueue,
  });
  return { core, tenancy };
}

/** The controller of Tenants. */
function createTenantController(
  { kube, tenancyCaches, values, telemetry, tracer, clock, random }: LeadOptions,
  observed: TenantObservationSources & Pick<TenantReconcilerOptions, "onConfirmed" | "onConfirmation">,
): Controller {
  const reconciler = new TenantReconciler({
    ...observed,
    namespaces: tenancyCaches.namespaces,
    resource: tenantResource,
    class: values.class ?? "",
    kube,
  });
  return new Controller({
    name: "tenant",
    reconcile: (key, signal) => reconciler.reconcile(key, signal),
    clock,
    random,
    metrics: telemetry.metrics,
    tracer,
    onFailure: (failure) => telemetry.reconcileFailed(failure),
  });
}

/**
 * One controller per kind; all of them share the reconciler. Tenants take turns, so that the many objects of one of them do not
 * delay the edit of another.
 */
function createControllers(
  { kinds, telemetry, tracer, clock, random }: LeadOptions,
  { reconciler }: OperatorCore,
  tenantsOf: (namespace: string) => readonly string[],
): PerKind<Controller> {
  return new PerKind(
    kinds,
    (kind) =>
      new Controller({
        name: kind.name.toLowerCase(),
        reconcile: (key, signal, observes) => reconciler.reconcile(kind, key, signal, observes),
        clock,
        random,
        metrics: telemetry.metrics,
        tracer,
        lineOf: (key) => tenantsOf(key.slice(0, key.indexOf("/"))).join(),
        onFailure: (failure) => telemetry.reconcileFailed(failure),
      }),
  );
}
