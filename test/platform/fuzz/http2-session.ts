import { type ClientHttp2Session, connect } from "node:http2";

/** How a call over HTTP/2 ended. */
export type StreamEnding =
  | {
      readonly kind: "response";
      readonly headers: Readonly<Record<string, string>>;
      readonly trailers: Readonly<Record<string, string>>;
      readonly body: Buffer;
    }
  /** The stream or its connection closed before the response was complete. */
  | { readonly kind: "closed"; readonly why: string }
  | { readonly kind: "hang" };

/** A plaintext HTTP/2 session. It is opened again when the server closes it. */
export class Http2Session {
  readonly #url: string;
  #session: ClientHttp2Session | undefined;

  constructor(url: string) {
    this.#url = url;
  }

  send(
    path: string,
    headers: Readonly<Record<string, string>>,
    body: Buffer,
    timeLimit: number,
  ): Promise<StreamEnding> {
    const session = this.#open();
    return new Promise((resolve) => {
      const stream = session.request({ ...headers, ":method": "POST", ":path": path });
      const timer = setTimeout(() => end({ kind: "hang" }), timeLimit);
      const end = (ending: StreamEnding) => {
        clearTimeout(timer);
        resolve(ending);
        if (!stream.closed) stream.close();
      };
      const chunks: Buffer[] = [];
      let head: Readonly<Record<string, string>> | undefined;
      let trailers: Readonly<Record<string, string>> = {};
      stream.on("response", (received) => (head = textsOf(received)));
      stream.on("trailers", (received) => (trailers = textsOf(received)));
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        if (head !== undefined) end({ kind: "response", headers: head, trailers, body: Buffer.concat(chunks) });
      });
      stream.on("error", (error) => end({ kind: "closed", why: error.message }));
      stream.on("close", () => end({ kind: "closed", why: `the stream was closed with code ${stream.rstCode}` }));
      stream.end(body);
    });
  }

  close(): void {
    this.#session?.destroy();
  }

  #open(): ClientHttp2Session {
    if (this.#session === undefined || this.#session.closed || this.#session.destroyed) {
      // The limit applies to both directions, so the default would also limit what we send.
      this.#session = connect(this.#url, { maxSessionMemory: 1_000 });
      this.#session.on("error", () => {});
    }
    return this.#session;
  }
}

function textsOf(headers: object): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
