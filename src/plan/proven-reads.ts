import { groupOfScope, type ListQuery, type ReadApi } from "#src/platform-client/api.ts";
import type { ExternalResource, ManagedCollection, ResourceType } from "#src/platform-client/collection.ts";
import { isRejection } from "#src/platform-client/failure.ts";
import { identityProviders, listIdentityProviders } from "#src/platform-client/identity-providers.ts";
import { listAll } from "#src/platform-client/list-all.ts";
import { type Permissions, readPermissions } from "#src/platform-client/permissions.ts";
import { isWithin, parentOf } from "#src/platform-client/uid.ts";
import { ListedResources } from "./listed-resources.ts";
import { rejected, unseen } from "./rejected.ts";

/** A capability without which an empty list proves nothing, and that the caller lacks. */
export interface UnprovenAbsence {
  readonly capability: string;
  /** The uid of the group. */
  readonly group: string;
}

/**
 * Who makes the reads: an administrator, who sees everything; an identity, by its uid; or, if it is not known, someone to
 * whom no list proves anything.
 */
export type Caller = "administrator" | { readonly identity: string } | undefined;

export interface ProvenReadsOptions {
  readonly reads: ReadApi;
  readonly caller: Caller;
  readonly collections: readonly ManagedCollection[];
  /** The groups below which the operator works. */
  readonly roots: readonly string[];
  readonly signal: AbortSignal;
}

/** After so many reads of single groups or resources below a root group, one list of all that are below it takes their place. */
const singleReads = 8;

/**
 * The platform as the caller sees it: everything is read once, and then answered from memory.
 *
 * **Guarantees.** A list that the caller may not see as a whole, and a resource that it may not see, are refused with
 * PERMISSION_DENIED, and never reported as absent: `unproven` has them.
 *
 * **Errors.** `failure` is set after any other failure of a read, and if a list of no group is refused: what was read cannot be
 * trusted then.
 */
export class ProvenReads {
  readonly #options: ProvenReadsOptions;
  readonly #capabilities: ReadonlyMap<string, string>;
  /** By the schema of the type and the query. One list serves all that ask for the same, or for a part of it. */
  readonly #lists = new Map<string, Promise<ListedResources>>();
  readonly #complete = new Map<string, { readonly group: string; readonly resources: ListedResources }[]>();
  /** How many single groups and resources were read, by the schema of the type and the root group. */
  readonly #singleReads = new Map<string, number>();
  readonly #gets = new Map<string, Promise<ExternalResource>>();
  /** The names in the lists, by uid. */
  readonly #names = new Map<string, string>();
  readonly #inFlight = new Set<Promise<unknown>>();
  readonly #schemas = new Map<unknown, number>();
  readonly #unproven = new Map<string, UnprovenAbsence>();
  #permissions: Promise<Permissions | undefined> | undefined;
  failure: unknown;

  constructor(options: ProvenReadsOptions) {
    this.#options = options;
    this.#capabilities = new Map([
      [identityProviders.name, listIdentityProviders],
      ...options.collections.map(({ name, listCapability }) => [name, listCapability] as const),
    ]);
  }

  /** What could not be listed. */
  get unproven(): readonly UnprovenAbsence[] {
    return [...this.#unproven.values()];
  }

  /** Resolves when a read of the platform has ended; undefined if there is none. */
  get nextResponse(): Promise<unknown> | undefined {
    return this.#inFlight.size === 0 ? undefined : Promise.race(this.#inFlight);
  }

  /** The name of a resource that a list had; undefined if none had it. */
  nameOf(uid: string): string | undefined {
    return this.#names.get(uid);
  }

  /**
   * The resources of a query, ordered by uid.
   * @throws {PlatformFailure} PERMISSION_DENIED unless the caller sees all of them
   */
  async list(type: ResourceType, query: Omit<ListQuery, "pageToken">): Promise<readonly ExternalResource[]> {
    const { scope, filter } = query;
    const key = `${this.#key(type)} ${JSON.stringify(query)}`;
    if (scope !== undefined && filter === undefined) {
      const group = groupOfScope(scope);
      const isWhole = "descendantsOf" in scope && this.#options.roots.includes(group);
      const covers = (list: string) => list === group || type.uids.isBelow(group, list);
      const all = await this.#completeList(type, covers, this.#lists.has(key) || isWhole ? undefined : group);
      if (all !== undefined) return all.in(scope);
    }
    const known = this.#lists.get(key) ?? this.#listOnce(type, query);
    this.#lists.set(key, known);
    return (await known).all;
  }

  /** @throws {PlatformFailure} NOT_FOUND if the resource does not exist, PERMISSION_DENIED if that is not proven */
  async get(type: ResourceType, uid: string): Promise<ExternalResource> {
    const key = `${this.#key(type)} ${uid}`;
    const covers = (list: string) => type.uids.isBelow(uid, list);
    const group = type.uids.parentOf(uid);
    const all = await this.#completeList(type, covers, this.#gets.has(key) ? undefined : group);
    if (all !== undefined) {
      const resource = all.get(uid);
      if (resource === undefined) throw rejected(`get ${type.name}`, "NOT_FOUND");
      return resource;
    }
    const known = this.#gets.get(key) ?? this.#readOnce(type, uid);
    this.#gets.set(key, known);
    return known;
  }

  /**
   * A list that has all of what is wanted.
   * @param unread the group in which something would be read now. After many of them, everything below the root group is listed instead,
   * if the caller sees all of it.
   */
  async #completeList(
    type: ResourceType,
    covers: (group: string) => boolean,
    unread: string | undefined,
  ): Promise<ListedResources | undefined> {
    const find = () => this.#complete.get(this.#key(type))?.find(({ group }) => covers(group))?.resources;
    const found = find();
    const root = unread === undefined ? undefined : this.#options.roots.find((one) => isWithin(unread, one));
    if (found !== undefined || root === undefined) return found;
    const key = `${this.#key(type)} ${root}`;
    const count = (this.#singleReads.get(key) ?? 0) + 1;
    this.#singleReads.set(key, count);
    const isMuch = count > singleReads && this.#capabilities.has(type.name);
    if (!isMuch || !(await this.#isVisible(type, root))) return undefined;
    await this.list(type, { scope: { descendantsOf: root } });
    return find();
  }

  async #listOnce(type: ResourceType, query: Omit<ListQuery, "pageToken">): Promise<ListedResources> {
    const { scope, filter } = query;
    const call = `list ${type.name}`;
    if (scope !== undefined) await this.#requireVisible(call, type, groupOfScope(scope));
    const { reads, signal } = this.#options;
    const listed = await this.#track(listAll(reads, type, query, signal), type, scope && groupOfScope(scope));
    const resources = new ListedResources(type, listed.resources);
    // An identity where the caller may not look may have role bindings that the caller does not see.
    const identity = scope === undefined ? filter?.["identity"] : undefined;
    if (identity !== undefined && resources.all.length === 0)
      await this.#requireVisible(call, type, parentOf(identity) ?? identity);
    for (const resource of listed.resources)
      if ("name" in resource) this.#names.set(resource.uid, String(resource.name));
    if (scope !== undefined && "descendantsOf" in scope && filter === undefined) {
      const lists = this.#complete.get(this.#key(type)) ?? [];
      lists.push({ group: scope.descendantsOf, resources });
      this.#complete.set(this.#key(type), lists);
    }
    return resources;
  }

  async #readOnce(type: ResourceType, uid: string): Promise<ExternalResource> {
    const { reads, signal } = this.#options;
    const group = type.uids.parentOf(uid) ?? uid;
    try {
      return await this.#track(reads.get(type, uid, signal), type, group);
    } catch (error) {
      // The response is the same for what the caller may not see.
      if (isRejection(error, "NOT_FOUND")) await this.#requireVisible(`get ${type.name}`, type, group);
      throw error;
    }
  }

  /** @throws {PlatformFailure} PERMISSION_DENIED unless the caller sees all resources of the type in the group. */
  async #requireVisible(call: string, type: ResourceType, group: string): Promise<void> {
    const capability = this.#capabilities.get(type.name);
    if (capability === undefined || (await this.#isVisible(type, group))) return;
    this.#markUnproven(type, group);
    throw unseen(call, capability, group);
  }

  async #isVisible({ name }: ResourceType, group: string): Promise<boolean> {
    if (this.#options.caller === "administrator") return true;
    this.#permissions ??= this.#readPermissions();
    return (await this.#permissions)?.allow(this.#capabilities.get(name) ?? "", group) === true;
  }

  #markUnproven({ name }: ResourceType, group: string): void {
    const capability = this.#capabilities.get(name) ?? `list of ${name}`;
    this.#unproven.set(`${capability} ${group}`, { capability, group });
  }

  async #readPermissions(): Promise<Permissions | undefined> {
    const { reads, caller, signal } = this.#options;
    if (caller === undefined || caller === "administrator") return undefined;
    return (await this.#track(readPermissions(reads, caller.identity, signal))).permissions;
  }

  /**
   * Awaits a read. What the platform refuses to show is not proven, and the operator's own code sees the refusal.
   * @param group where it reads; without one, a refusal is a failure
   */
  async #track<T>(work: Promise<T>, type?: ResourceType, group?: string): Promise<T> {
    const ended = work.then(
      () => undefined,
      () => undefined,
    );
    this.#inFlight.add(ended);
    try {
      return await work;
    } catch (error) {
      const isRefused = isRejection(error, "PERMISSION_DENIED");
      if (isRefused && type !== undefined && group !== undefined) this.#markUnproven(type, group);
      else if (isRefused || !isRejection(error, "NOT_FOUND")) this.failure ??= error;
      throw error;
    } finally {
      this.#inFlight.delete(ended);
    }
  }

  /** Types with different schemas show different fields of the same resources. */
  #key({ name, schema }: ResourceType): string {
    const number = this.#schemas.get(schema) ?? this.#schemas.size;
    this.#schemas.set(schema, number);
    return `${name} ${number}`;
  }
}
