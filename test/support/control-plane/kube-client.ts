import { type KubeAccess, KubeConnection, KubeError, type RequestOptions } from "./kube-connection.ts";

/** Any Kubernetes object, with the fields that this client uses. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
  // The other fields depend on the kind; each test knows which ones it expects.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly [field: string]: any;
}

interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly unknown[];
}

export interface KindRef {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Names one object. An object is a reference to itself. */
export interface ObjectRef extends KindRef {
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

export type WatchEvent = { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: KubeObject };

/**
 * The functions of kubectl that tests, the demo and the benchmark need. It shares no code with the operator's client: a
 * test must be able to contradict the operator.
 */
export class KubeClient {
  readonly #connection: KubeConnection;
  readonly #resources = new Map<string, { readonly plural: string; readonly namespaced: boolean }>();

  constructor(access: KubeAccess) {
    this.#connection = new KubeConnection(access);
  }

  /**
   * Sends one request to any path.
   * @returns the JSON of the response, or its text if it is not JSON
   * @throws {KubeError} from status 400
   */
  // oxlint-disable-next-line typescript/no-explicit-any
  async request(method: string, path: string, options: RequestOptions = {}): Promise<any> {
    return this.#connection.request(method, path, options);
  }

  /** Server-side apply: creates the object, or sets these fields, even if another manager owns them. */
  async apply(object: KubeObject, { fieldManager = "test" } = {}): Promise<KubeObject> {
    const query = new URLSearchParams({ fieldManager, force: "true", fieldValidation: "Strict" });
    return this.request("PATCH", `${await this.pathOf(object)}?${query.toString()}`, {
      body: object,
      contentType: "application/apply-patch+yaml",
    });
  }

  /** @param dryRun run admission and validation without storing the object */
  async create(object: KubeObject, { dryRun = false } = {}): Promise<KubeObject> {
    const query = `?fieldValidation=Strict${dryRun ? "&dryRun=All" : ""}`;
    return this.request("POST", `${await this.#collection(object, object.metadata.namespace)}${query}`, {
      body: object,
    });
  }

  async get(ref: ObjectRef): Promise<KubeObject> {
    return this.request("GET", await this.pathOf(ref));
  }

  /** The object, or undefined if it does not exist. */
  async find(ref: ObjectRef): Promise<KubeObject | undefined> {
    return this.get(ref).catch((error: unknown) => {
      if (error instanceof KubeError && error.code === 404) return undefined;
      throw error;
    });
  }

  /** All objects of a kind, in one namespace or in all namespaces. */
  async list(kind: KindRef, { namespace }: { namespace?: string } = {}): Promise<KubeObject[]> {
    const list = await this.request("GET", await this.#collection(kind, namespace));
    return (list.items as KubeObject[]).map((item) => ({ ...item, ...kindOf(kind) }));
  }

  /** A JSON merge patch of the object, or of one of its subresources. */
  async patch(ref: ObjectRef, body: unknown, subresource?: string): Promise<KubeObject> {
    const path = await this.pathOf(ref);
    return this.request("PATCH", subresource === undefined ? path : `${path}/${subresource}`, {
      body,
      contentType: "application/merge-patch+json",
    });
  }

  /** Requests the deletion. An object with finalizers disappears later. It is no error if the object does not exist. */
  async delete(ref: ObjectRef): Promise<void> {
    await this.request("DELETE", await this.pathOf(ref)).catch((error: unknown) => {
      if (!(error instanceof KubeError && error.code === 404)) throw error;
    });
  }

  /** Requests the deletion of all objects of a kind in a namespace, in one request. */
  async deleteAll(kind: KindRef, namespace: string): Promise<void> {
    await this.request("DELETE", await this.#collection(kind, namespace));
  }

  /** A token of a service account, as the kubelet projects it into a pod. */
  async createToken(
    namespace: string,
    serviceAccount: string,
    { audiences, expirationSeconds = 3600 }: { audiences?: readonly string[]; expirationSeconds?: number } = {},
  ): Promise<string> {
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${serviceAccount}/token`;
    const body = {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      spec: { audiences, expirationSeconds },
    };
    return (await this.request("POST", path, { body })).status.token;
  }

  /**
   * Watches from a resource version on. Without one, the watch starts with an ADDED for each existing object. It ends
   * when `signal` aborts or the server closes the stream.
   * @throws {KubeError} for an ERROR event, such as 410 Gone
   */
  async *watch(
    kind: KindRef,
    options: { namespace?: string; name?: string; resourceVersion?: string; signal?: AbortSignal } = {},
  ): AsyncGenerator<WatchEvent> {
    const query = new URLSearchParams({ watch: "true" });
    if (options.name !== undefined) query.set("fieldSelector", `metadata.name=${options.name}`);
    if (options.resourceVersion !== undefined) query.set("resourceVersion", options.resourceVersion);
    const path = `${await this.#collection(kind, options.namespace)}?${query.toString()}`;
    try {
      for await (const line of this.#connection.lines(path, options.signal)) {
        const event = JSON.parse(line);
        if (event.type === "ERROR")
          throw new KubeError(`watch ${path}`, event.object.code, event.object.reason, event.object.message);
        yield event;
      }
    } catch (error) {
      if (!options.signal?.aborted) throw error;
    }
  }

  /**
   * Waits until the object is as wanted; `undefined` stands for an object that does not exist.
   * @throws {Error} with the last seen object after `timeoutMs`
   */
  async waitFor(
    ref: ObjectRef,
    wanted: (object: KubeObject | undefined) => boolean,
    { timeoutMs = 30_000 }: { timeoutMs?: number } = {},
  ): Promise<KubeObject | undefined> {
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), timeoutMs);
    const { name, namespace } = ref.metadata;
    let seen: KubeObject | undefined;
    try {
      while (!timeout.signal.aborted) {
        const list = await this.request(
          "GET",
          `${await this.#collection(ref, namespace)}?fieldSelector=metadata.name%3D${name}`,
          { signal: timeout.signal },
        );
        seen = list.items[0];
        if (wanted(seen)) return seen;
        const resourceVersion: string = list.metadata.resourceVersion;
        const where = { name, resourceVersion, ...(namespace === undefined ? {} : { namespace }) };
        for await (const event of this.watch(ref, { ...where, signal: timeout.signal })) {
          seen = event.type === "DELETED" ? undefined : event.object;
          if (wanted(seen)) return seen;
        }
      }
    } catch (error) {
      if (!timeout.signal.aborted) throw error;
    } finally {
      clearTimeout(timer);
      timeout.abort();
    }
    const last =
      seen === undefined
        ? "it does not exist"
        : JSON.stringify({ ...seen, metadata: { ...seen.metadata, managedFields: undefined } });
    throw new Error(`${ref.kind} ${name} was not as wanted within ${timeoutMs / 1000} s; last seen: ${last}`);
  }

  async waitUntilGone(ref: ObjectRef, options: { timeoutMs?: number } = {}): Promise<void> {
    await this.waitFor(ref, (object) => object === undefined, options);
  }

  /** The path of the object in the API. */
  async pathOf(ref: ObjectRef): Promise<string> {
    return `${await this.#collection(ref, ref.metadata.namespace)}/${ref.metadata.name}`;
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }

  async #collection({ apiVersion, kind }: KindRef, namespace: string | undefined): Promise<string> {
    const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    const known = this.#resources.get(`${apiVersion} ${kind}`) ?? (await this.#discover(root, apiVersion, kind));
    if (!known.namespaced || namespace === undefined) return `${root}/${known.plural}`;
    return `${root}/namespaces/${namespace}/${known.plural}`;
  }

  async #discover(root: string, apiVersion: string, kind: string) {
    const list = await this.request("GET", root);
    for (const { name, kind: of, namespaced } of list.resources)
      if (!name.includes("/")) this.#resources.set(`${apiVersion} ${of}`, { plural: name, namespaced });
    const found = this.#resources.get(`${apiVersion} ${kind}`);
    if (!found)
      throw new KubeError(
        `discover ${kind}`,
        404,
        "NotFound",
        `the API server does not have the kind ${kind} in ${apiVersion}`,
      );
    return found;
  }
}

const kindOf = ({ apiVersion, kind }: KindRef): KindRef => ({ apiVersion, kind });
