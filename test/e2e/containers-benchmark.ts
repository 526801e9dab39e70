import { setTimeout as sleep } from "node:timers/promises";
import { readRules, ruleFile } from "#test/monitoring/rules.ts";
import { startCluster } from "#test/node/cluster.ts";
import { ContainerCgroup } from "#test/node/container-cgroup.ts";
import type { Isolation } from "#test/node/isolation.ts";
import { account, labelledPod, namespace } from "#test/node/labelled-pod.ts";
import { applyExamples, imageOf, installTryOut, operatorNamespace } from "#test/node/try-out.ts";
import type { BenchmarkCommand } from "#test/support/bench/benchmark.ts";
import { describeMachine } from "#test/support/bench/machine.ts";
import { number, quick, readOptions, usageOf, type Values } from "#test/support/bench/options.ts";
import { count, mebibytes, type Outcome, seconds } from "#test/support/bench/outcome.ts";
import { rowTable } from "#test/support/bench/report.ts";
import type { KubeClient, KubeObject } from "#test/support/control-plane/kube-client.ts";
import { allReady, applyBranches } from "./branch.ts";
import { Prometheus } from "./prometheus.ts";
import { isReadyPod } from "./restricted-pod.ts";
import { scrapeConfigsOfChart } from "./scrape-config.ts";
import { changeSteadily } from "./steady-changes.ts";
import { type Usage, UsageSampler } from "./usage-sampler.ts";

const name = "containers";
const summary =
  "The memory and the CPU of each container at work and at rest, in a cluster with a node on this machine.";
const options = {
  objects: number("how many objects there are", 2_000, { small: 40 }),
  changes: number("how many objects are created, edited or deleted in each second of work", 2),
  pods: number("how many pods have an identity", 20, { small: 2 }),
  cpu: number("limit operator and platform to this part of a core, in thousandths; 0 is no limit, as in the chart", 0, {
    least: 0,
  }),
  work: number("how many minutes of work there are", 30, { small: 1 }),
  rest: number("how many minutes of rest follow", 60, { small: 1 }),
  quick,
};
const sampleMs = 5_000;

/** Two operators and the platform of the chart `muster-try-out` with its requests and limits, watched by Prometheus with its alerts. */
export const containers: BenchmarkCommand = {
  name,
  summary,
  usage: `Usage: npm run bench -- ${name} [OPTIONS]\n\n${summary}\n\n${usageOf(options)}\n`,
  prepare: (args) => {
    const values = readOptions(options, args);
    return async () => {
      process.stdout.write(`${describeMachine()}.\n\n${rowTable(await measure(values))}\n`);
    };
  },
};

function progress(line: string): void {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);
}

async function measure({
  objects,
  changes,
  pods,
  cpu,
  work,
  rest,
}: Values<typeof options>): Promise<readonly Outcome[]> {
  const cluster = await startCluster({ progress });
  const { admin, isolation } = cluster;
  try {
    const resources = cpu === 0 ? {} : { resources: { limits: { cpu: `${cpu}m` } } };
    await installTryOut(cluster, { replicas: 2, ...resources, platform: { enabled: true, ...resources } });
    const muster = await Promise.all(
      (await musterPods(admin)).map(async (pod) => started(isolation, pod, componentOf(pod))),
    );
    await applyExamples(cluster);
    const rules = [ruleFile(await readRules("operator")), ruleFile(await readRules("platform"))];
    const jobs = await scrapeConfigsOfChart("muster-try-out", {}, { kubeconfig: cluster.kubeconfig });
    const prometheus = await Prometheus.start(cluster, { jobs, rules, interval: "15s" }, { progress });
    const agents = await Promise.all(
      (await runPods(admin, pods, imageOf({}))).map((pod) => started(isolation, pod, "muster-agent")),
    );
    const roles = [...(await rolesOf(admin, muster)), { role: `largest of ${pods} agents`, members: agents }];
    const sampler = new UsageSampler(
      roles.map(({ role, members }) => ({ name: role, cgroups: members.map(({ cgroup }) => cgroup) })),
      sampleMs,
    );
    const phase = async (doing: string, done: Promise<void>): Promise<ReadonlyMap<string, Usage>> => {
      progress(doing);
      const [usages, firing] = await Promise.all([sampler.during(done), alertsDuring(prometheus, done)]);
      progress(`alerts while ${doing}: ${[...firing].join(", ") || "none"}; restarts: ${await restarts(admin)}`);
      // What follows may fail.
      progress(JSON.stringify(Object.fromEntries(usages)));
      return usages;
    };
    const branches = Math.ceil(objects / 4);
    const create = async () => {
      await applyBranches(admin, branches);
      await allReady(admin, 600_000);
    };
    const change = async () => {
      const { made, refused } = await changeSteadily(admin, { seconds: work * 60, perSecond: changes, branches });
      progress(`${made} changes, of which ${refused} were refused`);
      await allReady(admin, 60_000);
    };
    const phases = [
      await phase(`${objects} objects are created`, create()),
      await phase(`${changes} objects change each second`, change()),
      await phase("nothing changes", sleep(rest * 60_000)),
    ];
    return roles.map(({ role, members }) => {
      const usages = phases.flatMap((phaseUsages) => phaseUsages.get(role) ?? []);
      const each = (key: keyof Usage) => usages.map((usage) => usage[key]);
      const most = (key: keyof Usage) => Math.max(...each(key));
      const mostAtStart = (key: "seconds" | "cpuSeconds" | "throttledSeconds") =>
        Math.max(...members.map((one) => one[key]));
      return {
        case: role,
        figures: [
          mebibytes("working set: create / change / rest", each("workingSet")),
          mebibytes("RSS", most("rss")),
          mebibytes("peak", most("peak")),
          seconds("start: until Ready / CPU / throttled", [
            mostAtStart("seconds"),
            mostAtStart("cpuSeconds"),
            mostAtStart("throttledSeconds"),
          ]),
          count("cores: create / change / rest", each("meanCores")),
          count("cores in the busiest 5 s", most("mostCores")),
          seconds("throttled", most("throttledSeconds")),
        ],
      };
    });
  } finally {
    await cluster.stop();
  }
}

const podKind = { apiVersion: "v1", kind: "Pod" };
const componentOf = ({ metadata }: KubeObject) => metadata.labels?.["app.kubernetes.io/component"] ?? "";

/** The pods of the operator and the platform. */
async function musterPods(admin: KubeClient): Promise<readonly KubeObject[]> {
  const pods = await admin.list(podKind, { namespace: operatorNamespace });
  return pods.filter((pod) => ["operator", "platform"].includes(componentOf(pod)));
}

/** Runs pods with the identity `checkout` that do nothing, and returns them when they are Ready. */
async function runPods(admin: KubeClient, howMany: number, image: string): Promise<readonly KubeObject[]> {
  await admin.apply(account);
  const ready: KubeObject[] = [];
  for (let index = 0; index < howMany; index += 1) {
    const pod = labelledPod(`idle-${index}`, { image, command: ["sleep", "infinity"] });
    await admin.create(pod);
    await admin.waitFor(pod, isReadyPod, { timeoutMs: 60_000 });
    ready.push(await admin.get(pod));
  }
  return ready;
}

interface Started {
  readonly pod: KubeObject;
  readonly cgroup: ContainerCgroup;
  /** From the start of the container until its pod is Ready, in whole seconds, as Kubernetes has them. */
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly throttledSeconds: number;
}

/** A container of a pod that has just become Ready, and what its start cost. */
async function started(isolation: Isolation, pod: KubeObject, container: string): Promise<Started> {
  const cgroup = await ContainerCgroup.find(isolation, pod, container);
  const { cpuSeconds, throttledSeconds } = await cgroup.read();
  const { containerStatuses, initContainerStatuses = [], conditions } = pod["status"];
  const { state } = [...containerStatuses, ...initContainerStatuses].find((one) => one.name === container);
  const { lastTransitionTime } = conditions.find(({ type }: { readonly type: string }) => type === "Ready");
  const ready = (Date.parse(lastTransitionTime) - Date.parse(state.running.startedAt)) / 1_000;
  return { pod, cgroup, seconds: ready, cpuSeconds, throttledSeconds };
}

/** The containers of operator and platform, with a name for each. */
async function rolesOf(admin: KubeClient, muster: readonly Started[]) {
  const kind = { apiVersion: "coordination.k8s.io/v1", kind: "Lease" };
  const leases = await admin.list(kind, { namespace: operatorNamespace });
  const leads = ({ metadata }: KubeObject) => leases.some(({ spec }) => spec.holderIdentity.includes(metadata.name));
  return muster.map((container) => {
    const component = componentOf(container.pod);
    const waits = component === "operator" && !leads(container.pod);
    return { role: waits ? "operator, second replica" : component, members: [container] };
  });
}

/** The names of the alerts that fire until something is done. */
async function alertsDuring(prometheus: Prometheus, done: Promise<void>): Promise<ReadonlySet<string>> {
  const firing = new Set<string>();
  const ended = done.then(() => true);
  do for (const { name: alert, state } of await prometheus.alerts()) if (state === "firing") firing.add(alert);
  while (!(await Promise.race([ended, sleep(15_000, false)])));
  return firing;
}

async function restarts(admin: KubeClient): Promise<number> {
  const pods = [...(await musterPods(admin)), ...(await admin.list(podKind, { namespace }))];
  const statuses: readonly { readonly restartCount: number }[] = pods.flatMap(({ status }) => [
    ...status.containerStatuses,
    ...(status.initContainerStatuses ?? []),
  ]);
  return statuses.reduce((sum, { restartCount }) => sum + restartCount, 0);
}
