import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { closeServer, listenOnLoopback } from "#test/support/loopback.ts";

/** Responds to one request. */
export type Responder = (response: ServerResponse, url: URL, request: IncomingMessage) => void;

/** An HTTP server for tests: it responds to each request with the next responder of its script, or with 500. */
export class ScriptedServer {
  readonly #server: Server;
  readonly #script: Responder[] = [];
  readonly #waiting: ((url: URL) => void)[] = [];
  readonly #requests: URL[] = [];
  /** The number of connections accepted so far. */
  connections = 0;

  constructor() {
    this.#server = createServer((request, response) => {
      const url = new URL(request.url ?? "/", "http://server");
      const waiting = this.#waiting.shift();
      if (waiting === undefined) this.#requests.push(url);
      else waiting(url);
      const respond = this.#script.shift();
      if (respond === undefined) response.writeHead(500).end();
      else respond(response, url, request);
    });
    this.#server.on("connection", () => this.connections++);
  }

  async listen(): Promise<URL> {
    return new URL(`http://127.0.0.1:${await listenOnLoopback(this.#server)}`);
  }

  /** Appends to the script. */
  respondsWith(...responders: Responder[]): void {
    this.#script.push(...responders);
  }

  /** The next request that has not been returned yet. */
  nextRequest(): Promise<URL> {
    const url = this.#requests.shift();
    if (url !== undefined) return Promise.resolve(url);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  async close(): Promise<void> {
    await closeServer(this.#server);
  }
}

export const json =
  (body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Responder =>
  (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
  };

/** Responds with an error as the API server does, with a `Status`. */
export const errorStatus = (code: number, reason: string, headers: Readonly<Record<string, string>> = {}): Responder =>
  json({ kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message: reason }, code, headers);

/** Starts a stream with `events`, and passes the open response to `rest`. */
export const stream =
  (events: readonly unknown[], rest: (response: ServerResponse) => void = () => undefined): Responder =>
  (response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.flushHeaders();
    for (const event of events) response.write(`${JSON.stringify(event)}\n`);
    rest(response);
  };

/** Responds with a text that is longer than the memory: it is made while it is sent, until the client closes the connection. */
export const long =
  (parts: () => Iterable<string>, status = 200): Responder =>
  (response) => {
    response.writeHead(status, { "content-type": "application/json" });
    Readable.from(parts()).pipe(response);
  };

/** Resets the connection. */
export const reset = (response: ServerResponse): void => {
  response.socket?.resetAndDestroy();
};

export const end = (response: ServerResponse): void => {
  response.end();
};
