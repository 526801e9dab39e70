import { createServer, request as httpRequest, type Server } from "node:http";
import { closeServer, listenOnLoopback, portOf } from "#test/support/loopback.ts";

/** Passes requests on to a platform, and records them. */
export class Gateway {
  readonly calls: string[] = [];
  /** The bearer token of each call. */
  readonly tokens: string[] = [];
  /** The address of the platform. */
  target: string;
  readonly #server: Server;

  private constructor(target: string) {
    this.target = target;
    this.#server = createServer((incoming, outgoing) => {
      this.calls.push(`${incoming.method} ${incoming.url}`);
      this.tokens.push(incoming.headers.authorization?.replace("Bearer ", "") ?? "");
      const url = new URL(incoming.url ?? "/", this.target);
      const { host: _, ...headers } = incoming.headers;
      const passed = httpRequest(url, { method: incoming.method, headers }, (response) => {
        outgoing.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(outgoing);
      });
      incoming.pipe(passed);
    });
  }

  static async to(target: string): Promise<Gateway> {
    const gateway = new Gateway(target);
    await listenOnLoopback(gateway.#server);
    return gateway;
  }

  get url(): string {
    return `http://127.0.0.1:${portOf(this.#server)}`;
  }

  async close(): Promise<void> {
    await closeServer(this.#server);
  }
}
