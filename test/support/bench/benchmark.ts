import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { type Command, readCommandLine } from "#test/support/command-line.ts";
import { bundle, type Program } from "./bundle.ts";

/** A program that measures Muster as production runs it. Its name is that of its npm script. */
export interface Benchmark<Options> extends Command {
  /** The manifest whose container is measured: its memory limit sizes the heap. */
  readonly manifest: string;
  /** @throws {Error} that names the invalid option */
  readonly readOptions: (args: readonly string[]) => Options | "help";
  readonly measure: (options: Options, program: Program) => Promise<void>;
}

/**
 * Runs a benchmark as a command: reads its options, bundles the program, measures, and removes the bundle. The process
 * exits with 2 if an option is invalid, and with 1 if the measurement fails or a signal arrives.
 */
export async function runBenchmark<Options>(benchmark: Benchmark<Options>): Promise<void> {
  const { name } = benchmark;
  // The measured servers end when this process exits, but not when a signal ends it.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.once(signal, () => fail(`${name}: ended by ${signal}`));
  const options = readCommandLine(benchmark, benchmark.readOptions);
  const folder = await mkdtemp(join(tmpdir(), "muster-bench-"));
  try {
    await benchmark.measure(options, await bundle(folder, benchmark.manifest));
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    fail(`${name}: ${inspect(error)}`);
  }
  await rm(folder, { recursive: true, force: true });
}

/** Also ends the servers that still run. */
function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
