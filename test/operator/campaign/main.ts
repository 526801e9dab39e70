import { readCommandLine } from "#test/support/command-line.ts";
import { startControlPlane } from "#test/support/control-plane/control-plane.ts";
import { readOptions, usage } from "./options.ts";
import { type RoundResult, runRound } from "./round.ts";

const options = readCommandLine({ name: "campaign", usage }, readOptions);
// The processes end when this one exits, but not when a signal ends it.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(1));

const print = (line: string) => void process.stdout.write(`${line}\n`);
const controlPlane = await startControlPlane({ progress: print });
const results: RoundResult[] = [];
let failed = 0;
for (let seed = options.seed; seed < options.seed + options.rounds; seed += 1) {
  try {
    const result = await runRound(controlPlane, seed, options, (line) => print(`seed ${seed}: ${line}`));
    results.push(result);
    print(lineOf(result));
    print(`  compared at rest: ${listOf(result.compared)}`);
    for (const violation of result.violations) print(`  ${violation}`);
    if (result.evidence !== undefined) print(`  logs, metrics and states: ${result.evidence}`);
    for (const text of result.reported) print(`  reported as an orphan: ${text}`);
  } catch (error) {
    failed += 1;
    print(`seed ${seed}: the round could not be completed: ${(error as Error).stack}`);
  }
}
const sum = (of: (result: RoundResult) => number) => results.reduce((total, result) => total + of(result), 0);
const violations = sum((result) => result.violations.length);
print(
  `${results.length} rounds, ${sum(({ counts }) => counts.operations)} operations, ${sum(({ counts }) => counts.kills)} SIGKILLs, ` +
    `${sum(({ counts }) => counts.pauses)} paused leaders, ${sum(({ counts }) => counts.cuts)} cuts, ${sum(({ counts }) => counts.stalls)} stalls, ${sum((result) => result.faults)} faults, ` +
    `${sum((result) => result.reported.length)} reported orphans, ${violations} violations, ${failed} rounds not completed`,
);
await controlPlane.stop();
process.exit(violations + failed === 0 ? 0 : 1);

function listOf(numbers: Readonly<Record<string, number>>): string {
  return Object.entries(numbers)
    .map(([name, count]) => `${count} ${name}`)
    .join(", ");
}

function lineOf({ seed, counts, faults, objects, violations: found, reported, seconds }: RoundResult): string {
  const { operations, refused, creations, kills, pauses, cuts, stalls } = counts;
  return (
    `seed ${seed}: ${operations} operations (${refused} refused), ${creations} requests to create, ${kills} SIGKILLs, ${pauses} paused leaders, ${cuts} cuts, ${stalls} stalls, ` +
    `${faults} faults, ${objects} objects left, ${reported.length} reported orphans, ${found.length} violations, ${seconds} s`
  );
}
