import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { KubeObject } from "#src/kube/object.ts";
import { closeServer, listenOnLoopback, portOf } from "#test/support/loopback.ts";
import { kubeconfigFor } from "./kubeconfig.testing.ts";

interface Review {
  readonly spec: {
    readonly user?: string;
    readonly resourceAttributes: { readonly verb: string; readonly resource: string; readonly subresource?: string };
  };
}

interface Failure {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
}

type TestObject = KubeObject & { readonly spec?: object | undefined; readonly status?: object };

/** An API server with objects, which records the calls that it gets. Nothing can be written to it. */
export class ClusterServer {
  /** The method and the path, without the query, of each call. */
  readonly calls: string[] = [];
  /** By the path below the API, such as `namespaces/shop/groups/web`. */
  readonly #objects = new Map<string, KubeObject>();
  /** What every request gets instead of a response, such as that of a cluster without CRDs. */
  failure: Failure | undefined;
  /** Paths whose reads are refused. */
  readonly forbidden = new Set<string>();
  /** Whether RBAC permits a request: `patch groups/status`. */
  permits: (right: string, user: string | undefined) => boolean = () => true;
  /** The message with which a request is refused that is only tried, such as `PATCH tenants/shop`; undefined: it is accepted. */
  refuses: (request: string, asUser: string | undefined) => string | undefined = () => undefined;
  /** What becomes of the object of a request that is only tried, and accepted. */
  accepts: (request: string, object: KubeObject) => KubeObject = (_, object) => object;
  readonly #server = createServer((incoming, outgoing) => void this.#respond(incoming, outgoing));

  /** Adds objects, or replaces those of the same name. */
  put(plural: string, ...objects: readonly TestObject[]): void {
    for (const object of objects) this.#objects.set(pathOf(plural, object), object);
  }

  clear(): void {
    this.#objects.clear();
    this.forbidden.clear();
    this.calls.length = 0;
    this.failure = undefined;
    this.permits = () => true;
    this.refuses = () => undefined;
    this.accepts = (_, object) => object;
  }

  /** Removes an object without a namespace. */
  remove(plural: string, name: string): void {
    this.#objects.delete(`${plural}/${name}`);
  }

  async listen(): Promise<void> {
    await listenOnLoopback(this.#server);
  }

  get url(): string {
    return `http://127.0.0.1:${portOf(this.#server)}`;
  }

  /** A kubeconfig for it. */
  get kubeconfig(): string {
    return kubeconfigFor(this.url);
  }

  async close(): Promise<void> {
    await closeServer(this.#server);
  }

  async #respond(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(incoming.url ?? "/", "http://server");
    this.calls.push(`${incoming.method} ${pathname}`);
    const path = pathname.replace(/^\/(?:api|apis\/[^/]+)\/[^/]+\//, "");
    const method = incoming.method ?? "";
    const text = await textOf(incoming);
    const { code, body } =
      searchParams.get("dryRun") === "All"
        ? this.#try(`${method} ${path}`, text, incoming.headers["impersonate-user"])
        : this.#answer(method, path, searchParams, text);
    outgoing.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(body));
  }

  #try(request: string, text: string, asUser: string | string[] | undefined) {
    const message = this.failure?.message ?? this.refuses(request, asUser?.toString());
    return message === undefined
      ? { code: 200, body: this.accepts(request, JSON.parse(text) as KubeObject) }
      : failure(403, "Forbidden", message);
  }

  #answer(
    method: string,
    path: string,
    query: URLSearchParams,
    text: string,
  ): { readonly code: number; readonly body: object } {
    if (this.failure !== undefined) return failure(this.failure.code, this.failure.reason, this.failure.message);
    if (method === "POST" && path.endsWith("accessreviews")) {
      if (this.forbidden.has(path)) return refusal(path);
      const { spec } = JSON.parse(text) as Review;
      const { resource, subresource, verb } = spec.resourceAttributes;
      const right = `${verb} ${resource}${subresource === undefined ? "" : `/${subresource}`}`;
      return { code: 201, body: { metadata: {}, status: { allowed: this.permits(right, spec.user) } } };
    }
    if (method !== "GET") return failure(405, "MethodNotAllowed", "this cluster can only be read");
    if (this.forbidden.has(path)) return refusal(path);
    const found = this.#objects.get(path);
    if (found !== undefined) return { code: 200, body: found };
    const items = [...this.#objects].flatMap(([key, object]) => (isListed(key, path) ? [object] : []));
    const isList = !path.includes("/") || /^namespaces\/[^/]+\/[^/]+$/.test(path);
    return isList ? { code: 200, body: pageOf(items, query) } : failure(404, "NotFound", `${path} not found`);
  }
}

function pathOf(plural: string, { metadata: { name, namespace } }: KubeObject): string {
  return namespace === undefined ? `${plural}/${name}` : `namespaces/${namespace}/${plural}/${name}`;
}

/** Whether a list at `path` has the object at `key`. */
function isListed(key: string, path: string): boolean {
  const collection = key.slice(0, key.lastIndexOf("/"));
  return collection === path || (!path.includes("/") && collection.endsWith(`/${path}`));
}

/** A page of a list, whose token is where the next one begins. */
function pageOf(items: readonly KubeObject[], query: URLSearchParams): object {
  const start = Number(query.get("continue") ?? 0);
  const end = start + Number(query.get("limit") ?? items.length);
  const metadata = end < items.length ? { continue: String(end) } : {};
  return { kind: "List", metadata, items: items.slice(start, end) };
}

function refusal(path: string) {
  return failure(403, "Forbidden", `${path} is forbidden: User "ana@example.com" cannot do it`);
}

function failure(code: number, reason: string, message: string) {
  return { code, body: { kind: "Status", status: "Failure", code, reason, message } };
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of incoming) text += String(chunk);
  return text;
}
