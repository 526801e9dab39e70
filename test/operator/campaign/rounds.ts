import { startControlPlane } from "#test/support/control-plane/control-plane.ts";
import type { CampaignOptions } from "./options.ts";
import { type RoundResult, runRound } from "./round.ts";

/**
 * Runs the rounds, as many at the same time as `options.parallel` says, each on a control plane of its own: a round mostly waits.
 * @returns whether all of them were completed without a violation
 */
export async function runRounds(options: CampaignOptions, print: (line: string) => void): Promise<boolean> {
  const seeds = seedsOf(options);
  const results: RoundResult[] = [];
  let failed = 0;
  const startedAt = performance.now();
  const runLane = async () => {
    const controlPlane = await startControlPlane({ progress: print });
    // All lanes take the next seed from the same generator.
    for (const seed of seeds)
      try {
        const result = await runRound(controlPlane, seed, options, (line) => print(`seed ${seed}: ${line}`));
        results.push(result);
        print(textOf(result));
      } catch (error) {
        failed += 1;
        print(`seed ${seed}: the round could not be completed: ${(error as Error).stack}`);
      }
    await controlPlane.stop();
  };
  await Promise.all(Array.from({ length: Math.min(options.parallel, options.rounds) }, runLane));
  const sum = (of: (result: RoundResult) => number) => results.reduce((total, result) => total + of(result), 0);
  const done: Record<string, number> = {};
  for (const result of results) for (const [name, count] of result.done) done[name] = (done[name] ?? 0) + count;
  print(`operations: ${listOf(done)}`);
  const violations = sum((result) => result.violations.length);
  print(
    `${results.length} rounds, ${sum(({ counts }) => counts.operations)} operations, ${sum(({ counts }) => counts.kills)} SIGKILLs, ` +
      `${sum(({ counts }) => counts.pauses)} paused leaders, ${sum(({ counts }) => counts.cuts)} cuts, ${sum(({ counts }) => counts.stalls)} stalls, ${sum((result) => result.faults)} faults, ` +
      `${sum((result) => result.reported.length)} reported orphans, ${violations} violations, ${failed} rounds not completed, ` +
      `${Math.round((performance.now() - startedAt) / 1000)} s`,
  );
  return violations + failed === 0;
}

function* seedsOf({ seed, rounds }: CampaignOptions): Generator<number> {
  for (let next = seed; next < seed + rounds; next += 1) yield next;
}

function textOf(result: RoundResult): string {
  const { violations, evidence, reported } = result;
  return [
    lineOf(result),
    `  compared at rest: ${listOf(result.compared)}`,
    ...violations.map((violation) => `  ${violation}`),
    ...(evidence === undefined ? [] : [`  logs, metrics and states: ${evidence}`]),
    ...reported.map((text) => `  reported as an orphan: ${text}`),
  ].join("\n");
}

function listOf(numbers: Readonly<Record<string, number>>): string {
  return Object.entries(numbers)
    .map(([name, count]) => `${count} ${name}`)
    .join(", ");
}

function lineOf({ seed, counts, faults, objects, violations: found, reported, seconds }: RoundResult): string {
  const { operations, refused, creations, kills, pauses, cuts, stalls, slow } = counts;
  return (
    `seed ${seed}: ${operations} operations (${refused} refused), ${creations} requests to create, ${kills} SIGKILLs, ${pauses} paused leaders, ${cuts} cuts, ${stalls} stalls, ` +
    `${faults} faults, ${slow} late responses, ${objects} objects left, ${reported.length} reported orphans, ${found.length} violations, ${seconds} s`
  );
}
