import { connect, type Socket } from "node:net";
import { connect as connectTls, createSecureContext } from "node:tls";
import { setTimeout as sleep } from "node:timers/promises";
import { importJWK, SignJWT } from "jose";
import { Pool } from "undici";
import { staticAudience, staticIssuer, type Tenants } from "../tenants.ts";
import type { HostileIssuers } from "./hostile-issuers.ts";

export interface AbuseCall {
  /** GET by default. */
  readonly method?: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  /** The path and the query. */
  readonly path: string;
  /** The token of the owner by default; undefined for none. */
  readonly token?: string | undefined;
  /** An object is sent as JSON. */
  readonly body?: object | string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

type SigningKey = Parameters<SignJWT["sign"]>[0];

/** How long `fill` waits before a connection, until it has begun all (ms). */
const fillInterval = 1;
/** How long it then waits before it replaces one that was closed (ms). */
const replaceInterval = 20;
/** Of all connections with TLS: one of its own would cost each several times the CPU of a handshake. */
const secureContext = createSecureContext();

/** What the kinds of abuse use: the abuser's tenant, clients for its calls, and a tally of what it got. */
export class Abuser {
  /** The platform: `http://127.0.0.1:8080` */
  readonly origin: string;
  readonly tenant: Tenants["abuser"];
  readonly issuers: HostileIssuers;
  readonly counts: Record<string, number> = {};
  readonly #key: SigningKey;
  readonly #pools = new Map<number, Pool>();
  /** An API token of the owner of the tenant. */
  ownerToken = "";

  private constructor(origin: string, tenant: Tenants["abuser"], issuers: HostileIssuers, key: SigningKey) {
    this.origin = origin;
    this.tenant = tenant;
    this.issuers = issuers;
    this.#key = key;
  }

  static async start(origin: string, { abuser, key }: Tenants, issuers: HostileIssuers): Promise<Abuser> {
    const started = new Abuser(origin, abuser, issuers, await importJWK(key, "ES256"));
    started.ownerToken = await started.tokenOf(abuser.owner);
    return started;
  }

  count(code: string | number): void {
    this.counts[code] = (this.counts[code] ?? 0) + 1;
  }

  /** A subject token of an identity of the tenant. @param claims in addition to those that it needs */
  subjectToken(identity: string, claims: Readonly<Record<string, unknown>> = {}): Promise<string> {
    return new SignJWT({ iss: staticIssuer, sub: identity, aud: staticAudience, ...claims })
      .setProtectedHeader({ alg: "ES256", kid: "static" })
      .setExpirationTime("1h")
      .sign(this.#key);
  }

  /** The path of an exchange. @param parameters `&scope=…` */
  exchangePath(identity: string, parameters = ""): string {
    return `/sts/exchange?aud=${this.origin}&identity=${identity}${parameters}`;
  }

  /** An API token of an identity of the tenant. @throws {Error} unless the exchange succeeds */
  async tokenOf(identity: string, parameters = ""): Promise<string> {
    const path = this.exchangePath(identity, parameters);
    return (await this.ok<{ token: string }>({ path, token: await this.subjectToken(identity) })).token;
  }

  /** Makes a call that must succeed. @returns the JSON of the response @throws {Error} unless the status is 200 */
  async ok<T = { uid: string }>(call: AbuseCall): Promise<T> {
    const { statusCode, body } = await this.#request(16, call);
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`${call.method ?? "GET"} ${call.path}: HTTP ${statusCode} ${text}`);
    return (text === "" ? {} : JSON.parse(text)) as T;
  }

  /** Makes a call as a browser does, without a token. @returns what it needs of the response, whatever the status is */
  async visit(call: AbuseCall): Promise<{ status: number; location: string; cookie: string; text: string }> {
    const { statusCode: status, headers, body } = await this.#request(100, { token: undefined, ...call });
    const [cookie = ""] = [headers["set-cookie"] ?? []].flat();
    const location = String(headers["location"] ?? "");
    return { status, location, cookie: cookie.split(";")[0] ?? "", text: await body.text() };
  }

  /** Creates a resource of the tenant. @returns its uid */
  async create(collection: string, parent: string, resource: object): Promise<string> {
    return (await this.ok({ method: "POST", path: `/iam/v2beta1/${collection}/${parent}`, body: resource })).uid;
  }

  /**
   * Makes calls without a pause, each caller with a connection of its own and one call at a time, until the signal is aborted.
   * @param callers their number
   * @param callOf the call with a number
   */
  flood(signal: AbortSignal, callers: number, callOf: (n: number) => AbuseCall | Promise<AbuseCall>): Promise<void> {
    return this.repeat(signal, callers, async (n) => {
      const { statusCode, body } = await this.#request(callers, await callOf(n), signal);
      await body.dump({ limit: Number.MAX_SAFE_INTEGER, signal });
      this.count(statusCode);
    });
  }

  /** Repeats work, in a number of loops at the same time, until the signal is aborted. Errors are counted. */
  async repeat(signal: AbortSignal, loops: number, work: (n: number) => Promise<unknown>): Promise<void> {
    let next = 0;
    const loop = async () => {
      while (!signal.aborted) {
        try {
          await work(next++);
        } catch (error) {
          if (signal.aborted) return;
          this.count((error as NodeJS.ErrnoException).code ?? (error as Error).message);
          await sleep(10);
        }
      }
    };
    await Promise.all(Array.from({ length: loops }, loop));
  }

  /** A plain connection to the platform. Its errors are counted. */
  socket(): Socket {
    const { hostname, port } = new URL(this.origin);
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    socket.on("error", (error: NodeJS.ErrnoException) => this.count(error.code ?? error.message));
    return socket;
  }

  /** A connection to the platform with TLS. What is written to it is sent after the handshake. */
  secureSocket(protocol: "h2" | "http/1.1"): Socket {
    const { hostname, port } = new URL(this.origin);
    const peer = { host: hostname, port: Number(port) };
    const options = { ...peer, secureContext, ALPNProtocols: [protocol], rejectUnauthorized: false };
    const socket = connectTls(options, () => this.count(`${protocol} over TLS`));
    socket.on("error", (error: NodeJS.ErrnoException) => this.count(error.code ?? error.message));
    return socket;
  }

  /**
   * Keeps a number of plain connections open, until the signal is aborted: each that closes is replaced at once.
   * @param use is called with each when it is connected
   */
  async hold(signal: AbortSignal, connections: number, use: (socket: Socket) => void): Promise<void> {
    const sockets = this.#socketsUntil(signal);
    await this.repeat(signal, connections, async () => {
      const socket = this.socket();
      this.#observe(socket, sockets);
      socket.once("connect", () => use(socket));
      await new Promise<void>((resolve) => socket.once("close", () => resolve()));
      await sleep(10);
    });
  }

  /**
   * Keeps a number of connections open, until the signal is aborted, and begins few at a time: those that it has are the
   * abuse, and its handshakes must not take the core that the bystander runs on.
   * @param open begins the connection with a number
   */
  async fill(signal: AbortSignal, connections: number, open: (n: number) => Socket): Promise<void> {
    const sockets = this.#socketsUntil(signal);
    for (let begun = 0; !signal.aborted; await sleep(begun < connections ? fillInterval : replaceInterval)) {
      if (sockets.size >= connections) continue;
      const socket = open(begun++);
      this.#observe(socket, sockets);
    }
  }

  /** A set of sockets that are counted and destroyed when the signal is aborted. */
  #socketsUntil(signal: AbortSignal): Set<Socket> {
    const sockets = new Set<Socket>();
    signal.addEventListener("abort", () => {
      for (const socket of sockets) {
        if (socket.readyState === "open") this.count("open at the end");
        socket.destroy();
      }
    });
    return sockets;
  }

  /** Counts what happens to a socket, which is in the set until it closes. */
  #observe(socket: Socket, sockets: Set<Socket>): void {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    socket.once("connect", () => this.count("connected"));
    // What the platform sends is only counted.
    socket.on("data", (data: Buffer) => {
      const status = /^HTTP\/1.1 (\d+)/.exec(data.toString("latin1", 0, 12))?.[1];
      if (status !== undefined) this.count(status);
    });
  }

  #request(connections: number, { method = "GET", path, body, headers, ...rest }: AbuseCall, signal?: AbortSignal) {
    const token = "token" in rest ? rest.token : this.ownerToken;
    let pool = this.#pools.get(connections);
    if (pool === undefined) {
      const trust = { rejectUnauthorized: false };
      pool = new Pool(this.origin, { connections, allowH2: false, headersTimeout: 60_000, connect: trust });
      this.#pools.set(connections, pool);
    }
    const sent = typeof body === "object" && !Buffer.isBuffer(body) ? JSON.stringify(body) : body;
    return pool.request({
      method,
      path,
      ...(sent === undefined ? {} : { body: sent }),
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(signal === undefined ? {} : { signal }),
    });
  }
}
