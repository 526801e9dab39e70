// Plants known bugs in a copy of the tree and looks for the test that finds each: what a change of the tests must not lose.
import { writeJson } from "#test/support/bench/write-json.ts";
import { readCommandLine } from "#test/support/command-line.ts";
import { BugSearch, type Found } from "./find-bug.ts";
import { readOptions, usage } from "./options.ts";
import { levels, type PlantedBug } from "./planted-bug.ts";
import { TestRuns } from "./run-tests.ts";
import { ScratchTree } from "./scratch-tree.ts";
import { levelOf, TestOrder } from "./test-order.ts";

const { bugs, upTo, asBefore, json, lists } = readCommandLine({ name: "planted-bugs", usage }, readOptions);
const print = (text: string) => void process.stdout.write(`${text}\n`);
if (lists) {
  for (const { name, file, why } of bugs) print(`${name}  ${file}  ${why}`);
  process.exit(0);
}

const tree = ScratchTree.create();
process.once("exit", () => tree.remove());
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(1));

const order = new TestOrder(tree.root);
const results: object[] = [];
let lost = 0;
for (const faultPoints of ["some", "all"] as const) {
  const chosen = bugs.filter((bug) => (bug.faultPoints === true) === (faultPoints === "all"));
  if (chosen.length === 0) continue;
  const runs = await TestRuns.start(tree.root, faultPoints);
  const search = new BugSearch(tree, order, runs);
  for (const bug of chosen) {
    const started = performance.now();
    const found = await (asBefore ? search.findAsBefore(bug, upTo) : search.find(bug, upTo));
    const seconds = Math.round((performance.now() - started) / 1_000);
    if (isLost(bug, found)) lost += 1;
    print(`${bug.name}  ${textOf(bug, found)}  ${seconds} s`);
    const before = { level: levelOf(bug.foundBy), file: bug.foundBy };
    results.push({ name: bug.name, faultPoints, before, found: found ?? null, seconds });
    if (json !== undefined) writeJson(json, results);
  }
  await runs.close();
}
print(`${bugs.length} bugs, ${lost} of them not found as cheaply as before`);
process.exit(lost === 0 ? 0 : 1);

/** Whether the bug is found later than before. What is found only in a level that was not tried is not lost. */
function isLost({ foundBy }: PlantedBug, found: Found | undefined): boolean {
  const before = levels.indexOf(levelOf(foundBy));
  return found === undefined ? before <= levels.indexOf(upTo) : levels.indexOf(found.level) > before;
}

function textOf(bug: PlantedBug, found: Found | undefined): string {
  if (found === undefined) return isLost(bug, found) ? `NOT FOUND up to ${upTo}` : `not tried: ${levelOf(bug.foundBy)}`;
  const test = found.test === undefined ? "" : ` (${found.test})`;
  return `${isLost(bug, found) ? "LATER " : ""}${found.level}  ${found.file}${test}`;
}
