import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { Agent as TlsAgent, request as requestOverTls } from "node:https";
import { connect } from "node:net";
import { connect as connectTls } from "node:tls";
import { setTimeout as sleep } from "node:timers/promises";
import { type Client, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { importJWK, SignJWT } from "jose";
import { builtinRoles } from "#src/platform/authorization/builtin-roles.ts";
import { GroupsService } from "#src/platform/gen/muster/platform/iam/v2beta1/group_pb.ts";
import type { Issuer } from "#test/platform/bench/issuer.ts";
import { staticAudience, staticIssuer, type Tenants } from "./tenants.ts";

const callsPerSecond = 30;
/** Connections that are open before the abuse begins. */
const connections = 18;
/** A call that takes longer has failed (ms). */
const timeLimit = 10_000;
/** The address of the bystander; the abuser has another one. */
const localAddress = "127.0.0.2";

export interface BystanderOptions {
  /** The platform: `http://127.0.0.1:8080` */
  readonly origin: string;
  readonly tenants: Tenants;
  readonly issuer: Issuer;
  /** The names at which the issuer is one that the platform has not asked yet. */
  readonly names: readonly string[];
}

interface Exchange {
  readonly path: string;
  readonly token: string;
}

/** What the bystander saw. */
export interface Observations {
  /** Milliseconds from when a call was due to the end of its response. */
  readonly latencies: readonly number[];
  readonly failures: Readonly<Record<string, number>>;
}

/**
 * A tenant that calls the platform at a steady rate: gets, pages, lists of v1, creates, deletes, exchanges (some with issuers
 * that the platform has not asked yet) and gRPC calls. A call starts
 * when it is due, whether or not those before it have completed, so a slow platform does not lower the rate.
 */
export class Bystander {
  readonly #origin: string;
  readonly #agent: Agent;
  readonly #tenant: Tenants["bystander"];
  readonly #token: string;
  readonly #exchange: Exchange;
  /** Each with an issuer that the platform has not asked yet. */
  readonly #firstExchanges: Exchange[];
  readonly #grpc: Client<typeof GroupsService>;
  readonly #created: string[] = [];

  static async start({ origin, tenants: { bystander, key }, issuer, names }: BystanderOptions): Promise<Bystander> {
    const owner = await new SignJWT({ iss: staticIssuer, sub: bystander.owner, aud: staticAudience })
      .setProtectedHeader({ alg: "ES256", kid: "static" })
      .setExpirationTime("1h")
      .sign(await importJWK(key, "ES256"));
    const agent = agentFor(origin, false);
    const ask = async (method: string, path: string, token: string, body?: object) =>
      JSON.parse(await send({ origin, agent, method, path, token, body })) as { uid: string; token: string };
    const exchangeOf = (identity: string) => `/sts/exchange?aud=${origin}&identity=${identity}`;
    const { token } = await ask("GET", exchangeOf(bystander.owner), owner);
    const roleUid = builtinRoles.find(({ name }) => name === "viewer")?.uid;
    const exchangeWith = async (url: string): Promise<Exchange> => {
      const claimMatch = { issuer: url, subject: "worker", audience: staticAudience };
      const identity = { name: "worker", claimMatch };
      const { uid } = await ask("POST", `/iam/v2beta1/identities/${bystander.root}`, token, identity);
      await ask("POST", `/iam/v2beta1/roleBindings/${bystander.root}`, token, { identityUid: uid, roleUid });
      return { path: exchangeOf(uid), token: await issuer.token("worker", staticAudience, url) };
    };
    const exchange = await exchangeWith(issuer.url);
    const firstExchanges: Exchange[] = [];
    for (const name of names) firstExchanges.push(await exchangeWith(issuer.urlAt(name)));
    return new Bystander(origin, bystander, token, exchange, firstExchanges);
  }

  private constructor(
    origin: string,
    tenant: Tenants["bystander"],
    token: string,
    exchange: Exchange,
    firstExchanges: Exchange[],
  ) {
    this.#origin = origin;
    this.#agent = agentFor(origin, true);
    this.#tenant = tenant;
    this.#token = token;
    this.#exchange = exchange;
    this.#firstExchanges = firstExchanges;
    const { hostname, port, protocol } = new URL(origin);
    const peer = { host: hostname, port: Number(port), localAddress };
    const createConnection = () =>
      protocol === "https:" ? connectTls({ ...peer, ALPNProtocols: ["h2"], rejectUnauthorized: false }) : connect(peer);
    const transport = createGrpcTransport({
      baseUrl: origin,
      nodeOptions: { createConnection },
      defaultTimeoutMs: timeLimit,
    });
    this.#grpc = createClient(GroupsService, transport);
  }

  /** Opens connections and makes first calls, as a client that has been running for a while has. */
  async warmUp(): Promise<void> {
    for (let round = 0; round < 3; round++)
      await Promise.all(Array.from({ length: connections }, (_, n) => this.#call(n)));
  }

  /** Calls until the time is over, and waits for the responses. */
  async run(seconds: number): Promise<Observations> {
    const latencies: number[] = [];
    const failures: Record<string, number> = {};
    const running = new Set<Promise<void>>();
    const started = performance.now();
    for (let n = 0; n < seconds * callsPerSecond; n++) {
      const due = started + (n * 1_000) / callsPerSecond;
      const early = due - performance.now();
      if (early > 0) await sleep(early);
      const call = this.#call(n)
        .catch((error: Error) => {
          failures[error.message] = (failures[error.message] ?? 0) + 1;
        })
        .then(() => {
          latencies.push(performance.now() - due);
          running.delete(call);
        });
      running.add(call);
    }
    await Promise.all(running);
    return { latencies, failures };
  }

  async #call(n: number): Promise<void> {
    const { root, identities } = this.#tenant;
    switch (n % 7) {
      case 0:
        return void (await this.#rest("GET", `/iam/v2beta1/identities/${identities[n % identities.length]}`));
      case 1:
        return void (await this.#rest("GET", `/iam/v2beta1/identities?uidp.descendants_of=${root}`));
      case 2: {
        const created = await this.#rest("POST", `/iam/v2beta1/groups/${root}`, { name: `team-${n}` });
        this.#created.push((JSON.parse(created) as { uid: string }).uid);
        return;
      }
      case 3: {
        const uid = this.#created.shift();
        // The create before it may still run.
        if (uid === undefined) return void (await this.#rest("GET", `/iam/v2beta1/groups/${root}`));
        return void (await this.#rest("DELETE", `/iam/v2beta1/groups/${uid}`));
      }
      case 4: {
        const first = n % 12 === 4 ? this.#firstExchanges.pop() : undefined;
        const { path, token } = first ?? this.#exchange;
        return void (await send({ origin: this.#origin, agent: this.#agent, method: "GET", path, token }));
      }
      case 5:
        return void (await this.#rest("GET", "/iam/v1/identities"));
      default:
        await this.#grpc.listGroups({ uidp: { descendantsOf: root } }, { headers: this.#metadata() });
    }
  }

  #metadata() {
    return { authorization: `Bearer ${this.#token}` };
  }

  #rest(method: string, path: string, body?: object): Promise<string> {
    return send({ origin: this.#origin, agent: this.#agent, method, path, token: this.#token, body });
  }

  stop(): void {
    this.#agent.destroy();
  }
}

function agentFor(origin: string, keepAlive: boolean): Agent {
  const options = { keepAlive, localAddress };
  return origin.startsWith("https:") ? new TlsAgent({ ...options, rejectUnauthorized: false }) : new Agent(options);
}

interface Sent {
  readonly origin: string;
  readonly agent: Agent;
  readonly method: string;
  readonly path: string;
  readonly token: string;
  readonly body?: object | undefined;
}

/** @returns the body @throws {Error} unless the status is 200 */
async function send({ origin, agent, method, path, token, body }: Sent): Promise<string> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const sent = (origin.startsWith("https:") ? requestOverTls : request)(`${origin}${path}`, {
    method,
    agent,
    headers: {
      authorization: `Bearer ${token}`,
      ...(text === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
    },
    signal: AbortSignal.timeout(timeLimit),
  });
  sent.end(text);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const received = Buffer.concat(chunks).toString();
  const path0 = path.replace(/[?].*|[0-9a-f]{40}.*/, "");
  if (response.statusCode !== 200) throw new Error(`${method} ${path0}: ${response.statusCode} ${messageOf(received)}`);
  return received;
}

function messageOf(body: string): string {
  return /"message":"([^"]{0,100})/.exec(body)?.[1] ?? "";
}
