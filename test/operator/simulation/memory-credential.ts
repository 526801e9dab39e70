import type { ListQuery, PlatformApi, ResourcePage } from "#src/platform-client/api.ts";
import type { ExternalResource, ResourceType } from "#src/platform-client/collection.ts";
import { isWithin } from "#src/platform-client/uid.ts";
import { type MemoryPlatform, rejection } from "./memory-platform.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * The platform in memory under one credential. It authorizes: what lies outside of the groups in which the identity has a
 * role is neither listed nor found, nor can it be written.
 */
export class MemoryCredential implements PlatformApi {
  readonly #platform: MemoryPlatform;
  readonly #identity: string;

  constructor(platform: MemoryPlatform, identity: string) {
    this.#platform = platform;
    this.#identity = identity;
  }

  async list<R extends ExternalResource>(
    type: ResourceType<R>,
    query: ListQuery,
    signal: AbortSignal,
  ): Promise<ResourcePage<R>> {
    const { scope } = query;
    const group = scope === undefined ? undefined : "descendantsOf" in scope ? scope.descendantsOf : scope.childrenOf;
    const { uids } = query;
    const visible = uids === undefined ? {} : { uids: uids.filter((uid) => this.#sees(uid)) };
    const page = await this.#platform.list(type, { ...query, ...visible }, signal);
    if (group === undefined || this.#sees(group)) return page;
    return { resources: [], totalCount: 0 };
  }

  async get<R extends ExternalResource>(type: ResourceType<R>, uid: string, signal: AbortSignal): Promise<R> {
    this.#require(`get ${type.name}`, uid);
    return this.#platform.get(type, uid, signal);
  }

  async create<R extends ExternalResource>(
    type: ResourceType<R>,
    parent: string,
    body: Fields,
    signal: AbortSignal,
  ): Promise<R> {
    this.#require(`create ${type.name}`, parent);
    return this.#platform.create(type, parent, body, signal);
  }

  async update<R extends ExternalResource>(
    type: ResourceType<R>,
    uid: string,
    body: Fields,
    mask: readonly string[],
    signal: AbortSignal,
  ): Promise<R> {
    this.#require(`update ${type.name}`, uid);
    return this.#platform.update(type, uid, body, mask, signal);
  }

  async delete(type: ResourceType, uid: string, signal: AbortSignal): Promise<void> {
    this.#require(`delete ${type.name}`, uid);
    return this.#platform.delete(type, uid, signal);
  }

  #require(call: string, uid: string): void {
    if (!this.#sees(uid)) throw rejection(call, "NOT_FOUND");
  }

  #sees(uid: string): boolean {
    return this.#platform.groupsOf(this.#identity).some((group) => isWithin(uid, group));
  }
}
