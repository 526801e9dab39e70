import { type Dispatcher, request } from "undici";
import { Mismatch } from "../expect.ts";
import type { Api, Failure, Json, Method, Outcome, Query } from "./api.ts";
import { type CollectionName, collections } from "./collections.ts";
import type { Transcript } from "./transcript.ts";

/** An answer as it came. */
export interface RestAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

interface RestOptions {
  /** Sent as it is where it is text, as JSON where it is an object. */
  readonly body?: string | object;
  /** Win over what would be sent; an empty text leaves a header out. */
  readonly headers?: Readonly<Record<string, string>>;
}

interface RestSettings {
  /** The address without a slash at its end. */
  readonly url: string;
  readonly token: string | undefined;
  readonly dispatcher: Dispatcher;
  readonly transcript: Transcript;
  readonly signal: AbortSignal;
}

/** Milliseconds after which an answer is given up. */
const patience = 30_000;

/** A caller over HTTP/JSON; `send` gives what came, for cases that are about REST itself. */
export class RestApi implements Api {
  readonly transport = "rest";
  readonly #settings: RestSettings;

  constructor(settings: RestSettings) {
    this.#settings = settings;
  }

  /** The same address with another token, or none. */
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
    this.#settings.transcript.made.add(collection);
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

  /** @param path with its query, as it shall be on the wire */
  async send(verb: string, path: string, { body, headers = {} }: RestOptions = {}): Promise<RestAnswer> {
    const { url, token, dispatcher, transcript, signal } = this.#settings;
    const text = typeof body === "object" ? JSON.stringify(body) : body;
    const all = {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(text === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    };
    const sent = `${verb} ${path}${text === undefined ? "" : `\n${text}`}`;
    try {
      const response = await request(url + path, {
        method: verb,
        headers: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== "")),
        body: text ?? null,
        dispatcher,
        signal: AbortSignal.any([signal, AbortSignal.timeout(patience)]),
      });
      const came = await response.body.text();
      transcript.add(sent, `HTTP ${response.statusCode}${came === "" ? ", no body" : `\n${came}`}`);
      return { status: response.statusCode, headers: response.headers, text: came };
    } catch (error) {
      transcript.add(sent, `no answer: ${String(error)}`);
      throw error;
    }
  }

  async #outcome(verb: string, path: string, options: RestOptions = {}): Promise<Outcome> {
    return outcomeOf(await this.send(verb, path, options));
  }
}

/** The answer read as the contract shapes it. @throws Mismatch where it is not shaped so */
export function outcomeOf({ status, text }: RestAnswer): Outcome {
  const json = text === "" ? undefined : parse(text);
  if (status === 200) return { ok: true, body: json as Json };
  const failure = json as Partial<Failure> | undefined;
  if (
    typeof failure?.code !== "number" ||
    typeof failure.message !== "string" ||
    (failure.details !== undefined && !Array.isArray(failure.details))
  )
    throw new Mismatch("the body of an error", { code: "a number", message: "a text", details: "a list" }, json);
  return { ok: false, failure: { code: failure.code, message: failure.message, details: failure.details ?? [] } };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Mismatch("the body", "JSON", text);
  }
}

/** The `/` of uids stay raw. */
function pathOf(collection: CollectionName, uid: string): string {
  return `${collections[collection].path}/${uid.split("/").map(encodeURIComponent).join("/")}`;
}

/** A query as the contract spells it: `page_size`, `uidp.descendants_of`; a list is repeated. */
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
