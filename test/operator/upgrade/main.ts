// Two builds of the operator take turns on one control plane and one platform. The tests of upgrades start one build on the recorded
// state of another one, and the campaign runs one build: neither shows what two builds do with what the other one wrote.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { thisTree } from "#test/support/bench/bundle.ts";
import { writeJson } from "#test/support/bench/write-json.ts";
import { readCommandLine } from "#test/support/command-line.ts";
import { readOptions, usage } from "./options.ts";
import { loadRelease } from "./release.ts";
import { runUpgrades } from "./run.ts";

const options = readCommandLine({ name: "upgrade", usage }, readOptions);
// The processes end when this one exits, but not when a signal ends it.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(1));

const print = (text: string) => void process.stdout.write(`${text}\n`);
const folder = mkdtempSync(join(tmpdir(), "muster-upgrade-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
print("building");
const older = await loadRelease("older", options.from, folder);
const newer = await loadRelease("newer", options.to ?? thisTree, folder);
let violations = 0;
const results = await runUpgrades({ older, newer }, options, (text, found, evidence) => {
  print(text);
  for (const violation of found) print(`  ${violation}`);
  if (evidence !== undefined) print(`  logs and states: ${evidence}`);
  violations += found.length;
});
if (options.json !== undefined) writeJson(options.json, results);
print(`${results.length} turns, ${violations} violations`);
process.exit(violations === 0 ? 0 : 1);
