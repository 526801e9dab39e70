import { checkResponse } from "./check-response.ts";
import type { Findings } from "./findings.ts";
import { type Ending, HttpConnection } from "./http-connection.ts";
import { wireRequest } from "./mutate-request.ts";
import { Random } from "./random.ts";
import { collectionOf, type RequestSources, restRequest } from "./rest-request.ts";
import { bytesOf, isWellFramed, shellLineOf, type WireRequest } from "./wire-request.ts";

/** Concurrent requests. The next ones are drawn after all responses, so the seed alone decides what is drawn. */
const concurrency = 16;

export interface FuzzingOptions {
  readonly sources: RequestSources;
  readonly url: string;
  readonly seed: number;
  readonly requests: number;
  /** The time limit of each response in milliseconds. */
  readonly timeLimit: number;
  readonly findings: Findings;
  readonly progress: (done: number) => void;
}

export interface RestResponses {
  /** The number of responses by status; 0 counts the requests without a response. */
  readonly statuses: ReadonlyMap<number, number>;
  /** The number of successful responses by the id of the operation. */
  readonly successes: ReadonlyMap<string, number>;
}

/** Sends REST requests and checks the responses. */
export async function fuzzRest(options: FuzzingOptions): Promise<RestResponses> {
  const { sources, url, seed, requests, findings } = options;
  const lanes = Array.from({ length: concurrency }, () => new Lane(new URL(url), options.timeLimit));
  const statuses = new Map<number, number>();
  const successes = new Map(sources.document.operations.map(({ id }) => [id, 0]));
  for (let done = 0; done < requests; done += concurrency) {
    const batch = lanes.slice(0, requests - done).map((lane, index) => {
      const number = done + index + 1;
      const random = new Random(seed, `rest ${number}`);
      return { lane, number, wire: wireRequest(restRequest(sources, random), new URL(url).host, random) };
    });
    const endings = await Promise.all(batch.map(({ lane, wire }) => lane.send(wire)));
    for (const [index, ending] of endings.entries()) {
      const { wire, number } = batch[index] as (typeof batch)[number];
      const status = ending.kind === "response" ? ending.status : 0;
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      const operation = sources.document.operationAt(wire.method, wire.target.replace(/\?.*$/s, ""));
      if (status === 200 && operation !== undefined)
        successes.set(operation.id, (successes.get(operation.id) ?? 0) + 1);
      for (const problem of checkResponse(sources.document, wire, ending)) {
        const reproduction = shellLineOf(wire, url, sources.callers.secrets);
        const subject = `${wire.method} ${operation?.path ?? "another path"}`;
        findings.add({ number, kind: "rest", subject, problem, reproduction });
      }
      learn(sources, wire, ending);
    }
    options.progress(done + batch.length);
  }
  for (const lane of lanes) lane.close();
  return { statuses, successes };
}

/** A connection that is replaced when it can no longer be used. */
class Lane {
  readonly #host: string;
  readonly #port: number;
  readonly #timeLimit: number;
  #connection: HttpConnection | undefined;

  constructor({ hostname, port }: URL, timeLimit: number) {
    this.#host = hostname.replace(/^\[|\]$/g, "");
    this.#port = Number(port);
    this.#timeLimit = timeLimit;
  }

  async send(wire: WireRequest): Promise<Ending> {
    const isLast = !isWellFramed(wire);
    if (this.#connection?.isUsable !== true) {
      this.#connection?.close();
      this.#connection = await HttpConnection.open(this.#host, this.#port);
    }
    const ending = await this.#connection.send(bytesOf(wire), wire.method, this.#timeLimit, isLast);
    if (isLast || ending.kind !== "response") this.close();
    return ending;
  }

  close(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }
}

/** Keeps the uids and tokens of a successful response for later requests. */
function learn({ document, pool, callers }: RequestSources, { method, target }: WireRequest, ending: Ending): void {
  if (ending.kind !== "response" || ending.status !== 200) return;
  const path = target.replace(/\?.*$/s, "");
  const operation = document.operationAt(method, path);
  if (operation === undefined) return;
  const collection = collectionOf(operation.path);
  if (method === "DELETE") return pool.remove(collection, uidIn(operation.path, path));
  if (operation.responseViolations === undefined) return;
  let json: Readonly<Record<string, unknown>>;
  try {
    json = JSON.parse(ending.body.toString()) as Readonly<Record<string, unknown>>;
  } catch {
    return;
  }
  if (typeof json["refreshToken"] === "string") callers.addRefreshToken(json["refreshToken"]);
  if (operation.path.startsWith("/sts/")) return;
  const created =
    method === "POST" ? (Array.isArray(json["roleBindings"]) ? (json["roleBindings"] as unknown[]) : [json]) : [];
  for (const one of created) {
    const { uid, id } = one as { readonly uid?: string; readonly id?: string };
    const known = uid ?? id;
    // Later requests must not change root groups that the administrator created.
    if (known !== undefined && isWithin(pool.home, known)) pool.add(collection, known);
  }
  if (typeof json["nextPageToken"] === "string") pool.addPageToken(operation.path, json["nextPageToken"]);
}

function uidIn(template: string, path: string): string {
  return path.slice(template.indexOf("{"));
}

function isWithin(home: string, uid: string): boolean {
  return uid === home || uid.startsWith(`${home}/`);
}
