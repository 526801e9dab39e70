import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent, request } from "undici";
import { closeServer, listenOnLoopback, portOf } from "#test/support/loopback.ts";

export type Fault =
  /** The connection is closed, and the request is not forwarded. */
  | { readonly is: "not sent" }
  /** The request is forwarded, and the connection is closed instead of sending the response. */
  | { readonly is: "response lost" }
  /** The connection is closed at once, and the request is forwarded after the delay. */
  | { readonly is: "forwarded late"; readonly afterMs: number }
  /** The request is forwarded, and the response is cut in the middle. */
  | { readonly is: "response truncated" }
  /** The request is not forwarded; the proxy sends a response of its own. */
  | {
      readonly is: "response replaced";
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
    };

/** A call to the platform. */
export interface Call {
  readonly method: string;
  /** `groups`, `identities`, …; the token exchange is `sts`. */
  readonly collection: string;
  /** The number of the call among those with the same method and collection, from 1. */
  readonly number: number;
  /** The bearer token of the call. */
  readonly bearer: string;
}

/** How a call without a fault ended that the platform responded to. */
export interface CallEnd {
  /** When the call arrived, in milliseconds since the epoch. */
  readonly arrivedAt: number;
  /** Whether the response was sent before the caller gave up. */
  readonly isSent: boolean;
}

export interface FaultProxyOptions {
  /** The fault of a call; undefined for none. */
  readonly faultFor?: (call: Call) => Fault | undefined;
  /** Called before a call is forwarded, which waits for the promise. */
  readonly beforeForwarding?: (call: Call) => Promise<void> | void;
  /** Called after the platform's response and before it is sent on, which waits for the promise. */
  readonly beforeResponding?: (call: Call) => Promise<void> | void;
  /** Called when a call without a fault is over. */
  readonly afterResponding?: (call: Call, end: CallEnd) => void;
}

/** A proxy between the operator and the platform that injects faults of the network. */
export class FaultProxy {
  readonly url: string;
  /** The faults that were injected. */
  readonly injected: { readonly call: Call; readonly fault: Fault }[] = [];
  /** Every token in a request or a response, and every code of an invite in a response. */
  readonly tokens = new Set<string>();
  /** The platform's base URL. Set it before the first call. */
  target = "";
  /** Can be replaced at any time. */
  options: FaultProxyOptions = {};
  readonly #server: Server;
  readonly #agent = new Agent({ keepAliveTimeout: 1_000 });
  readonly #numbers = new Map<string, number>();
  readonly #late = new Set<Promise<unknown>>();

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${portOf(server)}`;
    server.on("request", (incoming, outgoing) => {
      this.#handle(incoming, outgoing).catch(() => outgoing.destroy());
    });
  }

  static async start(): Promise<FaultProxy> {
    const server = createServer();
    await listenOnLoopback(server);
    return new FaultProxy(server);
  }

  /** Resolves when the platform has responded to all delayed requests. */
  async settled(): Promise<void> {
    await Promise.all(this.#late);
  }

  async stop(): Promise<void> {
    await this.settled();
    void closeServer(this.#server);
    await this.#agent.destroy();
  }

  async #handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const arrivedAt = Date.now();
    const body = await readBody(incoming);
    const call = this.#callOf(incoming);
    this.#collectTokens(incoming.headers.authorization ?? "");
    const { faultFor, beforeForwarding, beforeResponding: beforeAnswering, afterResponding } = this.options;
    const fault = faultFor?.(call);
    if (fault !== undefined) this.injected.push({ call, fault });
    await beforeForwarding?.(call);
    if (fault?.is === "not sent") return void outgoing.destroy();
    if (fault?.is === "forwarded late") {
      outgoing.destroy();
      // A platform that is down by then does not receive it.
      const late = sleep(fault.afterMs)
        .then(() => this.#forward(incoming, body))
        .catch(() => undefined);
      this.#late.add(late);
      return;
    }
    if (fault?.is === "response replaced") return void outgoing.writeHead(fault.status, fault.headers).end(fault.body);
    const response = await this.#forward(incoming, body);
    await beforeAnswering?.(call);
    if (fault?.is === "response lost") return void outgoing.destroy();
    outgoing.writeHead(response.status, { ...response.headers, "content-length": String(response.body.length) });
    if (fault?.is === "response truncated")
      return void outgoing.write(response.body.subarray(0, response.body.length / 2), () => outgoing.destroy());
    // Nothing follows the end of a response whose caller is gone.
    const isGivenUp = outgoing.destroyed;
    outgoing.end(response.body);
    if (!isGivenUp) await once(outgoing, "close");
    afterResponding?.(call, { arrivedAt, isSent: !isGivenUp && outgoing.writableFinished });
  }

  async #forward(incoming: IncomingMessage, body: Buffer): Promise<ProxiedResponse> {
    const response = await request(this.target + (incoming.url ?? ""), {
      method: incoming.method as "GET",
      headers: only(incoming.headers, ["authorization", "content-type", "accept"]),
      dispatcher: this.#agent,
      ...(body.length === 0 ? {} : { body }),
    });
    const text = Buffer.from(await response.body.arrayBuffer());
    this.#collectTokens(text.toString());
    return {
      status: response.statusCode,
      headers: only(response.headers, ["content-type", "retry-after"]),
      body: text,
    };
  }

  #callOf({ method = "", url = "", headers }: IncomingMessage): Call {
    const collection = /^\/(?:iam\/v2beta1\/)?([A-Za-z]+)/.exec(url)?.[1] ?? "";
    const name = `${method} ${collection}`;
    const number = (this.#numbers.get(name) ?? 0) + 1;
    this.#numbers.set(name, number);
    return { method, collection, number, bearer: (headers.authorization ?? "").replace(/^Bearer /, "") };
  }

  #collectTokens(text: string): void {
    for (const [token] of text.matchAll(/ey[\w-]+\.[\w-]+\.[\w-]+/g)) this.tokens.add(token);
    for (const [, code = ""] of text.matchAll(/"code":"([\w.-]+)"/g)) this.tokens.add(code);
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

async function readBody(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}
