import { connect, type Socket } from "node:net";

export interface HttpAnswer {
  readonly kind: "answer";
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
  readonly milliseconds: number;
}

/** How a request ended. */
export type Ending =
  | HttpAnswer
  /** The connection ended without an answer. */
  | { readonly kind: "closed"; readonly milliseconds: number }
  /** Neither an answer nor an end within the time limit. */
  | { readonly kind: "hang"; readonly milliseconds: number }
  /** Bytes that are no answer of HTTP/1.1. */
  | { readonly kind: "malformed"; readonly why: string; readonly milliseconds: number };

/** A connection of HTTP/1.1 that sends whatever bytes it is given, and reads answers strictly. */
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
   * Sends a request and waits for what comes of it.
   * @param last whether nothing follows: then the sending side of the connection ends
   */
  async send(bytes: Buffer, method: string, timeLimit: number, last = false): Promise<Ending> {
    const started = performance.now();
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      this.#wake();
    }, timeLimit);
    // What comes early ends the sending: a server need not read all of what it refuses.
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
                why: `an answer that was cut off: ${this.#received.subarray(0, 200).toString("latin1")}`,
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

  /** The server said that nothing more is answered. */
  #close(): void {
    this.#isEnded = true;
    this.#socket.end();
  }

  /** The answer, as far as it is there: undefined where it is not whole yet, a text where it is none. */
  #read(method: string): Omit<HttpAnswer, "milliseconds"> | string | undefined {
    const end = this.#received.indexOf("\r\n\r\n");
    if (end < 0) return undefined;
    const [statusLine = "", ...lines] = this.#received.subarray(0, end).toString("latin1").split("\r\n");
    const found = /^HTTP\/1\.1 (\d{3})(?: [ -~]*)?$/.exec(statusLine);
    if (found === null) return `no status line: ${statusLine.slice(0, 100)}`;
    const status = Number(found[1]);
    const headers: [string, string][] = [];
    for (const line of lines) {
      const header = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([ -~\t]*)$/.exec(line);
      if (header === null) return `no header: ${line.slice(0, 100)}`;
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
    return { kind: "answer", status, headers, body: body.content };
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
      if (headers.get("connection") !== "close") return "neither a length nor chunks nor the end of the connection";
      return this.#isEnded ? { content: rest, used: rest.length } : undefined;
    }
    if (!/^\d+$/.test(length)) return `a length that is none: ${length}`;
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
    if (Number.isNaN(size)) return "a chunk without a size";
    const end = lineEnd + 2 + size + 2;
    if (bytes.length < end) return undefined;
    if (size === 0) return { content: Buffer.concat(parts), used: end };
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = end;
  }
}
