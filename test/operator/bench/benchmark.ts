import { applyAdmissionPolicy } from "#test/deploy/admission-policy.ts";
import { benchmarkCommand, type Run } from "#test/support/bench/benchmark.ts";
import type { Outcome } from "#test/support/bench/outcome.ts";
import { columnTable } from "#test/support/bench/report.ts";
import type { Results } from "#test/support/bench/results.ts";
import { costs } from "./costs.ts";
import { type OperatorOptions, options } from "./options.ts";
import { inWorld } from "./world.ts";

export const operator = benchmarkCommand({
  name: "operator",
  summary: "What the operator costs: creation, edits, rest, a restart and deletion, on a real control plane.",
  help: "With --against, only the operator is that of the other tree; the platform is always that of this one.",
  manifest: "deploy/kustomize/base/deployment.yaml",
  layout: "columns",
  options,
  page,
  measure: async (given, run) => {
    for (const each of given.allSettings ? allSettings(given) : [given]) await measure(each, run);
  },
});

function allSettings(given: OperatorOptions): OperatorOptions[] {
  return [900, 4500].flatMap((objects) =>
    [0, 20].flatMap((platformLatency) =>
      [false, true].map((admissionPolicy) => ({ ...given, objects, platformLatency, admissionPolicy })),
    ),
  );
}

async function measure(given: OperatorOptions, run: Run): Promise<void> {
  const { objects, platformLatency, admissionPolicy } = given;
  const platformFlags = ["--latency", `${platformLatency}ms`];
  const outcome = await inWorld(run, { namespaces: ["bench"], platformFlags }, async (world) => {
    if (admissionPolicy) await applyAdmissionPolicy(world.controlPlane.admin);
    return costs(world, "bench", given);
  });
  const policy = admissionPolicy ? "with the admission policy" : "without the admission policy";
  run.report({ case: `${objects} objects, latency ${platformLatency} ms, ${policy}`, ...outcome });
}

/** A table for each number of objects. */
function page({ machine, outcomes }: Results): string[] {
  const sizeOf = (outcome: Outcome) => outcome.case.split(",")[0] ?? "";
  const sizes = [...new Set(outcomes.map(sizeOf))];
  const tableOf = (size: string) => {
    const own = outcomes.filter((outcome) => sizeOf(outcome) === size);
    return columnTable(own, (outcome) => outcome.case.slice(size.length + 2));
  };
  return [`${machine}.`, ...sizes.flatMap((size) => [`**${size}**`, tableOf(size)])];
}
