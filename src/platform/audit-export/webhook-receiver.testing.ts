import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { closeServer, portOf } from "#test/support/loopback.ts";

export interface ReceivedRequest {
  readonly signature: string;
  readonly contentType: string;
  readonly body: string;
  readonly ids: readonly number[];
}

/** A receiver of audit records on loopback. */
export class WebhookReceiver {
  readonly requests: ReceivedRequest[] = [];
  /** The responses to the next requests; after them, 204. */
  readonly statuses: (number | "never")[] = [];
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(port = 0): Promise<WebhookReceiver> {
    const server = createServer();
    const receiver = new WebhookReceiver(server);
    server.on("request", (request, response) => void receiver.#receive(request, response));
    await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
    return receiver;
  }

  get port(): number {
    return portOf(this.#server);
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/records`;
  }

  /** The ids of the records that were received, in the order of their arrival. */
  get ids(): readonly number[] {
    return this.requests.flatMap(({ ids }) => ids);
  }

  async close(): Promise<void> {
    await closeServer(this.#server);
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const status = this.statuses.shift() ?? 204;
    if (status === 204) {
      const lines = body.trimEnd().split("\n");
      this.requests.push({
        signature: String(request.headers["muster-signature"]),
        contentType: String(request.headers["content-type"]),
        body,
        ids: lines.map((line) => Number((JSON.parse(line) as { id: string }).id)),
      });
    }
    if (status === "never") return;
    response.writeHead(status, status === 302 ? { location: this.url } : {}).end();
  }
}
