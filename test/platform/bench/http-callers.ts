import { once } from "node:events";
import { connect, type Socket } from "node:net";

export interface HttpCall {
  readonly method: "GET" | "POST";
  /** The path and the query. */
  readonly path: string;
  readonly token: string;
  readonly body?: string;
}

/** The result of a load. */
export interface Load {
  readonly seconds: number;
  /** The latency of each call in milliseconds, in no order. */
  readonly latencies: readonly number[];
}

/**
 * Concurrent callers, each with a persistent connection and one call at a time. It implements only the part of HTTP/1.1
 * that the platform's responses need, so that the load costs little CPU time.
 */
export class HttpCallers {
  readonly #connections: readonly Connection[];
  readonly #host: string;

  private constructor(host: string, connections: readonly Connection[]) {
    this.#host = host;
    this.#connections = connections;
  }

  /** @param host `127.0.0.1:8080` */
  static async open(host: string, callers: number): Promise<HttpCallers> {
    const { hostname, port } = new URL(`http://${host}`);
    const connections = Array.from({ length: callers }, async () => {
      const socket = connect({ host: hostname, port: Number(port), noDelay: true });
      await once(socket, "connect");
      return new Connection(socket);
    });
    return new HttpCallers(host, await Promise.all(connections));
  }

  close(): void {
    for (const connection of this.#connections) connection.close();
  }

  /** Makes one call. @returns the JSON of the response @throws {Error} unless the status is 200 */
  async call<T>(call: HttpCall): Promise<T> {
    const [connection] = this.#connections;
    if (connection === undefined) throw new Error("HttpCallers.open: set at least one caller");
    return JSON.parse(checked(call, await connection.send(this.#requestOf(call))).body()) as T;
  }

  /** Makes calls without a pause. @throws {Error} unless each status is 200 */
  async run(seconds: number, callOf: (n: number) => HttpCall): Promise<Load> {
    const latencies: number[] = [];
    const started = performance.now();
    const end = started + seconds * 1_000;
    let next = 0;
    const caller = async (connection: Connection) => {
      for (;;) {
        const from = performance.now();
        if (from >= end) return;
        const call = callOf(next++);
        checked(call, await connection.send(this.#requestOf(call)));
        latencies.push(performance.now() - from);
      }
    };
    await Promise.all(this.#connections.map(caller));
    return { seconds: (performance.now() - started) / 1_000, latencies };
  }

  #requestOf({ method, path, token, body = "" }: HttpCall): string {
    const length =
      body === "" ? "" : `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`;
    return `${method} ${path} HTTP/1.1\r\nhost: ${this.#host}\r\nauthorization: Bearer ${token}\r\n${length}\r\n${body}`;
  }
}

interface HttpResponse {
  readonly status: string;
  readonly body: () => string;
}

function checked(call: HttpCall, response: HttpResponse): HttpResponse {
  if (response.status === "200") return response;
  throw new Error(`${call.method} ${call.path}: HTTP ${response.status} ${response.body()}`);
}

/** The end of the headers. */
const blankLine = Buffer.from("\r\n\r\n");

class Connection {
  readonly #socket: Socket;
  #chunks: Buffer[] = [];
  #received = 0;
  /** The number of bytes of headers and body; 0 until the headers are complete. */
  #expected = 0;
  #headers = 0;
  #response: PromiseWithResolvers<HttpResponse> | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (chunk: Buffer) => this.#take(chunk));
    socket.on("error", (error) => this.#response?.reject(error));
    socket.on("close", () => this.#response?.reject(new Error("the platform closed the connection")));
  }

  send(request: string): Promise<HttpResponse> {
    this.#response = Promise.withResolvers<HttpResponse>();
    this.#socket.write(request);
    return this.#response.promise;
  }

  close(): void {
    this.#response = undefined;
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#received += chunk.length;
    if (this.#expected === 0) {
      const all = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks);
      this.#chunks = [all];
      this.#headers = all.indexOf(blankLine);
      if (this.#headers < 0) return;
      const length = /^content-length: (\d+)/im.exec(all.toString("latin1", 0, this.#headers))?.[1];
      this.#expected = this.#headers + blankLine.length + Number(length);
    }
    if (this.#received < this.#expected) return;
    const [chunks, headers] = [this.#chunks, this.#headers];
    [this.#chunks, this.#received, this.#expected] = [[], 0, 0];
    this.#response?.resolve({
      status: (chunks[0] as Buffer).toString("latin1", "HTTP/1.1 ".length, "HTTP/1.1 200".length),
      body: () => Buffer.concat(chunks).toString("utf8", headers + blankLine.length),
    });
  }
}
