import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { randomUUID } from "node:crypto";
import type { KindName } from "#src/api/resource.ts";
import { kinds } from "#src/kinds/kinds.ts";
import { KubeClient } from "#src/kube/client.ts";
import { systemClock as clock } from "#src/time/clock.ts";
import { readConnection } from "#src/kube/config.ts";
import { EventRecorder } from "#src/kube/events.ts";
import { acquireLease, type Leadership } from "#src/kube/lease.ts";
import { Reflector } from "#src/kube/reflector.ts";
import { Store } from "#src/kube/store.ts";
import { serveHealth } from "#src/telemetry/health.ts";
import { createLog } from "#src/telemetry/log.ts";
import { Metrics } from "#src/telemetry/metrics.ts";
import { HttpPlatformApi } from "#src/platform-client/http-api.ts";
import { PlatformSession } from "#src/platform-client/session.ts";
import { TokenSource } from "#src/platform-client/token-source.ts";
import { HttpTransport } from "#src/platform-client/transport.ts";
import { Breaker } from "#src/reconcile/observe/breaker.ts";
import { CrdReads } from "#src/reconcile/observe/crd-reads.ts";
import { runResyncs } from "#src/reconcile/resync.ts";
import { type CachedResource, parseResource, resourceIndexes } from "#src/reconcile/observe/cached-resource.ts";
import { ownerHash } from "#src/kinds/marker.ts";
import { ReconcileStates } from "#src/reconcile/observe/reconcile-states.ts";
import { rowKeys } from "#src/reconcile/observe/natural-key.ts";
import type { Sources } from "#src/reconcile/observe/sources.ts";
import { singleTenant } from "#src/reconcile/tenancy/tenancy.ts";
import { resourceKinds } from "#src/reconcile/perform.ts";
import { Reconciler } from "#src/reconcile/reconciler.ts";
import { connectWatchHandlers } from "#src/reconcile/watch-handlers.ts";
import { Controller } from "#src/runtime/controller.ts";
import { WorkerPool } from "#src/runtime/worker-pool.ts";
import { type CommandContext, defineCommand } from "#src/commands/command.ts";
import { operatorSettings } from "./settings.ts";
import { OperatorTelemetry } from "./telemetry.ts";
import type { Values } from "#src/commands/settings.ts";

type OperatorValues = Values<typeof operatorSettings>;

const kindNames = Object.keys(kinds) as KindName[];
const namespaces = { group: "", version: "v1", plural: "namespaces", kind: "Namespace", namespaced: false };
/** On the way out, running work may finish for so long; SIGTERM to exit stays below 10 s. */
const drainMs = 5_000;
/** A watch that has fallen silent is noticed after 90 s: so late may be what it tells as new. */
const latestWatchMs = 120_000;
/** A leader renews three times in the time after which it would stop; client-go's proportions (15/10/2 s). */
const renewShare = 2 / 3;
const retryShare = 2 / 15;

export default defineCommand({
  summary: "keep the platform as the custom resources say",
  settings: operatorSettings,
  run,
});

/**
 * Starts in the order of dependence: caches, then the Lease, then work; and stops in the reverse order. Followers keep
 * warm caches and are ready: they could take over at once.
 */
async function run(values: OperatorValues, { env, signal }: CommandContext): Promise<void> {
  const log = createLog({ level: values.logLevel });
  const metrics = new Metrics();
  const signs = new OperatorTelemetry(log, metrics);
  const lifetime = new AbortController();
  const random = Math.random;

  const connection = await readConnection({
    env,
    clock,
    serviceAccountDirectory: values.serviceAccountDirectory,
    ...(values.kubeconfig === undefined ? {} : { kubeconfig: values.kubeconfig }),
    ...(values.context === undefined ? {} : { context: values.context }),
  });
  const kube = new KubeClient({
    connection,
    connections: values.workers,
    observe: (call) => signs.metrics.kubernetesCall(call),
  });
  const stores = Object.fromEntries(
    kindNames.map((kind) => [
      kind,
      new Store<CachedResource>({
        parse: (object, before) => parseResource(kind, object, before),
        indexes: resourceIndexes,
      }),
    ]),
  ) as Record<KindName, Store<CachedResource>>;
  let ready = false;
  const health = await serveHealth({ ...values.listen, ready: () => ready, metrics: () => metrics.text() });
  log.info({ address: health.address }, "listening");

  let leadership: Leadership | undefined;
  let working: Working | undefined;
  try {
    const reflectors = kindNames.flatMap((kind) =>
      values.watchNamespace.map(
        (namespace) =>
          new Reflector({
            api: kube,
            resource: resourceKinds[kind],
            namespace,
            store: stores[kind],
            clock,
            random,
            report: (report) => signs.reflector(kind, namespace, report),
          }),
      ),
    );
    for (const reflector of reflectors) void reflector.run(lifetime.signal);
    const [ownerId, serviceAccountIssuer] = await Promise.all([
      values.ownerId ??
        kube.get(namespaces, undefined, "kube-system", { signal }).then((namespace) => namespace.metadata.uid ?? ""),
      issuerOf(values.tokenFile),
    ]);
    for (const kind of kindNames) await stores[kind].whenSynced(signal);
    ready = true;
    log.info("caches are filled; waiting for the lease");

    leadership = await acquireLease(
      {
        api: kube,
        namespace: values.leaseNamespace ?? connection.namespace ?? "default",
        name: values.leaseName,
        identity: `${hostname()}_${randomUUID()}`,
        clock,
        random,
        durationMs: values.leaseDuration,
        renewDeadlineMs: Math.round(values.leaseDuration * renewShare),
        retryPeriodMs: Math.round(values.leaseDuration * retryShare),
        onError: (error) => log.warn({ err: error }, "the lease could not be taken or renewed"),
      },
      signal,
    );
    log.info({ acquired: leadership.acquired }, "leading");
    metrics.leading(values.leaseName, true);
    working = await work({
      values,
      kube,
      stores,
      leadership,
      ownerId,
      serviceAccountIssuer,
      signs,
      lifetime,
      instance: hostname(),
    });
    await ended(AbortSignal.any([signal, leadership.signal]));
    if (!signal.aborted) throw leadership.signal.reason;
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    ready = false;
    log.info("stopping");
    const safeToRelease = (await working?.stop()) ?? true;
    await leadership?.stop({ release: safeToRelease });
    lifetime.abort(new Error("the operator is stopping"));
    await health.close();
    await kube.close();
    log.info("stopped");
  }
}

interface WorkOptions {
  readonly values: OperatorValues;
  readonly kube: KubeClient;
  readonly stores: Record<KindName, Store<CachedResource>>;
  readonly leadership: Leadership;
  readonly ownerId: string;
  readonly serviceAccountIssuer: string;
  readonly signs: OperatorTelemetry;
  readonly lifetime: AbortController;
  readonly instance: string;
}

interface Working {
  /** Stops all work. Tells whether the Lease may be given back: false where a request of ours may still land. */
  stop(): Promise<boolean>;
}

/** What only the leader does. */
async function work({
  values,
  kube,
  stores,
  leadership,
  ownerId,
  serviceAccountIssuer,
  signs,
  lifetime,
  instance,
}: WorkOptions): Promise<Working> {
  const random = Math.random;
  const platformCa = values.platformCa === undefined ? undefined : await readFile(values.platformCa, "utf8");
  const transport = new HttpTransport({
    connections: values.workers,
    deadlineMs: values.platformTimeout,
    mayWrite: () => leadership.held(),
    ...(platformCa === undefined ? {} : { ca: platformCa }),
    observe: (call, outcome, seconds) => signs.platformCall(call, outcome, seconds),
  });
  const tokens = new TokenSource(transport, {
    authUrl: values.authUrl ?? values.platformUrl,
    audience: values.platformUrl.href.replace(/\/$/, ""),
    identity: values.identity,
    tokenFile: values.tokenFile,
    now: () => clock.now(),
  });
  const session = new PlatformSession({
    api: new HttpPlatformApi(transport, tokens, values.platformUrl),
    identity: values.identity,
    roots: values.rootGroup,
    credentialEpoch: () => tokens.epoch,
    keys: rowKeys,
    now: () => clock.monotonic(),
    sleep: (ms) => clock.sleep(ms, lifetime.signal),
    signal: lifetime.signal,
    canWrite: () => leadership.held(),
  });
  const settleMs = values.platformTimeout + values.settleTime;
  const since = clock.monotonic();
  const sources: Sources = {
    stores,
    states: { Group: new ReconcileStates(), Identity: new ReconcileStates(), RoleBinding: new ReconcileStates() },
    tenancy: singleTenant({
      session,
      boundary: { roots: values.rootGroup, roles: values.allowedRole },
      identity: values.identity,
      credentialEpoch: () => tokens.epoch,
    }),
    crds: new CrdReads(kube, clock, lifetime.signal),
    breaker: new Breaker(),
    owners: [ownerHash(ownerId), ...values.previousOwnerId.map(ownerHash)],
    serviceAccountIssuer,
    // A former leader that did not say goodbye may have had a request under way.
    settledAt: leadership.acquired === "expired" ? since + settleMs : since,
    soleLeaderSince: leadership.acquired === "created" ? since : since + latestWatchMs,
    settleMs,
    clock,
  };
  const recorder = new EventRecorder({
    api: kube,
    controller: "iam.muster.dev/operator",
    instance,
    clock,
    onDrop: (why) => signs.eventDropped(why),
  });
  const reconciler = new Reconciler({ sources, kube, recorder, random, telemetry: signs });
  const controllers = Object.fromEntries(
    kindNames.map((kind) => [
      kind,
      new Controller({
        name: kind.toLowerCase(),
        reconcile: (key, signal) => reconciler.reconcile(kind, key, signal),
        clock,
        random,
        metrics: signs.metrics,
        onFailure: (failure) => signs.reconcileFailed(failure),
      }),
    ]),
  ) as Record<KindName, Controller>;
  const pool = new WorkerPool({ controllers: Object.values(controllers), workers: values.workers, clock });
  const breakerLimits = { objects: values.breakerObjects, share: 0.1 };
  connectWatchHandlers(sources, breakerLimits, (kind, key, options) => controllers[kind].enqueue(key, options));
  signs.watchSources(sources);
  for (const kind of kindNames)
    for (const key of stores[kind].keys()) controllers[kind].enqueue(key, { priority: "low" });
  pool.start();
  const passes = runResyncs(
    {
      session,
      roots: values.rootGroup,
      intervalMs: values.resync,
      clock,
      random,
      onListed: (collection, seconds) => signs.resynced(sources, collection, seconds),
      onFailure: (collection, root, error) => signs.resyncFailed(collection, root, error),
    },
    lifetime.signal,
  );
  return {
    stop: async () => {
      await pool.stop({ graceMs: leadership.signal.aborted ? 0 : drainMs });
      session.posts.noteAbort();
      lifetime.abort(new Error("the operator is stopping"));
      await passes;
      await transport.close();
      return !session.posts.mayStillTakeEffect;
    },
  };
}

/** The issuer of this cluster's service-account tokens, as our own token tells it: for `serviceAccountRef`. */
async function issuerOf(tokenFile: string): Promise<string> {
  const token = await readFile(tokenFile, "utf8").catch((error: Error) => {
    throw new Error(
      `--token-file: ${tokenFile} cannot be read (${error.message}); mount a projected service-account token there`,
    );
  });
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
    if (typeof claims === "object" && claims !== null && "iss" in claims && typeof claims.iss === "string")
      return claims.iss;
  } catch {
    // Told below, without a word of what was read.
  }
  throw new Error(`--token-file: ${tokenFile} does not hold a service-account token (a JWT with an issuer)`);
}

function ended(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
