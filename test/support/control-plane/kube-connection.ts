import { setTimeout as sleep } from "node:timers/promises";
import { Agent, request } from "undici";

/** The API server responded with an error, described by its Status. */
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

/** The address of an API server, and the credentials: a token, or a certificate. PEM. */
export interface KubeAccess {
  readonly url: string;
  readonly token: string | (() => Promise<string | undefined>);
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  readonly serverName?: string | undefined;
  readonly insecure?: true | undefined;
}

export interface RequestOptions {
  readonly body?: unknown;
  readonly contentType?: string;
  /** The media types that the response may have; the default is JSON. */
  readonly accept?: string;
  readonly signal?: AbortSignal | undefined;
}

/** An API server that is initializing the storage of a custom resource asks for a second each time. */
const maxAttempts = 10;

/** Sends requests to one API server. */
export class KubeConnection {
  readonly #url: string;
  readonly #token: () => Promise<string | undefined>;
  readonly #agent: Agent;

  constructor({ url, token, ca, cert, key, serverName, insecure }: KubeAccess) {
    this.#url = url.replace(/\/$/, "");
    this.#token = typeof token === "string" ? async () => token : token;
    const authorities = { ...(ca === undefined ? {} : { ca }), ...(insecure ? { rejectUnauthorized: false } : {}) };
    const name = serverName === undefined ? {} : { servername: serverName };
    const clientCertificate = cert === undefined || key === undefined ? {} : { cert, key };
    const connect = { ...authorities, ...name, ...clientCertificate };
    this.#agent = new Agent({ connect, allowH2: true, bodyTimeout: 0 });
  }

  /** @returns the JSON of the response, or its text if it is not JSON @throws {KubeError} from status 400 */
  // oxlint-disable-next-line typescript/no-explicit-any
  async request(method: string, path: string, options: RequestOptions = {}): Promise<any> {
    const response = await this.#send(method, path, options);
    const text = await response.body.text();
    return parseJson(text) ?? text;
  }

  /** Sends a GET. @returns the lines of the response as they arrive @throws {KubeError} from status 400 */
  async *lines(path: string, signal: AbortSignal | undefined): AsyncGenerator<string> {
    const { body } = await this.#send("GET", path, { signal });
    const decoder = new TextDecoder();
    let rest = "";
    for await (const chunk of body) {
      const lines = (rest + decoder.decode(chunk as Buffer, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  /** Sends a request again if the API server asks for it, as kubectl does: it has not been carried out. */
  async #send(method: string, path: string, options: RequestOptions) {
    for (let attempt = 1; ; attempt += 1) {
      const response = await this.#sendOnce(method, path, options);
      if (response.statusCode < 400) return response;
      const text = await response.body.text();
      const seconds = Number(response.headers["retry-after"]);
      if (response.statusCode !== 429 || !(seconds > 0) || attempt === maxAttempts) {
        const status = parseJson(text);
        throw new KubeError(`${method} ${path}`, response.statusCode, status?.reason ?? "", status?.message ?? text);
      }
      await sleep(seconds * 1000, undefined, options.signal === undefined ? {} : { signal: options.signal });
    }
  }

  async #sendOnce(method: string, path: string, { body, contentType, accept, signal }: RequestOptions) {
    const token = await this.#token();
    return request(this.#url + path, {
      method: method as "GET",
      dispatcher: this.#agent,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        // The keys of service-account tokens have a media type of their own.
        accept: accept ?? "application/json, application/jwk-set+json",
        ...(body === undefined ? {} : { "content-type": contentType ?? "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: signal ?? null,
    });
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
