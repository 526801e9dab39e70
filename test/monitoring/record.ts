import { performance } from "node:perf_hooks";
import { readCommandLine } from "#test/support/command-line.ts";
import { operatorScenarios } from "./operator-scenarios.ts";
import { platformScenarios } from "./platform-scenarios.ts";
import { Recorder } from "./recorder.ts";

const scenarios = [...operatorScenarios, ...platformScenarios];

const usage = `Usage: npm run record:metrics [-- NAME…]

Runs the operator and the platform through each failure that an alert is about, and records their metrics in
test/monitoring/recordings/. The tests of the alerts and of the dashboard evaluate these recordings. It takes about ten minutes.

  NAME     record only these: ${scenarios.map(({ name }) => name).join(", ")}
  --help   print this text
`;

const names = readCommandLine({ name: "record:metrics", usage }, (args) => {
  if (args.includes("--help")) return "help";
  const unknown = args.find((name) => scenarios.every((scenario) => scenario.name !== name));
  if (unknown !== undefined) throw new Error(`there is no scenario "${unknown}"`);
  return args;
});

for (const { name, record } of scenarios) {
  if (names.length > 0 && !names.includes(name)) continue;
  const started = performance.now();
  const recorder = new Recorder(name);
  try {
    await record(recorder);
    await recorder.write();
    process.stdout.write(`${name}: ${Math.round((performance.now() - started) / 1000)} s\n`);
  } catch (error) {
    process.stdout.write(`${name}: FAILED: ${String(error)}\n`);
    process.exitCode = 1;
  }
}
process.exit();
