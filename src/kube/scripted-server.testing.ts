import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** How one request is answered. */
export type Answer = (response: ServerResponse, url: URL, request: IncomingMessage) => void;

/** An HTTP server for tests that answers as it was told, well or badly, one request after the other. */
export class ScriptedServer {
  readonly #server: Server;
  readonly #script: Answer[] = [];
  readonly #waiting: ((url: URL) => void)[] = [];
  readonly #asked: URL[] = [];
  /** Connections accepted so far. */
  connections = 0;

  constructor() {
    this.#server = createServer((request, response) => {
      const url = new URL(request.url ?? "/", "http://server");
      const waiting = this.#waiting.shift();
      if (waiting === undefined) this.#asked.push(url);
      else waiting(url);
      const answer = this.#script.shift();
      if (answer === undefined) response.writeHead(500).end();
      else answer(response, url, request);
    });
    this.#server.on("connection", () => this.connections++);
  }

  async listen(): Promise<URL> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return new URL(`http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`);
  }

  /** Adds to what is to be answered. */
  answers(...answers: Answer[]): void {
    this.#script.push(...answers);
  }

  /** The next request that nobody has looked at yet. */
  asked(): Promise<URL> {
    const url = this.#asked.shift();
    if (url !== undefined) return Promise.resolve(url);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }
}

export const json =
  (body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Answer =>
  (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
  };

/** A `Status`, as the API server refuses. */
export const refusal = (code: number, reason: string, headers: Readonly<Record<string, string>> = {}): Answer =>
  json({ kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message: reason }, code, headers);

/** The beginning of a stream, and then whatever `rest` does. */
export const stream =
  (events: readonly unknown[], rest: (response: ServerResponse) => void = () => undefined): Answer =>
  (response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.flushHeaders();
    for (const event of events) response.write(`${JSON.stringify(event)}\n`);
    rest(response);
  };

/** Cuts the connection. */
export const reset = (response: ServerResponse): void => {
  response.socket?.resetAndDestroy();
};

export const end = (response: ServerResponse): void => {
  response.end();
};
