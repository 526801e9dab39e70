import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { constants } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PostgresServer } from "#src/platform/tests/postgres-server.testing.ts";
import type { Program } from "#test/support/bench/bundle.ts";
import { percentile } from "#test/support/bench/percentile.ts";
import { coreSeconds, cpuSeconds, memoryMiB } from "#test/support/bench/process-usage.ts";
import { PlatformProcess } from "#test/support/harness/platform-process.ts";
import { callsOf } from "./cases.ts";
import { onPlatformCore, platformCore } from "./cores.ts";
import type { Figure, Fill } from "./figures.ts";
import { filledFile } from "./fill.ts";
import { HttpCallers } from "./http-callers.ts";
import { Issuer } from "./issuer.ts";
import type { Backend, PlatformBenchOptions } from "./options.ts";
import { postgresCopy } from "./postgres-copy.ts";
import { createWorld } from "./world.ts";

/** Each case runs for this long before it is measured: the code is compiled and caches fill. */
const warmUpSeconds = 1;

export interface RunOptions extends Pick<PlatformBenchOptions, "cases" | "callers" | "seconds" | "data"> {
  readonly backend: Backend;
  readonly size: number;
}

/** Measures the cases on one backend with one size. @param report called with each figure when it is known */
export async function run(
  program: Program,
  options: RunOptions,
  report: (found: { readonly fill: Fill } | { readonly figure: Figure }) => void,
): Promise<void> {
  const { backend, size } = options;
  const folder = await mkdtemp(join(tmpdir(), "muster-bench-platform-"));
  const cleanups: (() => unknown)[] = [() => rm(folder, { recursive: true })];
  try {
    const filled = await filledFile(options.data ?? folder, size);
    if (backend === "sqlite" && filled.seconds !== undefined)
      report({ fill: { backend, size, seconds: filled.seconds } });
    const certificate = join(folder, "issuer.pem");
    const issuer = await Issuer.start(certificate);
    cleanups.push(() => issuer.stop());
    const flags = ["--trusted-issuer", `${issuer.url},ca=${certificate}`, "--key-file", join(folder, "key")];
    if (backend === "sqlite") {
      const path = join(folder, "data");
      await copyFile(filled.path, path, constants.COPYFILE_FICLONE);
      flags.push("--data", path);
    } else {
      const server = await PostgresServer.start({ durable: true });
      cleanups.push(() => server.stop());
      const started = performance.now();
      const url = await postgresCopy(server, filled.path);
      report({ fill: { backend, size, seconds: (performance.now() - started) / 1_000 } });
      flags.push("--database", url, "--admin-token-file", filled.adminTokenFile);
    }
    const platform = new PlatformProcess(flags, {
      program: program.file,
      launcher: onPlatformCore,
      env: { NODE_ENV: "production", ...program.env },
      onLine: (line) => {
        if (!line.includes('"level":"info"')) process.stderr.write(`${line}\n`);
      },
    });
    cleanups.push(() => platform.stop());
    const { address, rootGroup } = await platform.listening();
    const callers = await HttpCallers.open(address, options.callers);
    cleanups.push(() => callers.close());
    const adminToken = (await readFile(filled.adminTokenFile, "utf8")).trim();
    const world = await createWorld({ callers, address, rootGroup, adminToken, issuer });
    for (const name of options.cases) {
      const calls = await callsOf(world, name);
      const figure = await measure(platform.pid, callers, options.seconds, calls);
      report({ figure: { backend, size, case: name, ...figure } });
    }
  } finally {
    for (const cleanUp of cleanups.toReversed()) await cleanUp();
  }
}

async function measure(
  pid: number,
  callers: HttpCallers,
  seconds: number,
  calls: Awaited<ReturnType<typeof callsOf>>,
): Promise<Omit<Figure, "backend" | "size" | "case">> {
  await callers.run(warmUpSeconds, calls);
  await resetPeakMemory(pid);
  const before = [await cpuSeconds(pid), await coreSeconds(platformCore)] as const;
  const load = await callers.run(seconds, calls);
  const cpu = (await cpuSeconds(pid)) - before[0];
  const core = (await coreSeconds(platformCore)) - before[1];
  const memory = await memoryMiB(pid);
  const count = load.latencies.length;
  return {
    requestsPerSecond: count / load.seconds,
    p50Milliseconds: percentile(load.latencies, 0.5),
    p99Milliseconds: percentile(load.latencies, 0.99),
    cpuMillisecondsPerCall: (cpu * 1_000) / count,
    rssMiB: memory.now,
    peakRssMiB: memory.peak,
    othersShare: Math.max(0, core - cpu) / load.seconds,
  };
}

/** The kernel measures the peak again from now on; see proc_pid_clear_refs(5). */
async function resetPeakMemory(pid: number): Promise<void> {
  await writeFile(`/proc/${pid}/clear_refs`, "5");
}
