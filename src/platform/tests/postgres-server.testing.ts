import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, constants, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { cp, readdir, rm, symlink, writeFile } from "node:fs/promises";
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

/** Files of a server that a copy of its data must not have, or that its standby reads from it instead. */
const notCopied = new Set(["pg_wal", "pg_replslot", "pg_dynshmem", "postmaster.pid", "postmaster.opts"]);

/** A PostgreSQL server on loopback in a temporary folder, which `stop` deletes. */
export class PostgresServer {
  readonly #options: PostgresOptions;
  readonly #folder: string;
  readonly #bin: string;
  readonly #port: number;
  readonly #password = `password-${process.pid}-of-tests`;
  /** The user of its processes, and their working directory. */
  readonly #as: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly uid?: number; readonly gid?: number };
  #child: ChildProcess | undefined;
  #databases = 0;

  private constructor(options: PostgresOptions, folder: string, bin: string, port: number) {
    this.#options = options;
    this.#folder = folder;
    this.#bin = bin;
    this.#port = port;
    const user = userInfo().uid === 0 ? { uid: nobody, gid: nobody } : {};
    this.#as = { cwd: folder, env: { ...process.env, LC_ALL: "C" }, ...user };
    mkdirSync(this.#data, { mode: 0o700 });
    this.#own(this.#data);
    // If the tests end without stop.
    process.once("exit", () => {
      this.#child?.kill("SIGKILL");
      rmSync(folder, { recursive: true, force: true });
    });
  }

  /** @throws {PostgresUnavailable} */
  static async start(options: PostgresOptions = {}): Promise<PostgresServer> {
    const server = await PostgresServer.#install(options);
    await server.#initialize();
    await server.#launch();
    return server;
  }

  static async #install(options: PostgresOptions): Promise<PostgresServer> {
    const programs = findPostgres();
    const folder = mkdtempSync(join(tmpdir(), "muster-postgres-"));
    chmodSync(folder, 0o755);
    const bin = programs.kind === "system" ? programs.bin : await copyOf(programs.folder, join(folder, "programs"));
    return new PostgresServer(options, folder, bin, await freePort());
  }

  async #initialize(): Promise<void> {
    const passwordFile = join(this.#folder, "password");
    await writeFile(passwordFile, this.#password);
    await promisify(execFile)(
      join(this.#bin, "initdb"),
      [
        "-D",
        this.#data,
        "-U",
        "muster",
        `--pwfile=${passwordFile}`,
        "--auth=scram-sha-256",
        "--encoding=UTF8",
        // A language's collation, so that tests fail if the platform does not compare byte by byte.
        "--locale=C",
        "--locale-provider=icu",
        "--icu-locale=en",
        "--no-sync",
        "--no-instructions",
      ],
      this.#as,
    );
    const { tls } = this.#options;
    if (tls === undefined) return;
    await this.#write("server.key", tls.key);
    await this.#write("server.crt", tls.certificate);
  }

  /** Resolves when the server accepts connections. */
  async #launch(): Promise<void> {
    const { durable = false, tls } = this.#options;
    const settings = {
      listen_addresses: "127.0.0.1",
      port: this.#port,
      unix_socket_directories: "",
      // Files in the folder: a server that is killed leaves no shared memory of the machine.
      dynamic_shared_memory_type: "mmap",
      max_connections: 60,
      shared_buffers: "64MB",
      ssl: tls === undefined ? "off" : "on",
      ...(durable ? {} : { fsync: "off", full_page_writes: "off" }),
    };
    const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    const child = spawn(join(this.#bin, "postgres"), ["-D", this.#data, ...flags], {
      ...this.#as,
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#child = child;
    let log = "";
    await new Promise<void>((resolve, reject) => {
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        log = (log + text).slice(-10_000);
        if (log.includes("ready to accept")) resolve();
      });
      child.once("error", reject);
      child.once("exit", (code) => reject(new Error(`PostgreSQL ended with ${code}:\n${log}`)));
    });
  }

  get port(): number {
    return this.#port;
  }

  /** Starts another server that replicates this one. */
  async startStandby(): Promise<PostgresServer> {
    const standby = await PostgresServer.#install(this.#options);
    await standby.replicate(this);
    return standby;
  }

  /** Replaces the data of this server, which was killed, by a copy of another one's, and starts as its standby. */
  async replicate(primary: PostgresServer): Promise<void> {
    for (const entry of await readdir(this.#data)) await rm(join(this.#data, entry), { recursive: true });
    // A backup belongs to its connection.
    const client = new Client({ connectionString: primary.#url("postgres") });
    await client.connect();
    await client.query("select pg_backup_start('standby', true)");
    const copied = (await readdir(primary.#data)).filter((entry) => !notCopied.has(entry));
    const sources = copied.map((entry) => join(primary.#data, entry));
    await promisify(execFile)("cp", ["-a", ...sources, this.#data], this.#as);
    const { rows } = await client.query<{ labelfile: string }>("select labelfile from pg_backup_stop(false)");
    await client.end();
    for (const folder of ["pg_wal", "pg_replslot", "pg_dynshmem"]) {
      mkdirSync(join(this.#data, folder), { mode: 0o700 });
      this.#own(join(this.#data, folder));
    }
    await this.#write("backup_label", rows[0]?.labelfile ?? "");
    await this.#write("standby.signal", "");
    const { port, user, password } = new Client(primary.#url("postgres"));
    const from = `host=127.0.0.1 port=${port} user=${user} password=${password}`;
    await this.#write("postgresql.auto.conf", `primary_conninfo = '${from}'\n`);
    await this.#launch();
  }

  /** Sends a signal to all processes of the server. */
  signal(name: "SIGKILL" | "SIGSTOP" | "SIGCONT"): void {
    if (!this.#isRunning) return;
    const pid = this.#child?.pid ?? 0;
    // Meanwhile, the first one starts no others. Each of them has a process group of its own.
    process.kill(pid, "SIGSTOP");
    const others = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
    for (const other of [...others, pid])
      try {
        process.kill(Number(other), name);
      } catch {
        // It has ended.
      }
  }

  /** Kills all processes of the server, also if they are stopped, and keeps its data. */
  async kill(): Promise<void> {
    if (!this.#isRunning) return;
    const exit = once(this.#child as ChildProcess, "exit");
    this.signal("SIGKILL");
    await exit;
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
    if (this.#isRunning) {
      const exit = once(this.#child as ChildProcess, "exit");
      // Immediate shutdown: the data is deleted anyway.
      this.#child?.kill("SIGQUIT");
      await exit;
    }
    await rm(this.#folder, { recursive: true });
  }

  get #isRunning(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  get #data(): string {
    return join(this.#folder, "data");
  }

  async #write(name: string, text: string): Promise<void> {
    const path = join(this.#data, name);
    await writeFile(path, text, { mode: 0o600 });
    this.#own(path);
  }

  /** Gives a file to the user of the server's processes. */
  #own(path: string): void {
    const { uid, gid } = this.#as;
    if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
  }

  #url(database: string): string {
    return `postgres://muster:${this.#password}@127.0.0.1:${this.#port}/${database}`;
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
