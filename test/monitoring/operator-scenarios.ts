import { setTimeout as sleep } from "node:timers/promises";
import { finalizer } from "#src/api/custom-resource.ts";
import { loadOperatorRbac } from "#test/deploy/operator-rbac.ts";
import { type ControlPlane, startControlPlane } from "#test/support/control-plane/control-plane.ts";
import type { KubeClient } from "#test/support/control-plane/kube-client.ts";
import { type Fault, FaultProxy } from "#test/support/harness/fault-proxy.ts";
import { isUnready, musterObject } from "#test/support/harness/muster-objects.ts";
import { System } from "#test/support/harness/system.ts";
import { createTenantCredentials } from "#test/support/harness/tenant-credentials.ts";
import { permissiveTenant } from "#test/support/harness/tenants.ts";
import { operatorTarget, platformTarget, type Recorder, type Target } from "./recorder.ts";
import { unreachableWebhook } from "./unreachable-webhook.ts";

/** The operator in a cluster, with the platform behind a proxy. */
export interface World {
  readonly system: System;
  readonly proxy: FaultProxy;
  readonly kube: KubeClient;
  /** Applies groups below the root, and waits until they are Ready. */
  readonly readyGroups: (count: number, prefix?: string) => Promise<void>;
  readonly applyGroups: (count: number, prefix: string) => Promise<void>;
  /** Starts an operator that resyncs every 2 s, and waits until it leads. */
  readonly startOperator: (...flags: readonly string[]) => Promise<Target>;
  readonly platform: Target;
}

export interface Scenario {
  /** The name of the recording: that of the alert, or one that begins with `Healthy`. */
  readonly name: string;
  readonly record: (recorder: Recorder) => Promise<void>;
}

const unreachable: Fault = { is: "not sent" };
const readOnly: Fault = { is: "response replaced", status: 503, headers: {}, body: "the database is read-only" };
const clusterRole = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  metadata: { name: "muster-operator" },
};

function scenario(name: string, run: (world: World, recorder: Recorder) => Promise<void>): Scenario {
  return {
    name,
    record: async (recorder) => {
      const controlPlane = await startControlPlane();
      try {
        await inWorld(controlPlane, (world) => run(world, recorder));
      } finally {
        await controlPlane.stop();
      }
    },
  };
}

/** Runs the operator and the platform, in a cluster that exists. */
export async function inWorld(controlPlane: ControlPlane, run: (world: World) => Promise<void>): Promise<void> {
  const proxy = await FaultProxy.start();
  const rbac = await loadOperatorRbac();
  const system = await System.start({ controlPlane, rbac, platformFlags: ["--base-url", proxy.url] });
  proxy.target = system.platformUrl;
  const kube = controlPlane.admin;
  const group = (name: string) => musterObject("Group", "team", name, { parentUid: system.root });
  const applyGroups = async (count: number, prefix: string) => {
    for (let index = 0; index < count; index += 1) await kube.apply(group(`${prefix}-${index}`));
  };
  try {
    await run({
      system,
      proxy,
      kube,
      applyGroups,
      readyGroups: async (count, prefix = "group") => {
        await applyGroups(count, prefix);
        for (let index = 0; index < count; index += 1) await system.ready(group(`${prefix}-${index}`));
      },
      startOperator: async (...flags) => {
        const operator = await system.startOperator(["--resync", "2s", ...flags], { platformUrl: proxy.url });
        await operator.process.logged("leading");
        return operatorTarget(operator.url);
      },
      platform: platformTarget(system.platformUrl),
    });
  } finally {
    await system.stop();
    await proxy.stop();
  }
}

/** What the operator may do on Muster's kinds, except this. */
async function withoutPermission(kube: KubeClient, resource: string): Promise<void> {
  const role = await kube.get(clusterRole);
  const rules: { apiGroups: string[]; resources: string[] }[] = role["rules"];
  await kube.apply({
    ...clusterRole,
    rules: rules.map((rule) => ({ ...rule, resources: rule.resources.filter((one) => one !== resource) })),
  });
}

const proxyFault = (proxy: FaultProxy, fault: Fault, methods: readonly string[]) => {
  proxy.options = { faultFor: ({ method }) => (methods.includes(method) ? fault : undefined) };
};

/** The operator's own calls are suspended, because the platform fails. */
const callsSuspended = (calls: "all" | "writes") =>
  new RegExp(`^muster_calls_suspended\\{credential="operator",calls="${calls}",class="platform"\\} 1$`, "m");

const unavailableGroups = (count: number) =>
  new RegExp(`^muster_objects\\{kind="Group",ready="False",reason="PlatformUnavailable"\\} ${count}$`, "m");

export const operatorScenarios: readonly Scenario[] = [
  scenario("Healthy", async ({ system, kube, startOperator, readyGroups, platform }, recorder) => {
    const leader = await startOperator();
    const follower = operatorTarget((await system.startOperator([], {})).url, 1);
    await readyGroups(5);
    const targets = [leader, follower, platform];
    await recorder.scrape(targets);
    const identity = musterObject("Identity", "team", "ci", {
      groupRef: { name: "group-0" },
      claimMatch: { issuer: "https://issuer.example", subject: "ci" },
    });
    const roleBinding = musterObject("RoleBinding", "team", "ci", {
      groupRef: { name: "group-0" },
      identityRef: { name: "ci" },
      roleRef: { name: "viewer" },
    });
    for (const object of [identity, roleBinding]) await kube.apply(object);
    for (const object of [identity, roleBinding]) await system.ready(object);
    await readyGroups(5, "more");
    await recorder.scrapeTwice(targets);
  }),
  scenario("MusterNoLeader", async ({ system, startOperator, readyGroups, platform }, recorder) => {
    const targets = [await startOperator(), platform];
    await readyGroups(2);
    await recorder.scrape(targets);
    await Promise.all(system.operators.map((operator) => operator.kill()));
    await recorder.scrapeTwice(targets);
  }),
  scenario("MusterCallsSuspended", async ({ proxy, startOperator, readyGroups, applyGroups, platform }, recorder) => {
    const targets = [await startOperator(), platform];
    await readyGroups(2);
    await recorder.scrape(targets);
    proxyFault(proxy, unreachable, ["GET", "POST"]);
    await applyGroups(5, "waiting");
    await untilMetric(targets[0], callsSuspended("all"));
    await untilMetric(targets[0], unavailableGroups(5));
    await recorder.scrapeTwice(targets);
  }),
  scenario("MusterWritesSuspended", async ({ proxy, startOperator, readyGroups, applyGroups, platform }, recorder) => {
    const targets = [await startOperator("--platform-timeout", "2s", "--settle-time", "2s"), platform];
    await readyGroups(2);
    await recorder.scrape(targets);
    proxyFault(proxy, readOnly, ["POST", "PATCH", "DELETE"]);
    await applyGroups(8, "waiting");
    await untilMetric(targets[0], callsSuspended("writes"));
    await untilMetric(targets[0], unavailableGroups(8));
    await recorder.scrapeTwice(targets);
  }),
  scenario("MusterTenantCredentialsFail", async ({ system, kube, startOperator, platform }, recorder) => {
    const targets = [await startOperator(), platform];
    const { uid: group } = await system.admin.create("groups", system.root, { name: "bank" });
    await createTenantCredentials(system, "bank", group);
    await kube.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "bank" } });
    await recorder.scrape(targets);
    const tenant = permissiveTenant("bank", { namespaces: ["bank"], groups: [group], roles: ["viewer"] });
    // The service account of the Tenant does not match the identity of the operator.
    const credentials = { type: "ServiceAccount", identityUid: system.identity };
    await kube.apply({ ...tenant, spec: { ...tenant["spec"], credentials } });
    await kube.apply(musterObject("Group", "bank", "waiting", { parentUid: group }));
    await untilMetric(targets[0], /^muster_calls_suspended\{credential="tenant".*\} 1$/m);
    await recorder.scrapeTwice(targets);
  }),
  scenario("MusterTenantNotReady", async ({ system, kube, startOperator, readyGroups, platform }, recorder) => {
    const targets = [await startOperator(), platform];
    await readyGroups(1);
    await recorder.scrape(targets);
    await kube.apply(permissiveTenant("other", { namespaces: ["team"], groups: [system.root], roles: [] }));
    await untilMetric(targets[0], /^muster_tenants\{ready="False",reason="Overlap"\} 2$/m);
    await recorder.scrapeTwice(targets);
  }),
  scenario("MusterObjectNotReady", async ({ system, kube, startOperator, readyGroups, platform }, recorder) => {
    const targets = [await startOperator(), platform];
    await readyGroups(1);
    await recorder.scrape(targets);
    const lost = musterObject("Group", "team", "lost", { parentRef: { name: "missing" } });
    await kube.apply(lost);
    await system.waitFor(lost, isUnready("ReferenceNotFound"));
    await recorder.scrapeTwice(targets);
  }),
  scenario("MusterBreakerOpen", async ({ system, startOperator, readyGroups, platform }, recorder) => {
    const targets = [await startOperator("--breaker-objects", "5"), platform];
    await readyGroups(8);
    await recorder.scrape(targets);
    const groups = await system.admin.list("groups");
    for (const { uid, name } of groups) if (name.startsWith("group-")) await system.admin.delete("groups", uid);
    await untilMetric(targets[0], /^muster_breaker [1-9]/m);
    await recorder.scrapeTwice(targets);
  }),
  scenario("MusterResyncLate", async ({ proxy, startOperator, readyGroups, platform }, recorder) => {
    const targets = [await startOperator(), platform];
    await readyGroups(2);
    await recorder.scrape(targets);
    // Lists of groups never end; everything else works.
    proxy.options = {
      beforeForwarding: ({ method, collection }) =>
        method === "GET" && collection === "groups" ? new Promise(() => undefined) : undefined,
    };
    await sleep(5_000);
    await recorder.scrapeTwice(targets);
  }),
  scenario("MusterQueueStuck", async ({ proxy, startOperator, readyGroups, applyGroups, platform }, recorder) => {
    const targets = [await startOperator("--workers", "2", "--platform-timeout", "10m"), platform];
    await readyGroups(2);
    await recorder.scrape(targets);
    proxy.options = {
      beforeForwarding: ({ method }) => (method === "POST" ? new Promise(() => undefined) : undefined),
    };
    await applyGroups(8, "waiting");
    await untilMetric(targets[0], /^muster_queue_oldest_age_seconds\{name="group"\} [2-9]/m);
    await recorder.scrapeTwice(targets);
  }),
  scenario("MusterReconcileErrors", async ({ kube, startOperator, readyGroups, applyGroups, platform }, recorder) => {
    const targets = [await startOperator(), platform];
    await readyGroups(2);
    await recorder.scrape(targets);
    await kube.apply(unreachableWebhook);
    await sleep(2_000);
    await applyGroups(3, "failing");
    await untilMetric(targets[0], /^controller_runtime_reconcile_errors_total\{controller="group"\} [3-9]/m);
    await recorder.scrapeTwice(targets);
  }),
  scenario("MusterKubernetesRefuses", async ({ kube, startOperator, readyGroups, applyGroups, platform }, recorder) => {
    const targets = [await startOperator(), platform];
    await readyGroups(2);
    await recorder.scrape(targets);
    await withoutPermission(kube, "groups/status");
    await sleep(1_000);
    await applyGroups(3, "refused");
    await untilMetric(targets[0], /^muster_kubernetes_refused\{kind="Group",step="writeStatus"\} [1-9]/m);
    await recorder.scrapeTwice(targets);
  }),
  scenario("MusterKindUnreadable", async ({ system, kube, startOperator, readyGroups, platform }, recorder) => {
    const first = await startOperator();
    await readyGroups(1);
    await recorder.scrape([first, platform]);
    await Promise.all(system.operators.map((operator) => operator.stop()));
    await withoutPermission(kube, "identities");
    const targets = [await startOperator(), platform];
    await untilMetric(targets[0], /^muster_kind_readable\{kind="Identity"\} 0$/m);
    await recorder.scrapeTwice(targets);
  }),
  scenario("MusterCompetingWriter", async ({ system, startOperator, readyGroups, platform }, recorder) => {
    const targets = [await startOperator(), platform];
    await readyGroups(12);
    await recorder.scrape(targets);
    const groups = await system.admin.list("groups");
    for (const { uid, name } of groups)
      if (name.startsWith("group-")) await system.admin.update("groups", uid, { name: `${name}-renamed` });
    await untilMetric(targets[0], /^muster_drift_total\{kind="Group",result="corrected"\} 12$/m);
    await recorder.scrapeTwice(targets);
  }),
  scenario("MusterUndeclaredAccess", async ({ system, startOperator, readyGroups, platform }, recorder) => {
    const targets = [await startOperator(), platform];
    await readyGroups(1);
    await recorder.scrape(targets);
    const group = (await system.admin.list("groups")).find(({ name }) => name === "group-0");
    await system.admin.create("identities", group?.uid ?? "", {
      name: "backdoor",
      claimMatch: { issuer: "https://issuer.example", subject: "backdoor" },
    });
    await untilMetric(targets[0], /^muster_undeclared\{kind="Identity"\} 1$/m);
    await recorder.scrapeTwice(targets);
  }),
  scenario("MusterOrphans", async ({ system, kube, startOperator, readyGroups, platform }, recorder) => {
    const first = await startOperator();
    await readyGroups(2);
    await recorder.scrape([first, platform]);
    await Promise.all(system.operators.map((operator) => operator.stop()));
    const lost = musterObject("Group", "team", "group-0", {});
    const finalizers = ((await kube.get(lost)).metadata["finalizers"] as string[]).filter((one) => one !== finalizer);
    await kube.patch(lost, { metadata: { finalizers } });
    await kube.delete(lost);
    const targets = [await startOperator(), platform];
    await untilMetric(targets[0], /^muster_orphans\{kind="Group"\} 1$/m);
    await recorder.scrapeTwice(targets);
  }),
  scenario("MusterSlow", async ({ proxy, startOperator, readyGroups, applyGroups, platform }, recorder) => {
    const targets = [await startOperator("--platform-timeout", "2m"), platform];
    await readyGroups(1);
    await recorder.scrape(targets);
    const held = Promise.withResolvers<void>();
    proxy.options = { beforeForwarding: ({ method }) => (method === "POST" ? held.promise : undefined) };
    await applyGroups(10, "slow");
    await sleep(40_000);
    held.resolve();
    proxy.options = {};
    await untilMetric(targets[0], /^muster_objects\{kind="Group",ready="True",reason="Available"\} 11$/m);
    await recorder.scrapeTwice(targets);
  }),
];

/** Resolves when the metrics of the target contain the line. @throws {Error} after 60 s */
async function untilMetric(target: Target | undefined, line: RegExp): Promise<void> {
  const deadline = performance.now() + 60_000;
  for (;;) {
    const text = await (await fetch(`${target?.url ?? ""}/metrics`)).text();
    if (line.test(text)) return;
    if (performance.now() > deadline) throw new Error(`no metric matches ${String(line)}`);
    await sleep(250);
  }
}
