import { type Dispatcher, request } from "undici";
import { Mismatch } from "../expect.ts";
import type { Api, Failure, Json, Method, Outcome, Query } from "./api.ts";
import { type CollectionName, collections } from "./collections.ts";
import type { Transcript } from "./transcript.ts";

/** A response as received. */
export interface RestResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

interface RestOptions {
  /** Text is sent unchanged, an object as JSON. */
  readonly body?: string | object;
  /** Override the default headers; an empty value omits a header. */
  readonly headers?: Readonly<Record<string, string>>;
}

interface RestSettings {
  /** The address, without a trailing slash. */
  readonly url: string;
  readonly token: string | undefined;
  readonly dispatcher: Dispatcher;
  readonly transcript: Transcript;
  readonly signal: AbortSignal;
}

/** The time limit of one call, in milliseconds. */
const timeout = 30_000;

/** A caller over HTTP/JSON. `send` returns the response as received, for cases about REST itself. */
export class RestApi implements Api {
  readonly transport = "rest";
  readonly #settings: RestSettings;

  constructor(settings: RestSettings) {
    this.#settings = settings;
  }

  /** A caller of the same address with another token, or without one. */
  as(token: string | undefined): RestApi {
    return new RestApi({ ...this.#settings, token });
  }

  list(collection: CollectionName, query: Query = {}): Promise<Outcome> {
    return this.#outcome("GET", `${collections[collection].path}${queryString(query)}`);
  }

  get(collection: CollectionName, uid: string): Promise<Outcome> {
    return this.#outcome("GET", pathOf(collection, uid));
  }

  create(collection: CollectionName, parent: string, body: object): Promise<Outcome> {
    this.#settings.transcript.created.add(collection);
    return this.#outcome("POST", parent === "" ? collections[collection].path : pathOf(collection, parent), { body });
  }

  update(collection: CollectionName, uid: string, body: object, mask?: readonly string[]): Promise<Outcome> {
    const query = mask === undefined ? "" : `?updateMask=${mask.map(encodeURIComponent).join(",")}`;
    return this.#outcome("PATCH", pathOf(collection, uid) + query, { body });
  }

  delete(collection: CollectionName, uid: string): Promise<Outcome<Json | undefined>> {
    return this.#outcome("DELETE", pathOf(collection, uid));
  }

  call({ http: { verb, path } }: Method, input: Readonly<Record<string, unknown>>): Promise<Outcome> {
    return verb === "GET" || verb === "DELETE"
      ? this.#outcome(verb, path + queryString(input))
      : this.#outcome(verb, path, { body: input });
  }

  /** @param path with its query, sent unchanged */
  async send(verb: string, path: string, { body, headers = {} }: RestOptions = {}): Promise<RestResponse> {
    const { url, token, dispatcher, transcript, signal } = this.#settings;
    const text = typeof body === "object" ? JSON.stringify(body) : body;
    const all = {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(text === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    };
    const call = `${verb} ${path}${text === undefined ? "" : `\n${text}`}`;
    try {
      const response = await request(url + path, {
        method: verb,
        headers: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== "")),
        body: text ?? null,
        dispatcher,
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeout)]),
      });
      const received = await response.body.text();
      transcript.add(call, `HTTP ${response.statusCode}${received === "" ? ", no body" : `\n${received}`}`);
      return { status: response.statusCode, headers: response.headers, text: received };
    } catch (error) {
      transcript.add(call, `no response: ${String(error)}`);
      throw error;
    }
  }

  async #outcome(verb: string, path: string, options: RestOptions = {}): Promise<Outcome> {
    return outcomeOf(await this.send(verb, path, options));
  }
}

/** Parses a response. @throws {Mismatch} if its body is neither a resource nor an error of the contract */
export function outcomeOf({ status, text }: RestResponse): Outcome {
  const json = text === "" ? undefined : parse(text);
  if (status === 200) return { ok: true, body: json as Json };
  const failure = json as Partial<Failure> | undefined;
  if (
    typeof failure?.code !== "number" ||
    typeof failure.message !== "string" ||
    (failure.details !== undefined && !Array.isArray(failure.details))
  )
    throw new Mismatch("the body of an error", { code: "a number", message: "a string", details: "an array" }, json);
  return { ok: false, failure: { code: failure.code, message: failure.message, details: failure.details ?? [] } };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Mismatch("the body", "JSON", text);
  }
}

/** The path of a resource; the `/` of its uid is not encoded. */
function pathOf(collection: CollectionName, uid: string): string {
  return `${collections[collection].path}/${uid.split("/").map(encodeURIComponent).join("/")}`;
}

/** A query in the contract's spelling: `page_size`, `uidp.descendants_of`; the parameter of a list is repeated. */
function queryString(query: Readonly<Record<string, unknown>>): string {
  const pairs = pairsOf(query, "");
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

function pairsOf(query: object, prefix: string): string[] {
  return Object.entries(query).flatMap(([key, value]: [string, unknown]) => {
    const name = prefix + key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    if (value === undefined) return [];
    if (Array.isArray(value)) return value.map((one: string | number) => `${name}=${encodeURIComponent(one)}`);
    if (typeof value === "object" && value !== null) return pairsOf(value, `${name}.`);
    return [`${name}=${encodeURIComponent(value as string | number | boolean)}`];
  });
}
