import { constants } from "node:fs";
import { copyFile, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PostgresServer } from "#src/platform/tests/postgres-server.testing.ts";
import type { Program } from "#test/support/bench/bundle.ts";
import { PlatformProcess } from "#test/support/harness/platform-process.ts";
import { callsOf } from "./cases.ts";
import { onPlatformCore } from "./cores.ts";
import type { FilledFile } from "./fill.ts";
import { type HttpCall, HttpCallers } from "./http-callers.ts";
import { Issuer } from "./issuer.ts";
import type { Backend } from "./options.ts";
import { postgresCopy } from "./postgres-copy.ts";
import { createWorld } from "./world.ts";

/** A running platform with data of its own, and the callers that load it. */
export interface Subject {
  readonly pid: number;
  readonly callers: HttpCallers;
  /** The seconds that it took to load the data into PostgreSQL; undefined with SQLite. */
  readonly copySeconds: number | undefined;
  /** The calls of a case by number. @throws {Error} for an unknown case */
  readonly callsOf: (name: string) => Promise<(n: number) => HttpCall>;
  /** Ends the platform and removes its copy of the data. */
  readonly close: () => Promise<void>;
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

/** Starts a platform as production runs it, on a core of its own. */
export async function startSubject(
  program: Program,
  { backend, filled, callers: count, copy = postgresCopy }: SubjectOptions,
): Promise<Subject> {
  const folder = await mkdtemp(join(tmpdir(), "muster-bench-platform-"));
  const cleanups: (() => unknown)[] = [() => rm(folder, { recursive: true })];
  const close = async () => {
    for (const cleanUp of cleanups.toReversed()) await cleanUp();
  };
  try {
    const certificate = join(folder, "issuer.pem");
    const issuer = await Issuer.start(certificate);
    cleanups.push(() => issuer.stop());
    const flags = ["--trusted-issuer", `${issuer.url},ca=${certificate}`, "--key-file", join(folder, "key")];
    let copySeconds: number | undefined;
    if (backend === "sqlite") {
      const path = join(folder, "data");
      await copyFile(filled.path, path, constants.COPYFILE_FICLONE);
      flags.push("--data", path);
    } else {
      const server = await PostgresServer.start({ durable: true });
      cleanups.push(() => server.stop());
      const started = performance.now();
      const url = await copy(server, filled.path);
      copySeconds = (performance.now() - started) / 1_000;
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
    const callers = await HttpCallers.open(address, count);
    cleanups.push(() => callers.close());
    const adminToken = (await readFile(filled.adminTokenFile, "utf8")).trim();
    const world = await createWorld({ callers, address, rootGroup, adminToken, issuer });
    return { pid: platform.pid, callers, copySeconds, callsOf: (name) => callsOf(world, name), close };
  } catch (error) {
    await close();
    throw error;
  }
}
