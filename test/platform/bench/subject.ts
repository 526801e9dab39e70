import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Program } from "#test/support/bench/bundle.ts";
import { type Figure, mebibytes, milliseconds } from "#test/support/bench/outcome.ts";
import { cpuSeconds, memoryMiB } from "#test/support/bench/process-usage.ts";
import { PlatformProcess } from "#test/support/harness/platform-process.ts";
import { callsOf } from "./cases.ts";
import { onPlatformCore } from "./cores.ts";
import { dataSource } from "./data-source.ts";
import type { FilledFile } from "./fill.ts";
import { type HttpCall, HttpCallers } from "./http-callers.ts";
import { Issuer } from "./issuer.ts";
import type { Backend } from "./options.ts";
import type { postgresCopy } from "./postgres-copy.ts";
import { createWorld } from "./world.ts";

/** A running platform with data of its own, and the callers that load it. */
export interface Subject {
  readonly pid: number;
  readonly callers: HttpCallers;
  /** What its start took, from the start of the process until it listened, and its memory a second after that. */
  readonly start: readonly Figure[];
  /** The seconds that it took to load the data into PostgreSQL; undefined with SQLite. */
  readonly copySeconds: number | undefined;
  /** The calls of a case by number. @throws {Error} for an unknown case */
  readonly callsOf: (name: string) => Promise<(n: number) => HttpCall>;
}

export interface SubjectOptions {
  readonly backend: Backend;
  /** The data, of which the platform gets a copy. */
  readonly filled: FilledFile;
  /** Concurrent calls. */
  readonly callers: number;
  /** Copies the data into PostgreSQL; that of the tree whose code filled it, because schemas differ. */
  readonly copy?: typeof postgresCopy;
}

/** Starts a platform as production runs it, on a core of its own. It ends with `resources`. */
export async function startSubject(
  resources: AsyncDisposableStack,
  program: Program,
  { backend, filled, callers: count, copy }: SubjectOptions,
): Promise<Subject> {
  const folder = resources.adopt(await mkdtemp(join(tmpdir(), "muster-bench-platform-")), (one) =>
    rm(one, { recursive: true }),
  );
  const certificate = join(folder, "issuer.pem");
  const issuer = resources.adopt(await Issuer.start(certificate), (one) => one.stop());
  const { newData, copySeconds } = await dataSource(resources, { backend, folder, filled: filled.path, copy });
  const flags = ["--key-file", join(folder, "key"), "--admin-token-file", filled.adminTokenFile];
  const trusted = ["--trusted-issuer", `${issuer.url},ca=${certificate}`];
  const began = performance.now();
  const platform = resources.adopt(
    new PlatformProcess([...(await newData()).flags, ...flags, ...trusted], {
      program: program.file,
      launcher: onPlatformCore,
      env: { NODE_ENV: "production", ...program.env },
      onLine: (line) => {
        if (!line.includes('"level":"info"')) process.stderr.write(`${line}\n`);
      },
    }),
    (one) => one.stop(),
  );
  const { address, rootGroup } = await platform.listening();
  const listeningAfter = performance.now() - began;
  const cpuOfStart = (await cpuSeconds(platform.pid)) * 1_000;
  await sleep(1_000);
  const { now: idle } = await memoryMiB(platform.pid);
  const start = [
    milliseconds("until it listens", listeningAfter),
    milliseconds("CPU until it listens", cpuOfStart),
    mebibytes("memory, idle", idle),
  ];
  const callers = resources.adopt(await HttpCallers.open(address, count), (one) => one.close());
  const adminToken = (await readFile(filled.adminTokenFile, "utf8")).trim();
  const world = await createWorld({ callers, address, rootGroup, adminToken, issuer });
  return { pid: platform.pid, callers, start, copySeconds, callsOf: (name) => callsOf(world, name) };
}
