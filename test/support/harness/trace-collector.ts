import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { json } from "node:stream/consumers";
import { closeServer, listenOnLoopback, portOf } from "#test/support/loopback.ts";

type Value = string | number | boolean;

/** A span as it was exported. */
export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty or absent for the root of a trace. */
  readonly parentSpanId?: string;
  readonly name: string;
  /** The attribute `service.name` of its process. */
  readonly service: string;
  readonly attributes: Readonly<Record<string, Value>>;
}

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, Value>>;
}

interface ExportRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<CollectedSpan, "attributes" | "service"> & {
        readonly attributes?: readonly Attribute[];
      })[];
    }[];
  }[];
}

/** A collector of OpenTelemetry that keeps what it receives: OTLP over HTTP, as JSON. */
export class TraceCollector {
  readonly url: string;
  readonly spans: CollectedSpan[] = [];
  /** Rejects every export. */
  failing = false;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${portOf(server)}`;
    server.on("request", (request, response) => {
      if (this.failing) return void response.writeHead(400).end();
      json(request).then(
        (body) => {
          this.#receive(body as ExportRequest);
          response.writeHead(200, { "content-type": "application/json" }).end("{}");
        },
        () => response.writeHead(400).end(),
      );
    });
  }

  static async start(): Promise<TraceCollector> {
    const server = createServer();
    await listenOnLoopback(server);
    return new TraceCollector(server);
  }

  /** The spans of the trace to which the span belongs, in the order in which they ended. */
  traceOf(span: CollectedSpan | undefined): readonly CollectedSpan[] {
    return this.spans.filter(({ traceId }) => traceId === span?.traceId);
  }

  /** The span and all above it, from the root. */
  pathTo(span: CollectedSpan): readonly CollectedSpan[] {
    const parent = this.spans.find(({ spanId }) => spanId === span.parentSpanId);
    return parent === undefined ? [span] : [...this.pathTo(parent), span];
  }

  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    void closeServer(this.#server);
    await once(this.#server, "close");
  }

  #receive({ resourceSpans }: ExportRequest): void {
    for (const { resource, scopeSpans } of resourceSpans) {
      const service = String(valuesOf(resource.attributes)["service.name"]);
      for (const { spans } of scopeSpans)
        for (const { attributes = [], ...span } of spans)
          this.spans.push({ ...span, service, attributes: valuesOf(attributes) });
    }
  }
}

function valuesOf(attributes: readonly Attribute[]): Record<string, Value> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0] ?? ""]));
}
