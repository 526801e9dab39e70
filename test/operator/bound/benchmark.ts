import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { apiVersion, finalizer } from "#src/api/custom-resource.ts";
import { createAll } from "#test/operator/bench/apply.ts";
import { inWorld, type World } from "#test/operator/bench/world.ts";
import { benchmarkCommand, type Run } from "#test/support/bench/benchmark.ts";
import { count, milliseconds, type Outcome } from "#test/support/bench/outcome.ts";
import { list, number } from "#test/support/bench/options.ts";
import { cpuSeconds } from "#test/support/bench/process-usage.ts";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { musterObject } from "#test/support/harness/muster-objects.ts";
import { leaveOut, type LeftOut } from "./custom-resource-definitions.ts";
import { startPlainProxy } from "./plain-proxy.ts";

/** Who makes the calls, with which transport to the API server, and what the API server checks. */
const cases = {
  operator: { title: "the operator" },
  "without-rules": { title: "the operator, CRDs without CEL rules", leftOut: "rules" },
  "without-schema": { title: "the operator, CRDs without a schema", leftOut: "schema" },
  http1: { title: "minimal, undici, HTTP/1.1", minimal: [] },
  plain: { title: "minimal, undici, HTTP/1.1 without TLS", minimal: [], withoutTls: true },
  uncorked: { title: "minimal, undici, HTTP/1.1, head and body not corked", minimal: ["--uncorked"] },
  "two-connections": { title: "minimal, undici, HTTP/1.1, 2 connections instead of 16", minimal: ["--connections=2"] },
  http2: { title: "minimal, undici, HTTP/2", minimal: ["--transport=http2"] },
  node: { title: "minimal, Node's own client, HTTP/1.1", minimal: ["--transport=node"] },
  "small-status": { title: "minimal, undici, HTTP/1.1, a smaller status", minimal: ["--small-status"] },
  events: { title: "minimal, undici, HTTP/1.1, an event for each object", minimal: ["--events"] },
} as const satisfies Record<string, Case>;

interface Case {
  readonly title: string;
  readonly leftOut?: LeftOut;
  /** The flags of a minimal controller; absent: the operator makes the calls. */
  readonly minimal?: readonly string[];
  /** The minimal controller connects without TLS, and a proxy adds it. */
  readonly withoutTls?: true;
}

type CaseName = keyof typeof cases;

export const bound = benchmarkCommand({
  name: "bound",
  summary: "What the operator's calls cost by themselves: a minimal controller makes them, in several ways.",
  manifest: "deploy/kustomize/base/deployment.yaml",
  layout: "rows",
  options: {
    objects: number("groups", 1_000, { small: 20, least: 9 }),
    cases: list("what to measure", Object.keys(cases) as CaseName[]),
  },
  measure: async (given, run) => {
    for (const name of given.cases) run.report(await measure(given.objects, name, run));
  },
});

async function measure(objects: number, name: CaseName, run: Run): Promise<Outcome> {
  const { title, minimal, withoutTls, leftOut }: Case = cases[name];
  return inWorld(run, { namespaces: ["bench"] }, async (world) => {
    const groups = Array.from({ length: objects }, (_, one) =>
      musterObject("Group", "bench", `group-${one}`, { parentUid: world.system.root, description: `Team ${one}` }),
    );
    if (leftOut !== undefined) await leaveOut(world.controlPlane.admin, leftOut);
    const { pid, stop, failed } =
      minimal === undefined ? await startOperator(world) : await startMinimal(world, run, minimal, withoutTls);
    try {
      return { case: title, figures: await Promise.race([costs(world, pid, groups), ...failed]) };
    } finally {
      await stop();
    }
  });
}

async function costs(world: World, pid: number, groups: readonly KubeObject[]): Promise<Outcome["figures"]> {
  const cpuOf = () => Promise.all([pid, world.controlPlane.apiServerPid].map(cpuSeconds));
  await world.counter.settled();
  const before = await cpuOf();
  const creation = await createAll(world, groups);
  await world.counter.settled();
  const [own = 0, server = 0] = (await cpuOf()).map(
    (after, index) => ((after - (before[index] ?? 0)) / groups.length) * 1000,
  );
  return [
    count("objects/s", groups.length / creation.total),
    milliseconds("CPU per object", own),
    milliseconds("API server's CPU per object", server),
    count("of the API server's", own / server),
  ];
}

interface Started {
  readonly pid: number;
  readonly stop: () => Promise<void>;
  /** Reject if it ends on its own, of which `World` does not know. */
  readonly failed: readonly Promise<never>[];
}

async function startOperator(world: World): Promise<Started> {
  const { process } = await world.startOperator();
  await process.logged("leading");
  return { pid: process.pid, stop: () => process.stop(), failed: [] };
}

async function startMinimal(
  { controlPlane, system }: World,
  run: Run,
  flags: readonly string[],
  withoutTls: Case["withoutTls"],
): Promise<Started> {
  const { url, ca, adminToken } = controlPlane;
  const proxy = withoutTls ? await startPlainProxy(new URL(url), ca) : undefined;
  const options = {
    kubernetes: proxy?.url ?? url,
    ca: proxy === undefined ? ca : "",
    platform: system.platformUrl,
    root: system.root,
    objects: `/apis/${apiVersion}/namespaces/bench/groups`,
    finalizer,
  };
  const child = spawn(
    process.execPath,
    [
      fileURLToPath(new URL("controller.ts", import.meta.url)),
      ...Object.entries(options).map(([option, value]) => `--${option}=${value}`),
      ...flags,
    ],
    {
      stdio: ["ignore", "pipe", "inherit"],
      env: {
        ...process.env,
        ...run.program.env,
        KUBERNETES_TOKEN: adminToken,
        PLATFORM_TOKEN: (await readFile(system.adminTokenFile, "utf8")).trim(),
      },
    },
  );
  const ended = once(child, "close");
  const failed = ended.then(() => {
    throw new Error("the minimal controller ended");
  });
  await Promise.race([once(child.stdout, "data"), failed]);
  failed.catch(() => undefined);
  return {
    pid: child.pid ?? 0,
    failed: [failed],
    stop: async () => {
      child.kill();
      await ended;
      proxy?.stop();
    },
  };
}
