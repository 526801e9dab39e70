import { copyFile, mkdtemp, readFile, rm } from "node:fs/promises";
import { constants } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PostgresServer } from "#src/platform/tests/postgres-server.testing.ts";
import type { Program } from "#test/operator/bench/bundle.ts";
import { coreSeconds, cpuSeconds, memoryMiB } from "#test/operator/bench/process-usage.ts";
import { callsOf } from "./cases.ts";
import { platformCore } from "./cores.ts";
import type { Figure, Fill } from "./figures.ts";
import { filledFile } from "./fill.ts";
import { HttpCallers } from "./http-callers.ts";
import { Issuer } from "./issuer.ts";
import type { Backend, PlatformBenchOptions } from "./options.ts";
import { PlatformProcess } from "./platform-process.ts";
import { postgresCopy } from "./postgres-copy.ts";
import { makeWorld } from "./world.ts";

/** Before a case is measured it runs for so long: code is compiled, caches fill. */
const warmUpSeconds = 1;

export interface RunOptions extends Pick<PlatformBenchOptions, "cases" | "callers" | "seconds" | "data"> {
  readonly backend: Backend;
  readonly size: number;
}

/** Measures the cases on one backend with one size. @param tell what has come to be known */
export async function run(
  program: Program,
  options: RunOptions,
  tell: (found: { readonly fill: Fill } | { readonly figure: Figure }) => void,
): Promise<void> {
  const { backend, size } = options;
  const folder = await mkdtemp(join(tmpdir(), "muster-bench-platform-"));
  const ends: (() => unknown)[] = [() => rm(folder, { recursive: true })];
  try {
    const filled = await filledFile(options.data ?? folder, size);
    if (backend === "sqlite" && filled.seconds !== undefined)
      tell({ fill: { backend, size, seconds: filled.seconds } });
    const certificate = join(folder, "issuer.pem");
    const issuer = await Issuer.start(certificate);
    ends.push(() => issuer.stop());
    const settings = ["--trusted-issuer", `${issuer.url},ca=${certificate}`, "--key-file", join(folder, "key")];
    if (backend === "sqlite") {
      const path = join(folder, "data");
      await copyFile(filled.path, path, constants.COPYFILE_FICLONE);
      settings.push("--data", path);
    } else {
      const server = await PostgresServer.start({ durable: true });
      ends.push(() => server.stop());
      const started = performance.now();
      const url = await postgresCopy(server, filled.path);
      tell({ fill: { backend, size, seconds: (performance.now() - started) / 1_000 } });
      settings.push("--database", url, "--admin-token-file", filled.adminTokenFile);
    }
    const platform = await PlatformProcess.start(program, settings);
    ends.push(() => platform.stop());
    const callers = await HttpCallers.open(platform.address, options.callers);
    ends.push(() => callers.close());
    const admin = (await readFile(filled.adminTokenFile, "utf8")).trim();
    const world = await makeWorld(callers, platform.address, platform.rootGroup, admin, issuer);
    for (const name of options.cases) {
      const calls = await callsOf(world, name);
      tell({ figure: { backend, size, case: name, ...(await measure(platform, callers, options.seconds, calls)) } });
    }
  } finally {
    for (const end of ends.toReversed()) await end();
  }
}

async function measure(
  platform: PlatformProcess,
  callers: HttpCallers,
  seconds: number,
  calls: Awaited<ReturnType<typeof callsOf>>,
): Promise<Omit<Figure, "backend" | "size" | "case">> {
  await callers.run(warmUpSeconds, calls);
  await platform.forgetPeak();
  const before = [await cpuSeconds(platform.pid), await coreSeconds(platformCore)] as const;
  const load = await callers.run(seconds, calls);
  const cpu = (await cpuSeconds(platform.pid)) - before[0];
  const core = (await coreSeconds(platformCore)) - before[1];
  const memory = await memoryMiB(platform.pid);
  const count = load.latencies.length;
  const at = (share: number) => load.latencies[Math.min(count - 1, Math.floor(count * share))] ?? 0;
  return {
    requestsPerSecond: count / load.seconds,
    p50Milliseconds: at(0.5),
    p99Milliseconds: at(0.99),
    cpuMillisecondsPerCall: (cpu * 1_000) / count,
    rssMiB: memory.now,
    peakRssMiB: memory.peak,
    othersShare: Math.max(0, core - cpu) / load.seconds,
  };
}
