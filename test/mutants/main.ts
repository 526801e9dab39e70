import { parseArgs } from "node:util";
import { readCommandLine, wholeNumber } from "#test/support/command-line.ts";
import type { Mutant } from "./mutations.ts";
import { sample } from "./sample.ts";
import { type Level, tryTests } from "./try-tests.ts";

const usage = `Usage: npm run mutants -- [--seed N] [--count N] [--only N[-M],…] [--simulations] [--json] [PATH]

Changes single tokens of the reconciler's policy (src/reconcile/{policy,observe,tenancy,undeclared}) and reports which
changes the unit tests find. A change that they do not find is a missing test, code without use, or equivalent. It
exits with 0 whatever they find. A change that the compiler refuses is not tried, unless only another file would have the error.
All changes are in the code at once, behind switches: each test runs once without a change, and then with each that it
reaches and that no other test has found.

  --seed N       seed of the choice; the same seed and the same code give the same mutants (default 1)
  --count N      number of mutants (default 220)
  --only N-M,…   try only these of them, by their numbers
  --simulations  try what the unit tests do not find on the simulations, too: about a minute for each mutant
  --json         print the result as JSON
  PATH           only mutants of files whose path contains it
  --help         print this text
`;

/** All that reach the policy, without those of processes. */
const unitTests: Level = {
  name: "unit tests",
  include: ["src/{reconcile,kinds,plan}/**/*.test.ts"],
  testTimeout: 30_000,
};
const simulations: Level = {
  name: "simulations",
  include: ["test/operator/simulation/**/*.test.ts"],
  testTimeout: 120_000,
};

/** A mutant, with the level that finds it, and how; without one if it survives. */
interface Verdict extends Mutant {
  readonly foundBy?: { readonly level: string; readonly test: string; readonly error: string };
}

const options = readCommandLine({ name: "mutants", usage }, readOptions);
const { only } = options;
const progress = (line: string) => process.stderr.write(`${line}\n`);

let verdicts: readonly Verdict[] = sample(options).filter(({ number }) =>
  only.some(([from, to]) => number >= from && number <= to),
);
const levels = options.simulations ? [unitTests, simulations] : [unitTests];
for (const level of levels) {
  const found = await tryTests(survivors(), level, progress);
  verdicts = verdicts.map((one) => {
    const first = found.get(one.number);
    return first === undefined ? one : { ...one, foundBy: { level: level.name, test: first.test, error: first.error } };
  });
  progress(`${level.name}: ${found.size} found, ${survivors().length} left`);
}
if (options.json) console.log(JSON.stringify(verdicts, undefined, 2));
else {
  for (const { number, file, line, change, text } of survivors())
    console.log(`${number}  ${file}:${line}  ${change}: ${text.replaceAll(/\s+/g, " ").slice(0, 120)}`);
  for (const { name } of levels)
    console.log(`${name}: ${share(verdicts.filter(({ foundBy }) => foundBy?.level === name))} found`);
  console.log(`${share(survivors())} survive`);
}
// Tests may have left a timer.
process.exit(0);

function survivors(): readonly Verdict[] {
  return verdicts.filter(({ foundBy }) => foundBy === undefined);
}

function share({ length }: readonly Verdict[]): string {
  return `${length} of ${verdicts.length} (${((100 * length) / verdicts.length).toFixed(1)} %)`;
}

interface Options {
  readonly seed: number;
  readonly count: number;
  readonly path: string;
  /** Ranges of numbers, with both ends. */
  readonly only: readonly (readonly [from: number, to: number])[];
  readonly simulations: boolean;
  readonly json: boolean;
}

function readOptions(args: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      seed: { type: "string", default: "1" },
      count: { type: "string", default: "220" },
      only: { type: "string" },
      simulations: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
    },
  });
  if (positionals.length > 1) throw new Error("give at most one path");
  const count = wholeNumber("--count", values.count, 1);
  return {
    seed: wholeNumber("--seed", values.seed),
    count,
    path: positionals[0] ?? "",
    only: values.only?.split(",").map(rangeOf) ?? [[1, count]],
    simulations: values.simulations,
    json: values.json,
  };
}

function rangeOf(text: string): readonly [from: number, to: number] {
  const [from = "", to = from, ...more] = text.split("-");
  if (more.length > 0) throw new Error(`--only: "${text}" is not a range`);
  return [wholeNumber("--only", from, 1), wholeNumber("--only", to, 1)];
}
