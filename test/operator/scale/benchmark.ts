import { inWorld, type World } from "#test/operator/bench/world.ts";
import { benchmarkCommand, type Run } from "#test/support/bench/benchmark.ts";
import { goalTable } from "#test/support/bench/report.ts";
import type { Results } from "#test/support/bench/results.ts";
import { FaultProxy } from "#test/support/harness/fault-proxy.ts";
import { options, type ScaleOptions, type ScenarioName, scenarioNames } from "./options.ts";
import { adoption } from "./scenarios/adoption.ts";
import { large } from "./scenarios/large.ts";
import { namespaces } from "./scenarios/namespaces.ts";
import { noisy } from "./scenarios/noisy.ts";
import { outage } from "./scenarios/outage.ts";
import { rest } from "./scenarios/rest.ts";
import { tenants } from "./scenarios/tenants.ts";

const inOneWorld = { tenants, noisy, adoption, namespaces, rest, large } as const;

/** The heap of the operator with very many objects, in MiB: half of the memory limit that they need. */
const largeHeapMiB = 512;
/** By default, a root group has 100,000 resources at most, and everything here is below one. */
const largerThanLimits = ["--maximum-resources", "1000000", "--maximum-audit-bytes", "1000000000"];

export const scale = benchmarkCommand({
  name: "scale",
  summary: "The operator with many Tenants, a noisy one, adoption, deleted namespaces and an outage.",
  help: "Each scenario has servers of its own.",
  manifest: "deploy/kustomize/base/deployment.yaml",
  layout: "columns",
  options,
  page,
  measure: async (given, run) => {
    if (given.ownCredentials >= given.tenants) throw new Error("--own-credentials must be less than --tenants");
    for (const scenario of given.scenario)
      await runScenario(scenario, given, { ...run, progress: (phase) => run.progress(`${scenario}: ${phase}`) });
  },
});

async function runScenario(scenario: ScenarioName, given: ScaleOptions, run: Run): Promise<void> {
  await using resources = new AsyncDisposableStack();
  const without = { namespaces: [], tenants: () => [] };
  if (scenario === "outage") {
    const proxy = resources.adopt(await FaultProxy.start(), (one) => one.stop());
    return run.report(await inWorld(run, { ...without, proxy }, (world) => outage(world, proxy, given)));
  }
  const measure = (world: World) => inOneWorld[scenario](world, given);
  if (scenario !== "large") return run.report(await inWorld(run, without, measure));
  const program = { ...run.program, env: withHeapOf(largeHeapMiB, run.program.env) };
  run.report(await inWorld({ ...run, program }, { ...without, platformFlags: largerThanLimits }, measure));
}

/** The environment of the image, in a container with more memory than the manifest's. */
function withHeapOf(mebibytes: number, env: Run["program"]["env"]): Run["program"]["env"] {
  const given = env["NODE_OPTIONS"] ?? "";
  return { ...env, NODE_OPTIONS: given.replace(/--max-old-space-size=\d+/, `--max-old-space-size=${mebibytes}`) };
}

/** A paragraph and a table for each scenario, in the order of `--help`. */
function page({ machine, outcomes }: Results): string[] {
  const ordered = scenarioNames.flatMap((name) => outcomes.filter((outcome) => outcome.case === name));
  const tables = ordered.flatMap((outcome) => [`## ${outcome.case}`, `${outcome.setting}`, goalTable(outcome)]);
  return [`${machine}.`, ...tables];
}
