import { spawn } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { readCommandLine, readFlags } from "#test/support/command-line.ts";
import { cacheFolder } from "#test/support/go-program/build.ts";

/** What the compiler knows of the files since the last run, so that it checks only what a change can affect. */
const checkedTypes = join(cacheFolder(), "types.tsbuildinfo");

/** The checks in addition to the tests. All of them run, so that one run reports every failure. */
const checks: readonly (readonly [name: string, command: string])[] = [
  ["types", `tsc --noEmit --incremental --tsBuildInfoFile "${checkedTypes}"`],
  ["lint", "oxlint --quiet"],
  ["import rules", "node scripts/check-imports.ts"],
  ["format", "biome format ."],
  ["generated: CRDs", "node scripts/generate-crds.ts --check"],
  ["generated: lists of kinds in deploy/", "node scripts/generate-deploy.ts --check"],
  ["generated: charts", "node scripts/generate-charts.ts --check"],
  ["generated: reference of custom resources", "node scripts/generate-reference.ts --check"],
  ["generated: reference of commands", "node scripts/generate-cli-reference.ts --check"],
  ["generated: reference of limits", "node scripts/generate-limits-reference.ts --check"],
  ["generated: reference of metrics", "node scripts/generate-metrics-reference.ts --check"],
  ["generated: page of the policy", "node scripts/generate-policy.ts --check"],
  ["generated: counts of the reading path", "node scripts/generate-reading-path.ts --check"],
  ["generated: dashboards", "node scripts/generate-dashboards.ts --check"],
  ["generated: health checks for Argo CD", "node scripts/generate-argocd.ts --check"],
  ["generated: contract", "node scripts/generate-contract.ts --check"],
  ["generated: stored messages", "node scripts/generate-stored-messages.ts --check"],
  ["generated: conformance table", "node scripts/generate-conformance-table.ts --check"],
  ["unused code and dependencies", "knip"],
];

const usage = `Usage: npm run check

Runs every check in addition to the tests, and exits with 1 if one of them fails:

${checks.map(([name, command]) => `  ${name} (${command})`).join("\n")}
`;
readCommandLine({ name: "check", usage }, (args) => readFlags(args, []));

let failed = 0;
const queue = checks.values();
// One for each core: a few checks use several, but not for long.
await Promise.all(Array.from({ length: Math.min(availableParallelism(), 4) }, runChecks));
process.stdout.write(failed === 0 ? "All checks passed.\n" : `${failed} of ${checks.length} checks failed.\n`);
process.exitCode = failed === 0 ? 0 : 1;

/** Runs one check after another until none is left. */
async function runChecks(): Promise<void> {
  for (const [name, command] of queue) {
    const started = performance.now();
    const child = spawn(command, { shell: true, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (chunk: string) => {
        output += chunk;
      });
    const [code] = (await once(child, "close")) as [number | null];
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    process.stdout.write(`${code === 0 ? "ok    " : "FAILED"} ${name} (${command}, ${seconds} s)\n`);
    if (code === 0) continue;
    failed += 1;
    process.stdout.write(`${output.trimEnd()}\n\n`);
  }
}
