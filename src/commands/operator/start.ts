import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { type CommandContext, defineCommand } from "#src/commands/command.ts";
import { operatorName } from "#src/commands/reader/operator-place.ts";
import { listenError, requirePrivateFile } from "#src/commands/settings/settings.ts";
import { Proxies } from "#src/http/proxies.ts";
import { kinds } from "#src/kinds/kinds.ts";
import { ownerHash } from "#src/kinds/marker.ts";
import type { KubeClient } from "#src/kube/client.ts";
import type { Leadership } from "#src/kube/leadership.ts";
import { acquireLease } from "#src/kube/lease.ts";
import type { ObservedCall } from "#src/kube/transport.ts";
import { serveHealth } from "#src/telemetry/health.ts";
import { createLog, type Logger } from "#src/telemetry/log.ts";
import { OperatorMetrics } from "#src/telemetry/operator-metrics.ts";
import { startTracing } from "#src/telemetry/start-tracing.ts";
import { systemClock as clock } from "#src/time/clock.ts";
import { startCaches } from "./caches.ts";
import { identifyCluster } from "./cluster.ts";
import { connectKubernetes } from "./connect-kubernetes.ts";
import { lead, type LeaderWork } from "./lead.ts";
import { startServiceAccountKeys } from "./service-account-keys.ts";
import { operatorSettings, type OperatorValues } from "./settings.ts";
import { OperatorTelemetry } from "./telemetry.ts";
import { startTenancyCaches } from "./tenancy-caches.ts";

/** A leader renews three times before it would lose the Lease: client-go's proportions of 15, 10 and 2 s. */
const renewShare = 2 / 3;
const retryShare = 2 / 15;
const random = Math.random;

export default defineCommand({
  summary: "reconcile the platform to match the cluster's custom resources",
  settings: operatorSettings,
  run,
});

/**
 * Starts in the order of dependence (connection, health, caches, Lease, leader's work) and stops in the reverse order, each
 * at a glance below. Followers have synced caches and are ready, because they could take over at once. The Lease does not
 * wait for the caches: a leader serves each kind as soon as it has been read.
 */
async function run(values: OperatorValues, { env, signal }: CommandContext): Promise<void> {
  const log = createLog({ level: values.logLevel });
  const telemetry = new OperatorTelemetry(log, new OperatorMetrics());
  const lifetime = new AbortController();
  let ready = false;
  let stopping = false;
  let leadership: Leadership | undefined;
  let work: LeaderWork | undefined;

  requirePrivateFile("--token-file", values.tokenFile);
  const tracer = await startTracing("muster-operator", env, log);
  const proxies = await Proxies.fromEnvironment(env);
  for (const target of new Set([values.platformUrl, values.authUrl ?? values.platformUrl])) {
    const proxy = proxies?.displayFor(target);
    if (proxy !== undefined) log.info({ target: target.origin, proxy }, "calling through a proxy");
  }
  const observe = (call: ObservedCall) => telemetry.metrics.kubernetesCall(call);
  const { kube, leases, newClient, ...connection } = await connectKubernetes(values, { env, clock, observe, tracer });
  const namespace = values.leaseNamespace ?? connection.namespace ?? "default";
  const metrics = () => telemetry.metrics.text();
  const health = await serveHealth({ ...values.listen, ready: () => ({ ok: ready }), metrics }).catch(
    (error: unknown) => {
      throw listenError("--listen", error);
    },
  );
  log.info({ address: health.address }, "listening");
  try {
    const { allowedNamespace } = values;
    const namespaces = allowedNamespace.length === 0 ? null : new Set(allowedNamespace);
    const { caches, tried } = startCaches(
      { kinds, kube, namespaces, telemetry, tracer, clock, random },
      lifetime.signal,
    );
    const tenancy = startTenancyCaches({ kube, telemetry, tracer, clock, random }, lifetime.signal);
    void Promise.all([tried, tenancy.tried]).then(() => {
      ready = !stopping;
      log.info("caches synced");
    });
    const onError = (error: unknown) => log.warn({ err: error }, "failed to read the namespace kube-system");
    const cluster = await identifyCluster(values, kube, { clock, random, onError }, signal);
    const serviceAccountKeys = await startServiceAccountKeys(
      values,
      { newClient, log, clock },
      AbortSignal.any([signal, lifetime.signal]),
    );
    const lease = { name: values.leaseName ?? operatorName(values.class), namespace };
    telemetry.metrics.leading(lease.name, false);
    leadership = await acquireLeadership({ values, leases, lease, log }, signal);
    const { ownerId } = cluster;
    // The hash is what markers, and messages about them, show of the owner.
    log.info({ acquired: leadership.acquired, ownerId, ownerHash: ownerHash(ownerId, values.class) }, "leading");
    telemetry.metrics.leading(lease.name, true);
    telemetry.metrics.ownerInfo.set({ owner_id: ownerId }, 1);
    // Only the objects show whether there was a leader before this one. No object is served before its Tenant is known.
    await Promise.race([
      Promise.all(leadership.acquired === "created" ? [tried, tenancy.tried] : [tenancy.tried]),
      aborted(AbortSignal.any([signal, leadership.signal])),
    ]);
    signal.throwIfAborted();
    work = await lead({
      kinds,
      values,
      proxies,
      kube,
      caches,
      tenancyCaches: tenancy.caches,
      namespace,
      cluster,
      serviceAccountKeys,
      leadership,
      telemetry,
      tracer,
      lifetime,
      clock,
      random,
    });
    await aborted(AbortSignal.any([signal, leadership.signal]));
    if (!signal.aborted) throw leadership.signal.reason;
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    stopping = true;
    ready = false;
    log.info("stopping");
    const canRelease = (await work?.stop()) ?? true;
    await leadership?.stop({ release: canRelease });
    lifetime.abort(new Error("the operator is stopping"));
    await health.close();
    await Promise.all([kube.close(), leases.close(), tracer?.stop()]);
    log.info("stopped");
  }
}

interface LeadershipOptions {
  readonly values: OperatorValues;
  readonly leases: KubeClient;
  readonly lease: { readonly name: string; readonly namespace: string };
  readonly log: Logger;
}

/** Resolves once this process holds the Lease. @throws the reason of `signal`. */
function acquireLeadership(
  { values, leases, lease, log }: LeadershipOptions,
  signal: AbortSignal,
): Promise<Leadership> {
  return acquireLease(
    {
      api: leases,
      ...lease,
      identity: `${hostname()}_${randomUUID()}`,
      clock,
      random,
      durationMs: values.leaseDuration,
      renewDeadlineMs: Math.round(values.leaseDuration * renewShare),
      retryPeriodMs: Math.round(values.leaseDuration * retryShare),
      onError: (error) => log.warn({ err: error }, "failed to acquire or renew the lease"),
    },
    signal,
  );
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
