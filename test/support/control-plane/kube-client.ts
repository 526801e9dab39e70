import { Agent, request } from "undici";

/** Any Kubernetes object, as far as this client looks at it. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
  // What else is in it depends on the kind; tests say what they expect.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly [field: string]: any;
}

export interface Metadata {
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

/** Names one object; an object is a reference to itself. */
export interface ObjectRef extends KindRef {
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

export type WatchEvent = { readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK"; readonly object: KubeObject };

/** What the API server answered instead of doing it: its Status as data. */
export class KubeError extends Error {
  override readonly name = "KubeError";
  readonly code: number;
  readonly reason: string;
  constructor(what: string, code: number, reason: string, message: string) {
    super(`${what}: ${message || `HTTP ${code}`}`);
    this.code = code;
    this.reason = reason;
  }
}

/** Where an API server is, and who we are to it: by token or by certificate. PEM. */
export interface KubeAccess {
  readonly url: string;
  readonly token: string | (() => Promise<string | undefined>);
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  readonly serverName?: string | undefined;
  readonly insecure?: true | undefined;
}

interface RequestOptions {
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string;
  readonly signal?: AbortSignal | undefined;
}

interface ApplyOptions {
  readonly fieldManager?: string;
  /** Take fields over from other managers. Default true, as tests want their way. */
  readonly force?: boolean;
  /** Go through all of admission and validation, and keep nothing. */
  readonly dryRun?: boolean;
}

/**
 * What tests, the demo and the benchmark need of kubectl, for machines that have none. It shares no code with the
 * operator's client, so that a test sees the cluster with its own eyes.
 */
export class KubeClient {
  readonly #url: string;
  readonly #token: () => Promise<string | undefined>;
  readonly #agent: Agent;
  readonly #resources = new Map<string, { readonly plural: string; readonly namespaced: boolean }>();

  constructor({ url, token, ca, cert, key, serverName, insecure }: KubeAccess) {
    this.#url = url.replace(/\/$/, "");
    this.#token = typeof token === "string" ? async () => token : token;
    const authorities = { ...(ca === undefined ? {} : { ca }), ...(insecure ? { rejectUnauthorized: false } : {}) };
    const name = serverName === undefined ? {} : { servername: serverName };
    const ours = cert === undefined || key === undefined ? {} : { cert, key };
    this.#agent = new Agent({ connect: { ...authorities, ...name, ...ours }, allowH2: true, bodyTimeout: 0 });
  }

  /** One request to any path; the answer's JSON (or its text, where it is none). @throws {KubeError} from status 400 on */
  // oxlint-disable-next-line typescript/no-explicit-any
  async request(method: string, path: string, options: RequestOptions = {}): Promise<any> {
    const response = await this.#send(method, path, options);
    const text = await response.body.text();
    return parseJson(text) ?? text;
  }

  /** Server-side apply: makes the object, or makes it have these fields. */
  async apply(object: KubeObject, options: ApplyOptions = {}): Promise<KubeObject> {
    const { fieldManager = "test", force = true, dryRun = false } = options;
    const query = new URLSearchParams({ fieldManager, force: String(force), fieldValidation: "Strict" });
    if (dryRun) query.set("dryRun", "All");
    return this.request("PATCH", `${await this.pathOf(object)}?${query.toString()}`, {
      body: object,
      contentType: "application/apply-patch+yaml",
    });
  }

  async create(object: KubeObject, { dryRun = false } = {}): Promise<KubeObject> {
    const query = `?fieldValidation=Strict${dryRun ? "&dryRun=All" : ""}`;
    return this.request("POST", `${await this.#collection(object, object.metadata.namespace)}${query}`, {
      body: object,
    });
  }

  async get(ref: ObjectRef): Promise<KubeObject> {
    return this.request("GET", await this.pathOf(ref));
  }

  /** The object, or undefined where there is none. */
  async find(ref: ObjectRef): Promise<KubeObject | undefined> {
    return this.get(ref).catch((error: unknown) => {
      if (error instanceof KubeError && error.code === 404) return undefined;
      throw error;
    });
  }

  /** All objects of a kind, in one namespace or in all. */
  async list(
    kind: KindRef,
    { namespace, labelSelector }: { namespace?: string; labelSelector?: string } = {},
  ): Promise<KubeObject[]> {
    const query = labelSelector === undefined ? "" : `?labelSelector=${encodeURIComponent(labelSelector)}`;
    const list = await this.request("GET", `${await this.#collection(kind, namespace)}${query}`);
    return (list.items as KubeObject[]).map((item) => ({ ...item, ...kindOf(kind) }));
  }

  /** A JSON merge patch, of the object or of one of its subresources. */
  async patch(ref: ObjectRef, body: unknown, subresource?: string): Promise<KubeObject> {
    const path = await this.pathOf(ref);
    return this.request("PATCH", subresource === undefined ? path : `${path}/${subresource}`, {
      body,
      contentType: "application/merge-patch+json",
    });
  }

  /** Asks for the deletion; an object with finalizers is gone later. Nothing happens where there is none. */
  async delete(ref: ObjectRef): Promise<void> {
    await this.request("DELETE", await this.pathOf(ref)).catch((error: unknown) => {
      if (!(error instanceof KubeError && error.code === 404)) throw error;
    });
  }

  /** Asks for the deletion of all objects of a kind in a namespace, in one request. */
  async deleteAll(kind: KindRef, namespace: string): Promise<void> {
    await this.request("DELETE", await this.#collection(kind, namespace));
  }

  /** A token of a service account, as the kubelet would project it into a pod. */
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
   * Watches from a resource version on; without one, begins with an ADDED for each object that there is.
   * Ends when `signal` aborts or the server closes the stream.
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
      const { body } = await this.#send("GET", path, { signal: options.signal });
      for await (const line of linesOf(body)) {
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
   * Waits until the object is as wanted; `undefined` stands for an object that is not there.
   * @throws after `timeoutMs`, with what was last seen
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
        ? "it is not there"
        : JSON.stringify({ ...seen, metadata: { ...seen.metadata, managedFields: undefined } });
    throw new Error(`${ref.kind} ${name} was not as wanted within ${timeoutMs / 1000} s; last seen: ${last}`);
  }

  async waitUntilGone(ref: ObjectRef, options: { timeoutMs?: number } = {}): Promise<void> {
    await this.waitFor(ref, (object) => object === undefined, options);
  }

  /** Where the API server keeps the object. */
  async pathOf(ref: ObjectRef): Promise<string> {
    return `${await this.#collection(ref, ref.metadata.namespace)}/${ref.metadata.name}`;
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
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
      throw new KubeError(`discover ${kind}`, 404, "NotFound", `the API server knows no ${kind} in ${apiVersion}`);
    return found;
  }

  async #send(method: string, path: string, { body, contentType, accept, signal }: RequestOptions) {
    const token = await this.#token();
    const response = await request(this.#url + path, {
      method: method as "GET",
      dispatcher: this.#agent,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        // The keys of tokens have a media type of their own.
        accept: accept ?? "application/json, application/jwk-set+json",
        ...(body === undefined ? {} : { "content-type": contentType ?? "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: signal ?? null,
    });
    if (response.statusCode < 400) return response;
    const text = await response.body.text();
    const status = parseJson(text);
    throw new KubeError(`${method} ${path}`, response.statusCode, status?.reason ?? "", status?.message ?? text);
  }
}

const kindOf = ({ apiVersion, kind }: KindRef): KindRef => ({ apiVersion, kind });

async function* linesOf(body: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}

// oxlint-disable-next-line typescript/no-explicit-any
function parseJson(text: string): any {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
