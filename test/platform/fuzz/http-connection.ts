import { connect, type Socket } from "node:net";

export interface HttpResponse {
  readonly kind: "response";
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
  readonly milliseconds: number;
}

/** How a request ended. */
export type Ending =
  | HttpResponse
  /** The connection closed without a response. */
  | { readonly kind: "closed"; readonly milliseconds: number }
  /** Neither a response nor the end of the connection within the time limit. */
  | { readonly kind: "hang"; readonly milliseconds: number }
  /** The bytes are not an HTTP/1.1 response. */
  | { readonly kind: "malformed"; readonly why: string; readonly milliseconds: number };

/** An HTTP/1.1 connection that sends any bytes and parses responses strictly. */
export class HttpConnection {
  readonly #socket: Socket;
  #received = Buffer.alloc(0);
  #isEnded = false;
  #wake = () => {};

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay();
    socket.on("data", (chunk) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#wake();
    });
    const ended = () => {
      this.#isEnded = true;
      this.#wake();
    };
    socket.on("error", ended);
    socket.on("close", ended);
    socket.on("end", ended);
  }

  static open(host: string, port: number): Promise<HttpConnection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host, port });
      socket.once("error", reject);
      socket.once("connect", () => {
        socket.off("error", reject);
        resolve(new HttpConnection(socket));
      });
    });
  }

  get isUsable(): boolean {
    return !this.#isEnded && !this.#socket.destroyed && this.#received.length === 0;
  }

  /**
   * Sends a request and waits for its response.
   * @param last close the sending side of the connection after the request
   */
  async send(bytes: Buffer, method: string, timeLimit: number, last = false): Promise<Ending> {
    const started = performance.now();
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      this.#wake();
    }, timeLimit);
    // A server may respond before it has read all of a request that it rejects.
    if (last) this.#socket.end(bytes);
    else this.#socket.write(bytes);
    try {
      for (;;) {
        const milliseconds = performance.now() - started;
        const read = this.#read(method);
        if (typeof read === "string") return { kind: "malformed", why: read, milliseconds };
        if (read !== undefined) return { ...read, milliseconds };
        if (this.#isEnded)
          return this.#received.length === 0
            ? { kind: "closed", milliseconds }
            : {
                kind: "malformed",
                why: `truncated response: ${this.#received.subarray(0, 200).toString("latin1")}`,
                milliseconds,
              };
        if (isLate) return { kind: "hang", milliseconds };
        await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    } finally {
      clearTimeout(timer);
      this.#wake = () => {};
    }
  }

  close(): void {
    this.#socket.destroy();
  }

  /** The server sent `connection: close`. */
  #close(): void {
    this.#isEnded = true;
    this.#socket.end();
  }

  /** @returns the received response; undefined if it is incomplete, a text that says why if it is malformed */
  #read(method: string): Omit<HttpResponse, "milliseconds"> | string | undefined {
    const end = this.#received.indexOf("\r\n\r\n");
    if (end < 0) return undefined;
    const [statusLine = "", ...lines] = this.#received.subarray(0, end).toString("latin1").split("\r\n");
    const found = /^HTTP\/1\.1 (\d{3})(?: [ -~]*)?$/.exec(statusLine);
    if (found === null) return `invalid status line: ${statusLine.slice(0, 100)}`;
    const status = Number(found[1]);
    const headers: [string, string][] = [];
    for (const line of lines) {
      const header = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([ -~\t]*)$/.exec(line);
      if (header === null) return `invalid header: ${line.slice(0, 100)}`;
      headers.push([(header[1] ?? "").toLowerCase(), (header[2] ?? "").trimEnd()]);
    }
    const rest = this.#received.subarray(end + 4);
    if (status < 200) {
      this.#received = rest;
      return this.#read(method);
    }
    const body = this.#bodyOf(rest, status, method, new Map(headers));
    if (typeof body !== "object") return body;
    this.#received = rest.subarray(body.used);
    if (headers.some(([name, value]) => name === "connection" && value.toLowerCase() === "close")) this.#close();
    return { kind: "response", status, headers, body: body.content };
  }

  #bodyOf(
    rest: Buffer,
    status: number,
    method: string,
    headers: ReadonlyMap<string, string>,
  ): { content: Buffer; used: number } | string | undefined {
    if (method === "HEAD" || status === 204 || status === 304) return { content: Buffer.alloc(0), used: 0 };
    const length = headers.get("content-length");
    if (headers.get("transfer-encoding") === "chunked") return chunkedBody(rest);
    if (length === undefined) {
      if (headers.get("connection") !== "close")
        return "the body has neither a length nor chunks, and the connection stays open";
      return this.#isEnded ? { content: rest, used: rest.length } : undefined;
    }
    if (!/^\d+$/.test(length)) return `invalid content-length: ${length}`;
    const size = Number(length);
    return rest.length < size ? undefined : { content: rest.subarray(0, size), used: size };
  }
}

function chunkedBody(bytes: Buffer): { content: Buffer; used: number } | string | undefined {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf("\r\n", at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(bytes.subarray(at, lineEnd).toString("latin1"), 16);
    if (Number.isNaN(size)) return "chunk without a size";
    const end = lineEnd + 2 + size + 2;
    if (bytes.length < end) return undefined;
    if (size === 0) return { content: Buffer.concat(parts), used: end };
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = end;
  }
}
