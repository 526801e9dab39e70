import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from "jose";
import pino from "pino";
import { expect, vi } from "vitest";
import type { PlatformOptions } from "#src/platform/platform-options.ts";
import { type Platform, startPlatform } from "#src/platform/platform.ts";
import type { PlatformSettings } from "#src/platform/service/platform-settings.ts";
import { tokenLimits } from "#src/platform/limits/token-limits.ts";
import { NameResolver } from "#src/platform/names/name-resolver.ts";
import { type PortLimits, portLimits } from "#src/platform/server/port-limits.ts";
import type { TlsFiles } from "#src/platform/server/tls-files.ts";
import { PostgresDatabase } from "#src/platform/store/postgres/postgres-database.ts";
import { SqliteDatabase } from "#src/platform/store/sqlite/sqlite-database.ts";
import type { Database } from "#src/platform/store/database.ts";
import { type MasterKey, readOrCreateKeyFile } from "#src/platform/tokens/master-key.ts";
import { newDatabase } from "./new-database.testing.ts";
import { newSqliteDatabase } from "./new-sqlite-database.testing.ts";
import { settingsAt } from "./settings-at.testing.ts";

/** The JSON body of a response, with the fields that many tests read. */
export interface Json {
  readonly uid: string;
  readonly name: string;
  readonly createTime: string;
  readonly updateTime: string;
  readonly groups: readonly Json[];
  readonly identities: readonly Json[];
  readonly roles: readonly Json[];
  readonly roleBindings: readonly Json[];
  readonly capabilities: readonly string[];
  readonly nextPageToken?: string;
  readonly totalCount: string;
  readonly token: string;
  readonly expiry: string;
  readonly [name: string]: unknown;
}

export interface TestResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Undefined if the response has no JSON body. */
  readonly body: Json;
}

/** A caller over HTTP/JSON with a token. */
export class Client {
  readonly url: string;
  readonly token: string | undefined;

  constructor(url: string, token: string | undefined) {
    this.url = url;
    this.token = token;
  }

  get = (path: string) => this.send("GET", path);
  post = (path: string, body?: unknown) => this.send("POST", path, body);
  patch = (path: string, body?: unknown) => this.send("PATCH", path, body);
  delete = (path: string) => this.send("DELETE", path);

  async send(method: string, path: string, body?: unknown): Promise<TestResponse> {
    const response = await fetch(this.url + path, {
      method,
      redirect: "manual",
      headers: {
        ...(this.token === undefined ? {} : { authorization: `Bearer ${this.token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json") ?? false;
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: (text === "" || !isJson ? undefined : JSON.parse(text)) as Json,
    };
  }

  /** Makes a call that must succeed. @returns the body */
  async ok(method: string, path: string, body?: unknown): Promise<Json> {
    const response = await this.send(method, path, body);
    expect(response, `${method} ${path}`).toMatchObject({ status: 200 });
    return response.body;
  }

  /** Resolves when exactly this number of calls is in flight; fails after 5 s. */
  callsInFlight = (count: number) =>
    vi.waitUntil(
      async () => (await this.get("/metrics")).text.includes(`muster_platform_server_requests_in_flight ${count}\n`),
      { timeout: 5_000, interval: 5 },
    );

  /** Creates a group. @returns its uid */
  group = async (parent: string, name = "group"): Promise<string> =>
    (await this.ok("POST", `/iam/v2beta1/groups/${parent}`, { name })).uid;

  /** Creates an identity that nobody can assume. @returns its uid */
  identity = async (group: string, name = "identity"): Promise<string> =>
    (
      await this.ok("POST", `/iam/v2beta1/identities/${group}`, {
        name,
        claimMatch: { issuer: "https://issuer.example.com", subject: name },
      })
    ).uid;

  /** Creates a role binding. @returns its uid */
  bind = async (group: string, identityUid: string, roleUid: string): Promise<string> =>
    (await this.ok("POST", `/iam/v2beta1/roleBindings/${group}`, { identityUid, roleUid })).uid;

  /** The uid of a built-in role. */
  role = async (name: string): Promise<string> =>
    (await this.ok("GET", `/iam/v2beta1/roles?name=${name}&uidp.in_root=true`)).roles[0]?.uid ?? "";
}

const privateKeys = new Map<string, CryptoKey>();

interface RunningOptions
  extends Partial<
    Pick<
      PlatformOptions,
      | "signingKeyInterval"
      | "latency"
      | "maximumInFlight"
      | "maximumIssuerRequests"
      | "rateLimit"
      | "faults"
      | "faultInjection"
      | "drainDelay"
      | "auditRetention"
      | "auditWebhook"
      | "initFile"
      | "log"
      | "names"
    >
  > {
  readonly tls?: TlsFiles;
  /** Limits of the port that differ from the default. */
  readonly limits?: Partial<PortLimits>;
  readonly trustedProxies?: readonly string[];
  /** A PostgreSQL database; by default, a new database of the backend that the test run is for. */
  readonly database?: string | undefined;
  /** Shares the database and the key file of another platform. */
  readonly replicaOf?: RunningPlatform;
  /** Puts another database in front of that of the platform. */
  readonly wrapDatabase?: (database: Database) => Database;
  /** Only for PostgreSQL: half of the time that a write waits for other transactions, in milliseconds. */
  readonly stallTimeout?: number;
}

class TestClock {
  offset = 0;
  stoppedAt: number | undefined;

  now(): number {
    return (this.stoppedAt ?? Date.now()) + this.offset;
  }
}

/** A silent platform without limits on any free port of loopback, with its key and admin token in a folder. */
export function optionsIn(folder: string, database: Database): PlatformOptions {
  return {
    database,
    masterKey: readOrCreateKeyFile(join(folder, "key")),
    names: new NameResolver(),
    clock: Date.now,
    listen: { host: "127.0.0.1", port: 0, tls: undefined },
    adminTokenFile: join(folder, "admin-token"),
    latency: 0,
    maximumInFlight: 1_000,
    maximumIssuerRequests: tokenLimits.issuerRequests.value,
    signingKeyInterval: 30 * 24 * 3_600_000,
    rateLimit: undefined,
    faults: [],
    faultInjection: false,
    drainDelay: 0,
    auditRetention: undefined,
    maximumAuditEvents: 1_000_000,
    auditWebhook: undefined,
    initFile: undefined,
    log: pino({ level: "silent" }),
    settings: settingsAt,
  };
}

/** A platform on loopback, with a clock that a test can advance. */
export class RunningPlatform {
  readonly #platform: Platform;
  readonly #folder: string;
  readonly #clock: TestClock;
  readonly #database: string | undefined;
  readonly #isReplica: boolean;
  readonly admin: Client;
  readonly root: string;
  readonly url: string;

  private constructor(
    platform: Platform,
    folder: string,
    clock: TestClock,
    database: string | undefined,
    isReplica: boolean,
  ) {
    this.#platform = platform;
    this.#database = database;
    this.#isReplica = isReplica;
    this.#folder = folder;
    this.#clock = clock;
    this.url = platform.url;
    this.root = platform.rootGroup;
    this.admin = new Client(this.url, readFileSync(join(folder, "admin-token"), "utf8").trim());
  }

  static async start(
    settings: Partial<PlatformSettings> = {},
    {
      tls,
      limits: ownLimits,
      trustedProxies = [],
      replicaOf,
      database: givenDatabase,
      stallTimeout,
      wrapDatabase = (wrapped) => wrapped,
      ...serving
    }: RunningOptions = {},
  ): Promise<RunningPlatform> {
    const { database, folder } =
      replicaOf === undefined
        ? { database: givenDatabase ?? (await newDatabase()), folder: mkdtempSync(join(tmpdir(), "muster-platform-")) }
        : { database: replicaOf.#database, folder: replicaOf.#folder };
    const clock = new TestClock();
    const platform = await startPlatform({
      ...optionsIn(folder, wrapDatabase(await openDatabase(database, folder, stallTimeout))),
      clock: () => clock.now(),
      listen: { host: "127.0.0.1", port: 0, tls, limits: { ...portLimits, ...ownLimits }, trustedProxies },
      ...serving,
      settings: (url) => ({ ...settingsAt(url), ...settings }),
    });
    return new RunningPlatform(platform, folder, clock, database, replicaOf !== undefined);
  }

  /** Opens the platform's database again, as a command does while the platform runs. */
  openDatabase(): Promise<Database> {
    return openDatabase(this.#database, this.#folder);
  }

  get masterKey(): MasterKey {
    return readOrCreateKeyFile(join(this.#folder, "key"));
  }

  /** Moves the platform's clock forward. */
  advance(milliseconds: number): void {
    this.#clock.offset += milliseconds;
  }

  /** Stops the platform's clock at the beginning of a second, so that only `advance` moves it. */
  freeze(): void {
    this.#clock.stoppedAt = Math.floor(Date.now() / 1_000) * 1_000;
  }

  get now(): number {
    return this.#clock.now();
  }

  as(token: string | undefined): Client {
    return new Client(this.url, token);
  }

  /** Creates an identity with static keys, for which `subjectToken` makes tokens. @returns its uid */
  async makeIdentity(
    group: string,
    name = "caller",
    audiences: readonly string[] = ["127.0.0.1"],
    subject = name,
  ): Promise<string> {
    const { publicKey, privateKey } = await generateKeyPair("ES256");
    const jwk = { ...(await exportJWK(publicKey)), kid: "1", alg: "ES256" };
    const { uid } = await this.admin.ok("POST", `/iam/v2beta1/identities/${group}`, {
      name,
      staticKeys: {
        issuer: "https://issuer.example.com",
        subject,
        issuerKeys: JSON.stringify({ keys: [jwk] }),
        audiences,
      },
    });
    privateKeys.set(uid, privateKey);
    return uid;
  }

  /** A subject token of an identity from `makeIdentity`. @param claims override the defaults */
  async subjectToken(identity: string, claims: Record<string, unknown> = {}, name = "caller"): Promise<string> {
    const seconds = Math.floor(this.now / 1_000);
    const all = {
      iss: "https://issuer.example.com",
      sub: name,
      aud: "127.0.0.1",
      iat: seconds,
      exp: seconds + 600,
      ...claims,
    };
    return new SignJWT(all).setProtectedHeader({ alg: "ES256", kid: "1" }).sign(privateKeys.get(identity) as CryptoKey);
  }

  exchange(token: string, identity: string, parameters = ""): Promise<TestResponse> {
    return this.as(token).get(`/sts/exchange?aud=${encodeURIComponent(this.url)}&identity=${identity}${parameters}`);
  }

  /** A caller with a built-in role in a group; its identity is in the root group. @param parameters of the exchange */
  async callerWith(role: string, group: string, parameters = ""): Promise<Client & { identity: string }> {
    const identity = await this.makeIdentity(this.root);
    await this.admin.bind(group, identity, await this.admin.role(role));
    const response = await this.exchange(await this.subjectToken(identity), identity, parameters);
    expect(response.status, response.text).toBe(200);
    return Object.assign(this.as(response.body.token), { identity });
  }

  async stop(): Promise<void> {
    await this.#platform.close();
    if (!this.#isReplica) rmSync(this.#folder, { recursive: true });
  }
}

async function openDatabase(database: string | undefined, folder: string, stallTimeout?: number): Promise<Database> {
  const path = join(folder, "data");
  if (database === undefined) return existsSync(path) ? new SqliteDatabase(path) : newSqliteDatabase(path);
  return PostgresDatabase.open(database, { connections: 5, ...(stallTimeout === undefined ? {} : { stallTimeout }) });
}
