import { spawnSync } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { kinds } from "#src/kinds/kinds.ts";
import { ending } from "#src/reconcile/policy/ending.ts";
import { existing } from "#src/reconcile/policy/existing.ts";
import { readCommandLine } from "#test/support/command-line.ts";
import { Comparison, type Convert } from "./comparison.ts";
import { countChecks } from "./order.ts";
import { readDecisions } from "./recorded-decision.ts";
import { recordingVariable } from "./recording-source.ts";

const usage = `Usage: npm run decisions -- record DIR [ARGUMENTS OF VITEST]
       npm run decisions -- compare DIR [--convert FILE] [--examples FILE]
       npm run decisions -- order DIR

Shows whether a change of the policy changes a decision. \`record\` runs tests (by default the unit tests of src/reconcile and the
simulations) and writes every distinct decision, as what was observed and the step, into the folder DIR, compressed. \`compare\` reads
these observations, decides about each again, and prints how the steps differ. The exit code is 1 if one does. \`order\` prints how
many of the decisions each check makes, and how many would differ if the check after it came first: one that makes none is not tested,
and where none differs, the order of the two does not matter.

  --convert FILE    a module that exports convert(observed), for observations of an earlier shape
  --examples FILE   write an example of each difference into this file, as JSON
  --help            print this text

To record a program, for instance the operators of a campaign, run its source, with the hook:
MUSTER_TEST_PROGRAM=src/main.ts NODE_OPTIONS="--import $PWD/test/decisions/record-from-start.ts" ${recordingVariable}=DIR
`;

const { verb, folder, rest } = readCommandLine({ name: "decisions", usage }, ([first, second, ...others]) => {
  if (first !== "record" && first !== "compare" && first !== "order") throw new Error("say record, compare or order");
  if (second === undefined) throw new Error("name the folder");
  return { verb: first, folder: resolve(second), rest: others };
});
if (verb === "record") {
  const tests =
    rest.length === 0 ? ["--project", "unit", "--project", "integration", "src/reconcile", "simulation"] : rest;
  const { status } = spawnSync("npx", ["vitest", "run", ...tests], {
    stdio: "inherit",
    env: { ...process.env, [recordingVariable]: folder },
  });
  process.exitCode = status ?? 1;
} else if (verb === "compare") await compare();
else showOrder();

function showOrder(): void {
  const checks = countChecks({ existing, ending });
  const comparison = new Comparison(kinds);
  compareAll(comparison);
  for (const { at, decided, beforeNext } of checks) console.log(`${decided}\t${beforeNext}\t${at}`);
  const unused = checks.filter(({ decided }) => decided === 0);
  const ordered = checks.filter(({ beforeNext }) => beforeNext > 0);
  console.log(
    `${comparison.compared} decisions: ${checks.length} checks, of which ${unused.length} make none; ` +
      `the order of ${ordered.length} and the check after each matters`,
  );
}

function compareAll(comparison: Comparison): void {
  for (const file of readdirSync(folder).toSorted())
    if (file.endsWith(".ndjson.gz"))
      for (const decision of readDecisions(join(folder, file))) comparison.compare(decision);
}

async function compare(): Promise<void> {
  const { values } = parseArgs({
    args: rest,
    options: { convert: { type: "string" }, examples: { type: "string" } },
  });
  const convert = values.convert === undefined ? undefined : await importConvert(values.convert);
  const comparison = new Comparison(kinds, convert);
  compareAll(comparison);
  const differences = comparison.differences();
  for (const { count, change } of differences) console.log(`${count}\t${change}`);
  console.log(
    `${comparison.compared} decisions compared, ${differences.reduce((sum, { count }) => sum + count, 0)} differ; ` +
      `${comparison.skipped} about kinds of tests skipped`,
  );
  if (values.examples !== undefined) writeFileSync(values.examples, JSON.stringify(differences, null, 2));
  process.exitCode = differences.length === 0 && comparison.compared > 0 ? 0 : 1;
}

async function importConvert(file: string): Promise<Convert> {
  const { convert } = (await import(resolve(file))) as { convert: Convert };
  return convert;
}
