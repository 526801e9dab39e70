import { constants } from "node:fs";
import { copyFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { PostgresServer } from "#src/platform/tests/postgres-server.testing.ts";
import type { Backend } from "./options.ts";
import { postgresCopy } from "./postgres-copy.ts";

/** The data of one platform. */
export interface PlatformData {
  readonly flags: readonly string[];
  /** The file or the URL of the database. */
  readonly database: string;
}

/** Where platforms get their data from. */
export interface DataSource {
  /** A copy of the data. With SQLite it replaces the one before. */
  readonly newData: () => Promise<PlatformData>;
  /** The seconds that it took to load the data into PostgreSQL; undefined with SQLite. */
  readonly copySeconds: number | undefined;
}

export interface DataSourceOptions {
  readonly backend: Backend;
  /** For the copies. */
  readonly folder: string;
  /** The filled SQLite file. */
  readonly filled: string;
  /** Copies the file into PostgreSQL. */
  readonly copy?: typeof postgresCopy | undefined;
}

/** Starts PostgreSQL if it is the backend; it stops with `resources`. */
export async function dataSource(
  resources: AsyncDisposableStack,
  { backend, folder, filled, copy = postgresCopy }: DataSourceOptions,
): Promise<DataSource> {
  if (backend === "sqlite") {
    const database = join(folder, "data");
    const newData = async () => {
      for (const suffix of ["", "-wal", "-shm"]) await rm(database + suffix, { force: true });
      await copyFile(filled, database, constants.COPYFILE_FICLONE);
      return { flags: ["--data", database], database };
    };
    return { newData, copySeconds: undefined };
  }
  const server = resources.adopt(await PostgresServer.start({ durable: true }), (one) => one.stop());
  const started = performance.now();
  const template = new URL(await copy(server, filled)).pathname.slice(1);
  const copySeconds = (performance.now() - started) / 1_000;
  const newData = async () => {
    const database = await server.newDatabase(template);
    return { flags: ["--database", database], database };
  };
  return { newData, copySeconds };
}
