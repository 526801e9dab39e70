import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent, request } from "undici";

export type Fault =
  /** The connection is cut, and the platform never hears of it. */
  | { readonly is: "not sent" }
  /** The platform does it, and the connection is cut instead of an answer. */
  | { readonly is: "applied and lost" }
  /** The connection is cut at once, and the platform hears of it so much later. */
  | { readonly is: "applied later"; readonly afterMs: number }
  /** The platform does it, and the answer breaks off in the middle. */
  | { readonly is: "broken off" }
  /** The platform never hears of it; somebody between answers instead. */
  | {
      readonly is: "answered instead";
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
    };

/** A call to the platform, as the proxy sees it. */
export interface Call {
  readonly method: string;
  /** `groups`, `identities`, …; the token exchange is `sts`. */
  readonly collection: string;
  /** How many calls of this method and collection there have been, from 1. */
  readonly number: number;
  /** The token that it comes with. */
  readonly bearer: string;
}

export interface FaultProxyOptions {
  /** What goes wrong with a call; undefined for nothing. */
  readonly faultFor?: (call: Call) => Fault | undefined;
  /** Told of a call before the platform hears of it; it is forwarded when the promise resolves. */
  readonly beforeForwarding?: (call: Call) => Promise<void> | void;
  /** Told of a call that the platform has answered; the answer is given back when the promise resolves. */
  readonly beforeResponding?: (call: Call) => Promise<void> | void;
}

/** Stands between the operator and the platform, and does on purpose what networks do by accident. */
export class FaultProxy {
  readonly url: string;
  /** The faults that have happened. */
  readonly injected: { readonly call: Call; readonly fault: Fault }[] = [];
  /** Every token that passed. */
  readonly tokens = new Set<string>();
  /** Where the platform is; to be set before the first call. */
  target = "";
  options: FaultProxyOptions;
  readonly #server: Server;
  readonly #agent = new Agent({ keepAliveTimeout: 1_000 });
  readonly #numbers = new Map<string, number>();
  readonly #late = new Set<Promise<unknown>>();

  private constructor(server: Server, options: FaultProxyOptions) {
    this.#server = server;
    this.options = options;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on("request", (incoming, outgoing) => {
      this.#handle(incoming, outgoing).catch(() => outgoing.destroy());
    });
  }

  static async start(options: FaultProxyOptions = {}): Promise<FaultProxy> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    return new FaultProxy(server, options);
  }

  /** Resolves when the platform has answered all that was held back. */
  async settled(): Promise<void> {
    await Promise.all(this.#late);
  }

  async stop(): Promise<void> {
    await this.settled();
    this.#server.closeAllConnections();
    this.#server.close();
    await this.#agent.destroy();
  }

  async #handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await whole(incoming);
    const call = this.#callOf(incoming);
    this.#noteTokens(incoming.headers.authorization ?? "");
    const { faultFor, beforeForwarding, beforeResponding: beforeAnswering } = this.options;
    const fault = faultFor?.(call);
    if (fault !== undefined) this.injected.push({ call, fault });
    await beforeForwarding?.(call);
    if (fault?.is === "not sent") return void outgoing.destroy();
    if (fault?.is === "applied later") {
      outgoing.destroy();
      const late = sleep(fault.afterMs).then(() => this.#forward(incoming, body));
      this.#late.add(late);
      return;
    }
    if (fault?.is === "answered instead") return void outgoing.writeHead(fault.status, fault.headers).end(fault.body);
    const answer = await this.#forward(incoming, body);
    await beforeAnswering?.(call);
    if (fault?.is === "applied and lost") return void outgoing.destroy();
    outgoing.writeHead(answer.status, { ...answer.headers, "content-length": String(answer.body.length) });
    if (fault?.is !== "broken off") return void outgoing.end(answer.body);
    outgoing.write(answer.body.subarray(0, answer.body.length / 2), () => outgoing.destroy());
  }

  async #forward(incoming: IncomingMessage, body: Buffer): Promise<ProxiedResponse> {
    const answer = await request(this.target + (incoming.url ?? ""), {
      method: incoming.method as "GET",
      headers: only(incoming.headers, ["authorization", "content-type", "accept"]),
      dispatcher: this.#agent,
      ...(body.length === 0 ? {} : { body }),
    });
    const text = Buffer.from(await answer.body.arrayBuffer());
    this.#noteTokens(text.toString());
    return { status: answer.statusCode, headers: only(answer.headers, ["content-type", "retry-after"]), body: text };
  }

  #callOf({ method = "", url = "", headers }: IncomingMessage): Call {
    const collection = /^\/(?:iam\/v2beta1\/)?([A-Za-z]+)/.exec(url)?.[1] ?? "";
    const name = `${method} ${collection}`;
    const number = (this.#numbers.get(name) ?? 0) + 1;
    this.#numbers.set(name, number);
    return { method, collection, number, bearer: (headers.authorization ?? "").replace(/^Bearer /, "") };
  }

  #noteTokens(text: string): void {
    for (const [token] of text.matchAll(/ey[\w-]+\.[\w-]+\.[\w-]+/g)) this.tokens.add(token);
  }
}

interface ProxiedResponse {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
}

function only(headers: Readonly<Record<string, string | string[] | undefined>>, names: readonly string[]) {
  return Object.fromEntries(
    names.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]])),
  );
}

async function whole(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}
