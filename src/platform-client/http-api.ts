import type { MonotonicTime } from "#src/time/clock.ts";
import { type ListQuery, type PlatformApi, type ResourcePage, resourcesPerPage } from "./api.ts";
import { type ExternalResource, externalUid, type ResourceType } from "./collection.ts";
import { concealCodes, concealSecrets } from "./conceal-secrets.ts";
import { isRejection, PlatformFailure } from "./failure.ts";
import type { PlatformToken } from "./token-source.ts";
import type { HttpCall, HttpTransport } from "./transport.ts";

/** Where the token of each call comes from; see `TokenSource`. */
export interface Tokens {
  /** @throws {PlatformFailure} of kind `credential`. */
  token(): Promise<PlatformToken>;
  /** The platform rejected the token. @returns whether the next call of `token` returns another one. */
  reject(token: PlatformToken): boolean;
}

/** One token for all calls, such as the platform's admin token. */
export function fixedToken(value: string): Tokens {
  return { token: async () => ({ value, epoch: 0 }), reject: () => false };
}

/** The most of an invalid resource's uid that an error quotes: 27 levels. */
const maxUidLength = 512;

/**
 * The platform's API over HTTP and JSON, for the operator and every command that reads the platform or sets it up. What a person
 * calls with a login has a lighter client (`commands/login/platform-api.ts`), and so has what runs in pods
 * (`workload/token-service.ts`): undici and zod would take most of the time and memory of such a process.
 *
 * A call that is rejected with UNAUTHENTICATED is sent once more if there is a new token, because that code proves that the first
 * request had no effect. A write that depends on what was read just before is `paused` instead: its caller reads again.
 */
export class HttpPlatformApi implements PlatformApi {
  readonly #transport: HttpTransport;
  readonly #tokens: Tokens;
  readonly #baseUrl: URL;

  constructor(transport: HttpTransport, tokens: Tokens, baseUrl: URL) {
    this.#transport = transport;
    this.#tokens = tokens;
    this.#baseUrl = baseUrl;
  }

  async list<R extends ExternalResource>(
    type: ResourceType<R>,
    query: ListQuery,
    signal: AbortSignal,
  ): Promise<ResourcePage<R>> {
    const parameters = new URLSearchParams({ page_size: String(resourcesPerPage), order_by: "uid", ...query.filter });
    if (query.scope !== undefined) {
      if ("descendantsOf" in query.scope) parameters.set("uidp.descendants_of", query.scope.descendantsOf);
      else parameters.set("uidp.children_of", query.scope.childrenOf);
    }
    for (const uid of query.uids ?? []) parameters.append("uidp.ids", uid);
    if (query.pageToken !== undefined) parameters.set("page_token", query.pageToken);
    const name = `list ${type.name}`;
    const call = { name, method: "GET" as const, path: `${pathOf(type)}?${parameters.toString()}` };
    const response = await this.#send(type, call, signal);
    const page = (response ?? {}) as Record<string, unknown>;
    const resources = page[type.name];
    const total = Number(page["totalCount"] ?? Number.NaN);
    if (!Array.isArray(resources) || !Number.isSafeInteger(total)) throw malformed(name, "a list response");
    const next = page["nextPageToken"];
    return {
      resources: resources.map((resource) => parseResource(name, type, resource)),
      totalCount: total,
      ...(typeof next === "string" && next !== "" ? { nextPageToken: next } : {}),
    };
  }

  async get<R extends ExternalResource>(type: ResourceType<R>, uid: string, signal: AbortSignal): Promise<R> {
    const name = `get ${type.name}`;
    const resource = parseResource(
      name,
      type,
      await this.#send(type, { name, method: "GET", path: `${pathOf(type)}/${uid}` }, signal),
    );
    if (resource.uid !== uid) throw malformed(name, `the resource ${uid}`);
    return resource;
  }

  async create<R extends ExternalResource>(
    type: ResourceType<R>,
    parent: string,
    body: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<R> {
    const name = `create ${type.name}`;
    const call = { name, method: "POST" as const, path: `${pathOf(type)}/${parent}`, body: JSON.stringify(body) };
    const response = await this.#send(type, call, signal);
    const resource = parseResource(name, { ...type, schema: type.issuing?.schema ?? type.schema }, response);
    if (type.uids.parentOf(resource.uid) !== parent) throw malformed(name, `a resource below ${parent}`);
    return resource;
  }

  async update<R extends ExternalResource>(
    type: ResourceType<R>,
    uid: string,
    body: Readonly<Record<string, unknown>>,
    mask: readonly string[],
    signal: AbortSignal,
    sendBefore?: MonotonicTime,
  ): Promise<R> {
    const name = `update ${type.name}`;
    const path = `${pathOf(type)}/${uid}?${new URLSearchParams({ updateMask: mask.join(",") }).toString()}`;
    const resource = parseResource(
      name,
      type,
      await this.#send(type, { name, method: "PATCH", path, body: JSON.stringify(body), sendBefore }, signal),
    );
    if (resource.uid !== uid) throw malformed(name, `the resource ${uid}`);
    return resource;
  }

  async delete(type: ResourceType, uid: string, signal: AbortSignal, sendBefore?: MonotonicTime): Promise<void> {
    const name = `delete ${type.name}`;
    await this.#send(type, { name, method: "DELETE", path: `${pathOf(type)}/${uid}`, sendBefore }, signal);
  }

  async #send(type: ResourceType, call: Call, signal: AbortSignal): Promise<unknown> {
    const token = await this.#tokens.token();
    try {
      return await this.#sendOnce(type, call, token.value, signal);
    } catch (error) {
      if (!isRejection(error, "UNAUTHENTICATED") || !this.#tokens.reject(token)) throw error;
      if (call.sendBefore !== undefined)
        throw new PlatformFailure(call.name, { kind: "paused", retryAfterMs: 0 }, { cause: error });
      return this.#sendOnce(type, call, (await this.#tokens.token()).value, signal);
    }
  }

  async #sendOnce({ issuing }: ResourceType, call: Call, bearer: string, signal: AbortSignal): Promise<unknown> {
    const path = `${this.#baseUrl.pathname.replace(/\/$/, "")}/${call.path}`;
    try {
      return await this.#transport.send({ ...call, path, origin: this.#baseUrl.origin, bearer }, signal);
    } catch (error) {
      throw issuing ? concealCodes(error, call) : concealSecrets(error, call.body);
    }
  }
}

type Call = Omit<HttpCall, "origin" | "bearer">;

function pathOf({ api, name }: ResourceType): string {
  return `${api}/${name}`;
}

function parseResource<R extends ExternalResource>(call: string, { name, schema }: ResourceType<R>, value: unknown): R {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { path = [], code = "invalid" } = parsed.error.issues[0] ?? {};
  const cause = new MalformedResource(name, (value as Partial<ExternalResource> | null)?.uid, path[0], code);
  throw malformed(call, `a resource of ${name}`, { cause });
}

/**
 * Which resource does not match its schema, for logs: the problem itself is shown on objects of every Tenant that waits for
 * the list. It has the uid and the name of the field, and nothing of the resource's content.
 */
class MalformedResource extends Error {
  override readonly name = "MalformedResource";

  constructor(collection: string, uid: unknown, field: PropertyKey | undefined, code: string) {
    const known = externalUid.max(maxUidLength).safeParse(uid);
    const which = known.success ? `resource ${known.data}` : "a resource without a valid uid";
    super(`${which} of ${collection} does not match its schema: ${String(field ?? "resource")}: ${code}`);
  }
}

function malformed(call: string, expected: string, options?: ErrorOptions): PlatformFailure {
  return new PlatformFailure(call, { kind: "noResponse", message: `the response is not ${expected}` }, options);
}
