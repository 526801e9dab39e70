import { hostname } from "node:os";
import type { Kind } from "#src/kinds/kind.ts";
import { ownerHash } from "#src/kinds/marker.ts";
import { PerKind } from "#src/kinds/per-kind.ts";
import type { KubeClient } from "#src/kube/client.ts";
import { EventRecorder } from "#src/kube/event-recorder.ts";
import type { Leadership } from "#src/kube/leadership.ts";
import { Breaker } from "#src/reconcile/observe/breaker.ts";
import { CrdReads } from "#src/reconcile/observe/crd-reads.ts";
import { observeOrphans } from "#src/reconcile/observe/orphans.ts";
import { ReconcileStates } from "#src/reconcile/observe/reconcile-states.ts";
import type { Sources } from "#src/reconcile/observe/sources.ts";
import { Reconciler } from "#src/reconcile/reconciler.ts";
import { runResyncs } from "#src/reconcile/resync.ts";
import { everything } from "#src/reconcile/tenancy/boundary.ts";
import { singleTenant } from "#src/reconcile/tenancy/tenancy.ts";
import { UndeclaredAccess } from "#src/reconcile/undeclared/undeclared-access.ts";
import { connectWatchHandlers } from "#src/reconcile/watch-handlers.ts";
import { Controller } from "#src/runtime/controller.ts";
import { WorkerPool } from "#src/runtime/worker-pool.ts";
import type { Clock } from "#src/time/clock.ts";
import type { Caches } from "./caches.ts";
import type { Cluster } from "./cluster.ts";
import { connectPlatform, type PlatformConnection, readCredential } from "./connect-platform.ts";
import type { OperatorValues } from "./settings.ts";
import type { OperatorTelemetry } from "./telemetry.ts";

/** Running reconciles may finish for this long at shutdown, so that SIGTERM to exit takes less than 10 s. */
const drainMs = 5_000;
/** A silent watch is detected after 90 s; an event can be this late before the caches show it. */
const maxWatchDelayMs = 120_000;
/** The share of a kind's resources that must disappear at once, in addition to `--breaker-objects`. */
const breakerShare = 0.1;

export interface LeadOptions {
  readonly kinds: readonly Kind[];
  readonly values: OperatorValues;
  readonly kube: KubeClient;
  readonly caches: Caches;
  readonly cluster: Cluster;
  readonly leadership: Leadership;
  readonly telemetry: OperatorTelemetry;
  /** Aborted by `LeaderWork.stop`. */
  readonly lifetime: AbortController;
  readonly clock: Clock;
  readonly random: () => number;
}

export interface LeaderWork {
  /** Stops all work. @returns whether the Lease can be released: false if a POST of ours may still take effect. */
  stop(): Promise<boolean>;
}

/** Starts what only the leader runs: platform session, controllers, worker pool and resyncs. */
export async function lead(options: LeadOptions): Promise<LeaderWork> {
  const { kinds, values, leadership, telemetry, lifetime, clock, random } = options;
  const platform = connectPlatform(await readCredential(values), values.rootGroup, {
    collections: kinds.map(({ collection }) => collection),
    connections: values.workers,
    deadlineMs: values.platformTimeout,
    clock,
    signal: lifetime.signal,
    canWrite: () => leadership.held(),
    observe: (call, outcome, seconds) => telemetry.platformCall(call, outcome, seconds),
  });
  const base = createSources(options, platform);
  const breakerLimits = { objects: values.breakerObjects, share: breakerShare };
  const undeclared = new UndeclaredAccess({ sources: base, breakerLimits, confirmationOf: () => undefined });
  const sources: Sources = { ...base, undeclared };
  const controllers = createControllers(options, sources);
  const pool = new WorkerPool({ controllers: [...controllers.values()], workers: values.workers, clock });

  connectWatchHandlers(sources, breakerLimits, (kind, key, how) => controllers.get(kind).enqueue(key, how));
  telemetry.watchSources(sources, () => undeclared.counts());
  for (const [kind, controller] of controllers.entries())
    for (const key of sources.stores.get(kind).keys()) controller.enqueue(key, { priority: "low" });
  pool.start();
  const resyncs = runResyncs(
    {
      kinds,
      session: platform.session,
      roots: values.rootGroup,
      intervalMs: values.resync,
      clock,
      random,
      onListed: (kind, seconds) => telemetry.resynced(kind, seconds, observeOrphans(sources, kind)),
      onFailure: (kind, root, error) => telemetry.resyncFailed(kind, root, error),
      onComplete: async (session) => {
        for (const key of await undeclared.assess(session)) controllers.get("Group").enqueue(key, { priority: "low" });
      },
    },
    lifetime.signal,
  );

  return {
    stop: async () => {
      await pool.stop({ graceMs: leadership.signal.aborted ? 0 : drainMs });
      platform.session.posts.noteAbort();
      lifetime.abort(new Error("the operator is stopping"));
      await resyncs;
      await platform.close();
      return !platform.session.posts.mayStillTakeEffect;
    },
  };
}

/** Everything that a reconcile observes. */
function createSources(options: LeadOptions, platform: PlatformConnection): Omit<Sources, "undeclared"> {
  const { kinds, values, kube, caches, cluster, leadership, lifetime, clock } = options;
  const settleMs = values.platformTimeout + values.settleTime;
  const leadingSince = clock.monotonic();
  return {
    kinds,
    stores: caches,
    states: new PerKind(kinds, () => new ReconcileStates()),
    tenancy: singleTenant({
      name: "all",
      session: platform.session,
      boundary: everything({ roots: values.rootGroup, roles: values.allowedRole, namespaces: null }),
      identity: values.identity,
      credentialEpoch: platform.credentialEpoch,
      // A leader whose Lease expired may have had a request in flight; one that released its Lease did not.
      settledAt: leadership.acquired === "expired" ? leadingSince + settleMs : leadingSince,
    }),
    crds: new CrdReads(kube, clock, lifetime.signal),
    breaker: new Breaker(),
    owners: [ownerHash(cluster.ownerId), ...values.previousOwnerId.map((id) => ownerHash(id))],
    serviceAccountIssuer: cluster.serviceAccountIssuer,
    soleLeaderSince: leadership.acquired === "created" ? leadingSince : leadingSince + maxWatchDelayMs,
    settleMs,
    clock,
  };
}

/** One controller per kind; all of them share the reconciler. */
function createControllers(
  { kinds, kube, telemetry, clock, random }: LeadOptions,
  sources: Sources,
): PerKind<Controller> {
  const recorder = new EventRecorder({
    api: kube,
    controller: "iam.muster.dev/operator",
    instance: hostname(),
    clock,
    onDrop: (reason, events, error) => telemetry.eventsDropped(reason, events, error),
  });
  const reconciler = new Reconciler({ sources, kube, recorder, random, telemetry });
  return new PerKind(
    kinds,
    (kind) =>
      new Controller({
        name: kind.name.toLowerCase(),
        reconcile: (key, signal) => reconciler.reconcile(kind, key, signal),
        clock,
        random,
        metrics: telemetry.metrics,
        onFailure: (failure) => telemetry.reconcileFailed(failure),
      }),
  );
}
