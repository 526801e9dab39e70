import { serviceAccountResource } from "./service-account.ts";
import type { Tracer } from "#src/telemetry/tracer.ts";
import type { Clock } from "#src/time/clock.ts";
import { seconds } from "#src/time/durations.ts";
import type {
  CallOptions,
  DeleteOptions,
  KubeApi,
  ListOptions,
  PatchOptions,
  ServiceAccountToken,
  TokenRequest,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from "./api.ts";
import type { KubeConnection } from "./config.ts";
import { KubeError } from "./errors.ts";
import type { KubeList, KubeObject, ResourceKind } from "./object.ts";
import { type HttpRequest, type ObservedCall, Transport } from "./transport.ts";
import { eventsOf, WatchStreamError } from "./watch.ts";

export interface KubeClientOptions {
  readonly connection: KubeConnection;
  /** Concurrent requests, each on its own connection; default: 16, more of which would only queue in the API server. */
  readonly connections?: number;
  /** Milliseconds from a call to the end of its response; default: 15 s. */
  readonly deadlineMs?: number;
  readonly clock: Clock;
  /** Called once for every call that has ended; for a watch, once its response has started. */
  readonly observe?: (call: ObservedCall) => void;
  readonly tracer?: Tracer | undefined;
}

/** The Kubernetes API over HTTP. */
export class KubeClient implements KubeApi {
  readonly #transport: Transport;
  readonly #deadlineMs: number;

  constructor({ connections = 16, deadlineMs = seconds(15), ...options }: KubeClientOptions) {
    this.#transport = new Transport({ ...options, connections });
    this.#deadlineMs = deadlineMs;
  }

  async get<T extends KubeObject>(
    resource: ResourceKind,
    namespace: string | undefined,
    name: string,
    options: CallOptions,
  ): Promise<T> {
    return (await this.#send("GET", "get", resource, pathOf(resource, namespace, name), options)) as T;
  }

  async list<T extends KubeObject>(resource: ResourceKind, options: ListOptions): Promise<KubeList<T>> {
    const query = new URLSearchParams();
    if (options.limit !== undefined) query.set("limit", String(options.limit));
    if (options.continue !== undefined) query.set("continue", options.continue);
    const path = `${pathOf(resource, options.namespace)}${query.size === 0 ? "" : `?${query.toString()}`}`;
    const list = await this.#send("GET", "list", resource, path, options);
    if (!isList(list)) throw KubeError.noResponse(`list ${resource.plural}`, "the response is not a list");
    return list as KubeList<T>;
  }

  async *watch(resource: ResourceKind, options: WatchOptions): AsyncGenerator<WatchEvent> {
    const { namespace, resourceVersion, timeoutSeconds, signal } = options;
    const call = `watch ${resource.plural}`;
    const query = `watch=true&allowWatchBookmarks=true&resourceVersion=${encodeURIComponent(resourceVersion)}&timeoutSeconds=${timeoutSeconds}`;
    const body = await this.#transport.stream(
      { call, method: "GET", path: `${pathOf(resource, namespace)}?${query}`, signal },
      this.#deadlineMs,
    );
    try {
      yield* eventsOf(body);
    } catch (error) {
      if (!(error instanceof WatchStreamError)) throw error;
      throw KubeError.noResponse(call, error.message, error);
    }
  }

  async create<T extends KubeObject>(
    resource: ResourceKind,
    namespace: string | undefined,
    object: object,
    { dryRun = false, ...options }: WriteOptions,
  ): Promise<T> {
    const path = `${pathOf(resource, namespace)}${dryRun ? dryRunQuery : ""}`;
    return (await this.#send("POST", "create", resource, path, options, object)) as T;
  }

  async replace<T extends KubeObject>(
    resource: ResourceKind,
    namespace: string | undefined,
    name: string,
    object: object,
    options: CallOptions,
  ): Promise<T> {
    return (await this.#send("PUT", "replace", resource, pathOf(resource, namespace, name), options, object)) as T;
  }

  async patch<T extends KubeObject>(
    resource: ResourceKind,
    namespace: string | undefined,
    name: string,
    body: object,
    options: PatchOptions,
  ): Promise<T> {
    const { subresource, dryRun = false, asUser } = options;
    const path = `${pathOf(resource, namespace, name, subresource)}${dryRun ? dryRunQuery : ""}`;
    const call = subresource === undefined ? resource.plural : `${resource.plural}/${subresource}`;
    const response = await this.#transport.send(
      {
        call: `patch ${call}`,
        method: "PATCH",
        path,
        body,
        contentType: "application/merge-patch+json",
        asUser,
        signal: options.signal,
      },
      options.deadlineMs ?? this.#deadlineMs,
    );
    return response as T;
  }

  async delete(
    resource: ResourceKind,
    namespace: string | undefined,
    name: string,
    options: DeleteOptions,
  ): Promise<void> {
    const { uid, resourceVersion } = options;
    const preconditions = {
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    };
    const body = { apiVersion: "v1", kind: "DeleteOptions", preconditions };
    await this.#send("DELETE", "delete", resource, pathOf(resource, namespace, name), options, body);
  }

  async createToken(
    namespace: string,
    name: string,
    request: TokenRequest,
    options: CallOptions,
  ): Promise<ServiceAccountToken> {
    const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: request };
    const path = pathOf(serviceAccountResource, namespace, name, "token");
    const response = await this.#send("POST", "create token of", serviceAccountResource, path, options, body);
    const { status } = response as { status?: Partial<ServiceAccountToken> };
    if (typeof status?.token !== "string" || typeof status.expirationTimestamp !== "string")
      throw KubeError.noResponse("create token of serviceaccounts", "the response has no token");
    return { token: status.token, expirationTimestamp: status.expirationTimestamp };
  }

  /** The keys of the cluster's service-account tokens, as the API server publishes them: a JWKS document. */
  async serviceAccountKeys({ signal, deadlineMs = this.#deadlineMs }: CallOptions): Promise<unknown> {
    return this.#transport.send(
      { call: "get service-account keys", method: "GET", path: "/openid/v1/jwks", signal },
      deadlineMs,
    );
  }

  /** The issuer of the cluster's service-account tokens, as the API server publishes it. */
  async serviceAccountIssuer({ signal, deadlineMs = this.#deadlineMs }: CallOptions): Promise<string> {
    const call = "get service-account issuer";
    const path = "/.well-known/openid-configuration";
    const document = await this.#transport.send({ call, method: "GET", path, signal }, deadlineMs);
    const { issuer } = document as { issuer?: unknown };
    if (typeof issuer !== "string") throw KubeError.noResponse(call, "the response names no issuer");
    return issuer;
  }

  /** Aborts all requests and watches, and closes their connections. */
  async close(): Promise<void> {
    await this.#transport.close();
  }

  #send(
    method: HttpRequest["method"],
    verb: string,
    resource: ResourceKind,
    path: string,
    { signal, deadlineMs = this.#deadlineMs, asUser }: WriteOptions,
    body?: object,
  ): Promise<unknown> {
    const call = `${verb} ${resource.plural}`;
    return this.#transport.send(
      { call, method, path, signal, asUser, ...(body === undefined ? {} : { body }) },
      deadlineMs,
    );
  }
}

const dryRunQuery = "?dryRun=All";

function pathOf(
  resource: ResourceKind,
  namespace: string | undefined,
  ...rest: readonly (string | undefined)[]
): string {
  const { group, version, plural } = resource;
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  const scope = namespace === undefined ? "" : `/namespaces/${segment(namespace)}`;
  const suffix = rest.filter((part) => part !== undefined).map((part) => `/${segment(part)}`);
  return `${root}${scope}/${plural}${suffix.join("")}`;
}

/** Kubernetes has validated the name; nevertheless, a name must never lead to another path. */
function segment(name: string): string {
  if (name === "" || name === "." || name === "..") throw new Error(`"${name}" is not a valid Kubernetes name`);
  return encodeURIComponent(name);
}

function isList(value: unknown): value is KubeList {
  if (typeof value !== "object" || value === null) return false;
  return "items" in value && Array.isArray(value.items) && "metadata" in value && typeof value.metadata === "object";
}
