import { createServer } from "node:http";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { closeServer, listenOnLoopback, portOf } from "#test/support/loopback.ts";

/** An API server that lists objects in pages, and gets some by name. It is as fast as the objects can be sent. */
export class ListedCluster {
  /** The requests since the start. */
  requests = 0;
  /** By plural. */
  readonly #objects: Readonly<Record<string, readonly KubeObject[]>>;
  readonly #server = createServer((incoming, outgoing) => {
    this.requests += 1;
    const { pathname, searchParams } = new URL(incoming.url ?? "", "http://localhost");
    const [, plural = "", name] = /\/v1(?:beta1)?\/(\w+)(?:\/([^/]+))?$/.exec(pathname) ?? [];
    const objects = this.#objects[plural];
    const body = name === undefined ? page(objects, searchParams) : objects?.find((one) => one.metadata.name === name);
    outgoing.writeHead(body === undefined ? 404 : 200, { "content-type": "application/json" });
    outgoing.end(JSON.stringify(body ?? { kind: "Status", status: "Failure", code: 404, reason: "NotFound" }));
  });

  constructor(objects: Readonly<Record<string, readonly KubeObject[]>>) {
    this.#objects = objects;
  }

  async listen(): Promise<void> {
    await listenOnLoopback(this.#server);
  }

  /** A kubeconfig for it. */
  get kubeconfig(): string {
    const port = portOf(this.#server);
    return JSON.stringify({
      clusters: [{ name: "c", cluster: { "insecure-skip-tls-verify": true, server: `http://127.0.0.1:${port}` } }],
      users: [{ name: "u", user: { token: "t" } }],
      contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
      "current-context": "x",
    });
  }

  async close(): Promise<void> {
    await closeServer(this.#server);
  }
}

function page(objects: readonly KubeObject[] = [], query: URLSearchParams): object {
  const start = Number(query.get("continue") ?? "0");
  const end = start + Number(query.get("limit") ?? objects.length);
  const more = { continue: String(end), remainingItemCount: objects.length - end };
  const metadata = { resourceVersion: "100000", ...(end < objects.length ? more : {}) };
  return { kind: "List", apiVersion: "v1", metadata, items: objects.slice(start, end) };
}
