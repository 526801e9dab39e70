import { checkAnswer } from "./check-response.ts";
import type { Findings } from "./findings.ts";
import { type Ending, HttpConnection } from "./http-connection.ts";
import { wireRequest } from "./mutate-request.ts";
import { Random } from "./random.ts";
import { collectionOf, type Ground, restRequest } from "./rest-request.ts";
import { bytesOf, isWellFramed, shellLineOf, type WireRequest } from "./wire-request.ts";

/** How many requests are under way at once. What comes next is drawn when all of them are answered, so the seed decides. */
const atOnce = 16;

/** What is fuzzed, how long, and who is told. */
export interface FuzzingOptions {
  readonly ground: Ground;
  readonly url: string;
  readonly seed: number;
  readonly requests: number;
  /** Milliseconds that an answer may take. */
  readonly timeLimit: number;
  readonly findings: Findings;
  readonly progress: (done: number) => void;
}

export interface RestAnswers {
  /** How many answers had which status; 0 stands for connections that ended. */
  readonly statuses: ReadonlyMap<number, number>;
  /** How often each operation of the document succeeded, by its id. */
  readonly successes: ReadonlyMap<string, number>;
}

export async function fuzzRest(options: FuzzingOptions): Promise<RestAnswers> {
  const { ground, url, seed, requests, findings } = options;
  const lanes = Array.from({ length: atOnce }, () => new Lane(new URL(url), options.timeLimit));
  const statuses = new Map<number, number>();
  const successes = new Map(ground.document.operations.map(({ id }) => [id, 0]));
  for (let done = 0; done < requests; done += atOnce) {
    const batch = lanes.slice(0, requests - done).map((lane, index) => {
      const number = done + index + 1;
      const random = new Random(seed, `rest ${number}`);
      return { lane, number, wire: wireRequest(restRequest(ground, random), new URL(url).host, random) };
    });
    const endings = await Promise.all(batch.map(({ lane, wire }) => lane.send(wire)));
    for (const [index, ending] of endings.entries()) {
      const { wire, number } = batch[index] as (typeof batch)[number];
      const status = ending.kind === "answer" ? ending.status : 0;
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      const operation = ground.document.operationAt(wire.method, wire.target.replace(/\?.*$/s, ""));
      if (status === 200 && operation !== undefined)
        successes.set(operation.id, (successes.get(operation.id) ?? 0) + 1);
      for (const what of checkAnswer(ground.document, wire, ending)) {
        const how = shellLineOf(wire, url, ground.callers.secrets);
        findings.add({ number, kind: "rest", about: `${wire.method} ${operation?.path ?? "another path"}`, what, how });
      }
      learn(ground, wire, ending);
    }
    options.progress(done + batch.length);
  }
  for (const lane of lanes) lane.close();
  return { statuses, successes };
}

/** One connection after the other, each used as long as it can be. */
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
    if (isLast || ending.kind !== "answer") this.close();
    return ending;
  }

  close(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }
}

/** Remembers what was made, what is gone, and where a List goes on. */
function learn({ document, pool, callers }: Ground, { method, target }: WireRequest, ending: Ending): void {
  if (ending.kind !== "answer" || ending.status !== 200) return;
  const path = target.replace(/\?.*$/s, "");
  const operation = document.operationAt(method, path);
  if (operation === undefined) return;
  const collection = collectionOf(operation.path);
  if (method === "DELETE") return pool.remove(collection, uidIn(operation.path, path));
  if (operation.mistakesOfAnswer === undefined) return;
  let json: Readonly<Record<string, unknown>>;
  try {
    json = JSON.parse(ending.body.toString()) as Readonly<Record<string, unknown>>;
  } catch {
    return;
  }
  if (typeof json["refreshToken"] === "string") callers.addRefreshToken(json["refreshToken"]);
  if (operation.path.startsWith("/sts/")) return;
  const made =
    method === "POST" ? (Array.isArray(json["roleBindings"]) ? (json["roleBindings"] as unknown[]) : [json]) : [];
  for (const one of made) {
    const { uid, id } = one as { readonly uid?: string; readonly id?: string };
    const known = uid ?? id;
    // Roots that the admin made are nobody's home.
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
