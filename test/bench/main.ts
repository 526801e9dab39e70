import { inspect } from "node:util";
import { commands } from "#test/commands/bench/benchmark.ts";
import { podStart } from "#test/e2e/pod-start-benchmark.ts";
import { operator } from "#test/operator/bench/benchmark.ts";
import { recovery } from "#test/operator/bench/recovery.ts";
import { scale } from "#test/operator/scale/benchmark.ts";
import { abuse } from "#test/platform/abuse/benchmark.ts";
import { platform } from "#test/platform/bench/benchmark.ts";
import { connections } from "#test/platform/connections/benchmark.ts";
import { readCommandLine } from "#test/support/command-line.ts";
import { agent } from "#test/workload/bench/benchmark.ts";

const benchmarks = [operator, scale, recovery, platform, abuse, connections, agent, podStart, commands];

const usage = `Usage: npm run bench -- NAME [OPTIONS]

Measures Muster as production runs it: the bundle, with the environment of the image. Everything runs on this machine.

${benchmarks.map(({ name, summary }) => `  ${name.padEnd(12)} ${summary}`).join("\n")}

npm run bench -- NAME --help prints the options.
`;

const [given = ""] = process.argv.slice(2);
const benchmark = benchmarks.find(({ name }) => name === given);
const measure = readCommandLine({ name: "bench", usage: benchmark?.usage ?? usage }, ([name = "", ...args]) => {
  if (benchmark === undefined) throw new Error(name === "" ? "name a benchmark" : `there is no benchmark "${name}"`);
  return benchmark.prepare(args);
});
// The measured servers end when this process exits, but not when a signal ends it.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => fail(`ended by ${signal}`));
try {
  await measure();
} catch (error) {
  fail(inspect(error));
}

/** Also ends the servers that still run. */
function fail(message: string): never {
  process.stderr.write(`bench ${given}: ${message}\n`);
  process.exit(1);
}
