import type { Clock, MonotonicTime } from "#src/time/clock.ts";
import type { ListQuery, ResourcePage, PlatformApi } from "./api.ts";
import { isRejection, PlatformFailure } from "./failure.ts";
import { type ExternalResources, externalResourceSchemas } from "./external-resource.ts";
import type { TokenSource } from "./token-source.ts";
import type { HttpCall, HttpTransport } from "./transport.ts";
import { parentOf } from "./uid.ts";

const pageSize = "200";

/**
 * The platform's API over HTTP and JSON. A call that is rejected with UNAUTHENTICATED is sent once more under a new token,
 * because that code proves that the first request had no effect. After a response with Retry-After, no call is sent
 * until that time has passed.
 */
export class HttpPlatformApi implements PlatformApi {
  readonly #transport: HttpTransport;
  readonly #tokens: TokenSource;
  readonly #baseUrl: URL;
  readonly #clock: Clock;
  #pausedUntil: MonotonicTime = 0;

  constructor(transport: HttpTransport, tokens: TokenSource, baseUrl: URL, clock: Clock) {
    this.#transport = transport;
    this.#tokens = tokens;
    this.#baseUrl = baseUrl;
    this.#clock = clock;
  }

  async list<C extends keyof ExternalResources>(
    collection: C,
    query: ListQuery,
    signal: AbortSignal,
  ): Promise<ResourcePage<ExternalResources[C]>> {
    const parameters = new URLSearchParams({ page_size: pageSize, order_by: "uid", ...query.filter });
    if (query.scope !== undefined) {
      if ("descendantsOf" in query.scope) parameters.set("uidp.descendants_of", query.scope.descendantsOf);
      else parameters.set("uidp.children_of", query.scope.childrenOf);
    }
    if (query.pageToken !== undefined) parameters.set("page_token", query.pageToken);
    const name = `list ${collection}`;
    const response = await this.#send({ name, method: "GET", path: `${collection}?${parameters.toString()}` }, signal);
    const page = (response ?? {}) as Record<string, unknown>;
    const resources = page[collection];
    const total = Number(page["totalCount"] ?? Number.NaN);
    if (!Array.isArray(resources) || !Number.isSafeInteger(total)) throw malformed(name, "a list response");
    const next = page["nextPageToken"];
    return {
      resources: resources.map((resource) => parseResource(name, collection, resource)),
      totalCount: total,
      ...(typeof next === "string" && next !== "" ? { nextPageToken: next } : {}),
    };
  }

  async get<C extends keyof ExternalResources>(
    collection: C,
    uid: string,
    signal: AbortSignal,
  ): Promise<ExternalResources[C]> {
    const name = `get ${collection}`;
    const resource = parseResource(
      name,
      collection,
      await this.#send({ name, method: "GET", path: `${collection}/${uid}` }, signal),
    );
    if (resource.uid !== uid) throw malformed(name, `the resource ${uid}`);
    return resource;
  }

  async create<C extends keyof ExternalResources>(
    collection: C,
    parent: string,
    body: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<ExternalResources[C]> {
    const name = `create ${collection}`;
    const call = { name, method: "POST" as const, path: `${collection}/${parent}`, body: JSON.stringify(body) };
    const resource = parseResource(name, collection, await this.#send(call, signal));
    if (parentOf(resource.uid) !== parent) throw malformed(name, `a resource below ${parent}`);
    return resource;
  }

  async update<C extends keyof ExternalResources>(
    collection: C,
    uid: string,
    body: Readonly<Record<string, unknown>>,
    mask: readonly string[],
    signal: AbortSignal,
  ): Promise<ExternalResources[C]> {
    const name = `update ${collection}`;
    const path = `${collection}/${uid}?${new URLSearchParams({ updateMask: mask.join(",") }).toString()}`;
    const resource = parseResource(
      name,
      collection,
      await this.#send({ name, method: "PATCH", path, body: JSON.stringify(body) }, signal),
    );
    if (resource.uid !== uid) throw malformed(name, `the resource ${uid}`);
    return resource;
  }

  async delete(collection: keyof ExternalResources, uid: string, signal: AbortSignal): Promise<void> {
    await this.#send({ name: `delete ${collection}`, method: "DELETE", path: `${collection}/${uid}` }, signal);
  }

  async #send(call: Omit<HttpCall, "origin" | "bearer">, signal: AbortSignal): Promise<unknown> {
    const token = await this.#tokens.token();
    try {
      return await this.#sendOnce(call, token.value, signal);
    } catch (error) {
      if (!isRejection(error, "UNAUTHENTICATED")) throw error;
      this.#tokens.reject(token);
      return this.#sendOnce(call, (await this.#tokens.token()).value, signal);
    }
  }

  async #sendOnce(call: Omit<HttpCall, "origin" | "bearer">, bearer: string, signal: AbortSignal): Promise<unknown> {
    const pause = this.#pausedUntil - this.#clock.monotonic();
    if (pause > 0) throw new PlatformFailure(call.name, { kind: "paused", retryAfterMs: pause });
    const path = `${this.#baseUrl.pathname.replace(/\/$/, "")}/iam/v2beta1/${call.path}`;
    try {
      return await this.#transport.send({ ...call, path, origin: this.#baseUrl.origin, bearer }, signal);
    } catch (error) {
      if (error instanceof PlatformFailure && "retryAfterMs" in error.problem)
        this.#pausedUntil = Math.max(this.#pausedUntil, this.#clock.monotonic() + error.problem.retryAfterMs);
      throw error;
    }
  }
}

function parseResource<C extends keyof ExternalResources>(
  call: string,
  collection: C,
  value: unknown,
): ExternalResources[C] {
  const parsed = externalResourceSchemas[collection].safeParse(value);
  if (!parsed.success) throw malformed(call, `a resource of ${collection}`);
  return parsed.data as ExternalResources[C];
}

function malformed(call: string, expected: string): PlatformFailure {
  return new PlatformFailure(call, { kind: "noResponse", message: `the response is not ${expected}` });
}
