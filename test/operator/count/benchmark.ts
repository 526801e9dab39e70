import { readFile } from "node:fs/promises";
import { applyAdmissionPolicy } from "#test/deploy/admission-policy.ts";
import { createAll, deleteAll } from "#test/operator/bench/apply.ts";
import { treeOf } from "#test/operator/bench/tree.ts";
import { inWorld, type World } from "#test/operator/bench/world.ts";
import { benchmarkCommand, type Run } from "#test/support/bench/benchmark.ts";
import { count, figure, type Figure, heading, type Outcome } from "#test/support/bench/outcome.ts";
import { number } from "#test/support/bench/options.ts";
import { columnTable } from "#test/support/bench/report.ts";
import { freePort } from "#test/support/control-plane/free-port.ts";
import type { Operator } from "#test/support/harness/operator.ts";
import { trafficBetween } from "#test/support/harness/traffic.ts";
import type { Counts } from "./counter.ts";

export const countBenchmark = benchmarkCommand({
  name: "count",
  summary:
    "What the operator does for an object, counted: decisions, bytes, reads and writes. Noise does not change it.",
  help: "With --json, FILE has the calls of each function of the program, too.",
  manifest: "deploy/kustomize/base/deployment.yaml",
  layout: "columns",
  options: {
    objects: number("custom resources", 900, { small: 18, least: 9 }),
    platformLatency: number("milliseconds by which the platform delays each response", 20, { least: 0 }),
  },
  page: ({ machine, outcomes }) => [`${machine}. Per object.`, columnTable(outcomes, (outcome) => outcome.case)],
  measure: async (given, run) => {
    for (const policy of [false, true]) run.report(await measure(given, policy, run));
  },
});

/** The functions of the program whose calls are counted, by what they stand for. Each name is that of one function only. */
const counted = {
  Reconciles: ["reconciled"],
  Decisions: ["decided"],
  "Parts of observations": [
    "referencesOf",
    "externalOf",
    "knowledgeOf",
    "protectionsOf",
    "unknownIdentitiesOf",
    "roleToRead",
    "peopleOf",
    "observeUnrecorded",
    "dependentsOf",
    "unreadDependentsOf",
  ],
  "Statuses compared with what there is": ["statusPatch"],
  Hashes: ["objectHash"],
} as const;

async function measure(
  { objects, platformLatency }: { readonly objects: number; readonly platformLatency: number },
  policy: boolean,
  run: Run,
): Promise<Outcome> {
  const port = await freePort();
  const { file, env } = run.program;
  const counter = new URL("counter.ts", import.meta.url).href;
  const program = {
    file,
    env: { ...env, NODE_OPTIONS: `${env["NODE_OPTIONS"]} --import ${counter}`, MUSTER_COUNTER_PORT: String(port) },
  };
  const platformFlags = ["--latency", `${platformLatency}ms`];
  const outcome = await inWorld({ ...run, program }, { namespaces: ["bench"], platformFlags }, async (world) => {
    if (policy) await applyAdmissionPolicy(world.controlPlane.admin);
    const tree = treeOf(objects, "bench", world.system.root);
    const operator = await world.startOperator();
    await operator.process.logged("leading");
    const counting = { world, operator, port, objects: tree.length };
    run.progress(`creating ${tree.length} objects`);
    const created = await counts(counting, () => createAll(world, tree));
    run.progress("deleting");
    const deleted = await counts(counting, () => deleteAll(world, tree));
    return {
      figures: [heading("From POST to Ready"), ...created.figures, heading("Deletion"), ...deleted.figures],
      details: { created: created.calls, deleted: deleted.calls },
    };
  });
  return {
    case: policy ? "with the admission policy" : "without the admission policy",
    setting: "per object",
    ...outcome,
  };
}

interface Counting {
  readonly world: World;
  readonly operator: Operator;
  /** Of the counter in the operator's process. */
  readonly port: number;
  readonly objects: number;
}

/** What the operator does while `work` runs, and until nothing follows from it any more, per object. */
async function counts(
  { world, operator, port, objects }: Counting,
  work: () => Promise<unknown>,
): Promise<{ readonly figures: readonly Figure[]; readonly calls: Counts["calls"] }> {
  const take = async () => (await (await fetch(`http://127.0.0.1:${port}`)).json()) as Counts;
  const trafficBefore = await world.counter.settled();
  await take();
  const [ioBefore, logged] = [await readsAndWrites(operator.process.pid), operator.process.log.length];
  await work();
  const traffic = trafficBetween(trafficBefore, await world.counter.settled());
  const io = (await readsAndWrites(operator.process.pid)) - ioBefore;
  const { calls, json, allocatedBytes } = await take();
  const log = operator.process.log.slice(logged).reduce((sum, line) => sum + JSON.stringify(line).length + 1, 0);
  const kibibytes = (name: string, bytes: number) => figure(name, bytes / objects / 1024, "KiB");
  return {
    calls: Object.fromEntries(
      Object.entries(calls)
        .map(([name, times]) => [name, times / objects] as const)
        .toSorted(([, one], [, other]) => other - one),
    ),
    figures: [
      count("Calls to the platform", traffic.platformCalls / objects),
      count("Writes to Kubernetes", traffic.kubernetesWrites / objects),
      count("Writes of events", traffic.eventWrites / objects),
      ...Object.entries(counted).map(([name, functions]) =>
        count(name, functions.reduce((sum, each) => sum + (calls[each] ?? 0), 0) / objects),
      ),
      count("JSON texts, parsed / written", [json.parsed.texts / objects, json.written.texts / objects]),
      figure(
        "JSON, parsed / written",
        [json.parsed.characters / objects / 1024, json.written.characters / objects / 1024],
        "KiB",
      ),
      kibibytes("Allocated on the heap", allocatedBytes),
      count("System calls that read or write", io / objects),
      kibibytes("Log", log),
    ],
  };
}

/** The system calls of a process that read or wrote: proc_pid_io(5). */
async function readsAndWrites(pid: number): Promise<number> {
  const io = await readFile(`/proc/${pid}/io`, "utf8");
  return [...io.matchAll(/^sysc[rw]: (\d+)$/gm)].reduce((sum, [, calls]) => sum + Number(calls), 0);
}
