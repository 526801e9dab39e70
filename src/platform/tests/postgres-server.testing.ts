import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, constants, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { cp, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { Client } from "pg";
import { listenOnLoopback } from "#test/support/loopback.ts";
import { findPostgres } from "./find-postgres.testing.ts";

/** PostgreSQL refuses to run as root. If the tests do, it runs as the user `nobody`. */
const nobody = 65_534;

export interface PostgresOptions {
  /** Whether a commit waits until its data is on disk. */
  readonly durable?: boolean;
  /** Serves TLS with this key and certificate, to clients that ask for it. */
  readonly tls?: { readonly key: string; readonly certificate: string };
}

/** A PostgreSQL server on loopback in a temporary folder, which `stop` deletes. */
export class PostgresServer {
  readonly #child: ChildProcess;
  readonly #folder: string;
  readonly #port: number;
  readonly #password: string;
  #databases = 0;

  private constructor(child: ChildProcess, folder: string, port: number, password: string) {
    this.#child = child;
    this.#folder = folder;
    this.#port = port;
    this.#password = password;
  }

  /** @throws {PostgresUnavailable} */
  static async start({ durable = false, tls }: PostgresOptions = {}): Promise<PostgresServer> {
    const programs = findPostgres();
    const folder = mkdtempSync(join(tmpdir(), "muster-postgres-"));
    chmodSync(folder, 0o755);
    const bin = programs.kind === "system" ? programs.bin : await copyOf(programs.folder, join(folder, "programs"));
    const data = join(folder, "data");
    mkdirSync(data, { mode: 0o700 });
    const isRoot = userInfo().uid === 0;
    if (isRoot) chownSync(data, nobody, nobody);
    const as = { cwd: folder, env: { ...process.env, LC_ALL: "C" }, ...(isRoot ? { uid: nobody, gid: nobody } : {}) };
    const password = `password-${process.pid}-of-tests`;
    await writeFile(join(folder, "password"), password);
    await promisify(execFile)(
      join(bin, "initdb"),
      [
        "-D",
        data,
        "-U",
        "muster",
        `--pwfile=${join(folder, "password")}`,
        "--auth=scram-sha-256",
        "--encoding=UTF8",
        // A language's collation, so that tests fail if the platform does not compare byte by byte.
        "--locale=C",
        "--locale-provider=icu",
        "--icu-locale=en",
        "--no-sync",
        "--no-instructions",
      ],
      as,
    );
    if (tls !== undefined) {
      const files = { "server.key": tls.key, "server.crt": tls.certificate };
      for (const [name, text] of Object.entries(files)) {
        await writeFile(join(data, name), text, { mode: 0o600 });
        if (isRoot) chownSync(join(data, name), nobody, nobody);
      }
    }
    const port = await freePort();
    const settings = {
      listen_addresses: "127.0.0.1",
      port,
      unix_socket_directories: "",
      max_connections: 60,
      shared_buffers: "64MB",
      ssl: tls === undefined ? "off" : "on",
      ...(durable ? {} : { fsync: "off", full_page_writes: "off" }),
    };
    const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    const child = spawn(join(bin, "postgres"), ["-D", data, ...flags], { ...as, stdio: ["ignore", "ignore", "pipe"] });
    const server = new PostgresServer(child, folder, port, password);
    // If the tests end without stop.
    process.once("exit", () => {
      child.kill("SIGKILL");
      rmSync(folder, { recursive: true, force: true });
    });
    await server.#ready();
    return server;
  }

  /**
   * Creates a database. @returns its URL
   * @param template the database to copy, without open connections; by default, the new database is empty
   */
  async newDatabase(template = "template1"): Promise<string> {
    const name = `tests_${++this.#databases}`;
    await this.run("postgres", `create database ${name} template ${template}`);
    return this.#url(name);
  }

  /** Runs SQL on a connection of its own. @param database a name or a URL */
  async run(database: string, sql: string): Promise<readonly Record<string, unknown>[]> {
    const client = new Client({ connectionString: database.includes(":") ? database : this.#url(database) });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end();
    }
  }

  async stop(): Promise<void> {
    const exit = once(this.#child, "exit");
    // Immediate shutdown: the data is deleted anyway.
    this.#child.kill("SIGQUIT");
    await exit;
    await rm(this.#folder, { recursive: true });
  }

  #url(database: string): string {
    return `postgres://muster:${this.#password}@127.0.0.1:${this.#port}/${database}`;
  }

  async #ready(): Promise<void> {
    let log = "";
    await new Promise<void>((resolve, reject) => {
      this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => {
        log = (log + text).slice(-10_000);
        if (log.includes("ready to accept connections")) resolve();
      });
      this.#child.once("error", reject);
      this.#child.once("exit", (code) => reject(new Error(`PostgreSQL ended with ${code}:\n${log}`)));
    });
  }
}

/** Copies the programs so that another user can read them, and creates the symbolic links that the package only lists. */
async function copyOf(packageFolder: string, to: string): Promise<string> {
  await cp(join(packageFolder, "native"), to, { recursive: true, mode: constants.COPYFILE_FICLONE });
  for (const program of ["initdb", "postgres"]) chmodSync(join(to, "bin", program), 0o755);
  const list = join(to, "pg-symlinks.json");
  const links = existsSync(list)
    ? (JSON.parse(readFileSync(list, "utf8")) as readonly { readonly source: string; readonly target: string }[])
    : [];
  for (const { source, target } of links) {
    const path = join(to, target.replace(/^native\//, ""));
    await rm(path, { force: true });
    await symlink(basename(source), path);
  }
  return join(to, "bin");
}

async function freePort(): Promise<number> {
  const server = createServer();
  await listenOnLoopback(server);
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no free port");
  return address.port;
}
