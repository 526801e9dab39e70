import { inspect } from "node:util";
import { readCommandLine } from "#test/support/command-line.ts";

/** Each is loaded when it is named: all of them take most of a second. */
const benchmarks = {
  operator: async () => (await import("#test/operator/bench/benchmark.ts")).operator,
  bound: async () => (await import("#test/operator/bound/benchmark.ts")).bound,
  count: async () => (await import("#test/operator/count/benchmark.ts")).countBenchmark,
  scale: async () => (await import("#test/operator/scale/benchmark.ts")).scale,
  recovery: async () => (await import("#test/operator/bench/recovery.ts")).recovery,
  platform: async () => (await import("#test/platform/bench/benchmark.ts")).platform,
  abuse: async () => (await import("#test/platform/abuse/benchmark.ts")).abuse,
  connections: async () => (await import("#test/platform/connections/benchmark.ts")).connections,
  agent: async () => (await import("#test/workload/bench/benchmark.ts")).agent,
  "pod-start": async () => (await import("#test/e2e/pod-start-benchmark.ts")).podStart,
  containers: async () => (await import("#test/e2e/containers-benchmark.ts")).containers,
  commands: async () => (await import("#test/commands/bench/benchmark.ts")).commands,
} as const;

const [given = ""] = process.argv.slice(2);
const benchmark = isBenchmark(given) ? await benchmarks[given]() : undefined;
const usage = benchmark?.usage ?? (await usageOfAll());
const measure = readCommandLine({ name: "bench", usage }, ([name = "", ...args]) => {
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

function isBenchmark(name: string): name is keyof typeof benchmarks {
  return Object.hasOwn(benchmarks, name);
}

async function usageOfAll(): Promise<string> {
  const all = await Promise.all(Object.values(benchmarks).map((load) => load()));
  return `Usage: npm run bench -- NAME [OPTIONS]

Measures Muster as production runs it: the bundle, with the environment of the image. Everything runs on this machine.

${all.map(({ name, summary }) => `  ${name.padEnd(12)} ${summary}`).join("\n")}

npm run bench -- NAME --help prints the options.
`;
}
