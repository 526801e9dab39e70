import { authenticationMethods } from "#src/kinds/identity.ts";
import {
  groupOfScope,
  type ListQuery,
  type ListScope,
  type PlatformApi,
  type ReadApi,
  type ResourcePage,
  resourcesPerPage,
} from "#src/platform-client/api.ts";
import type { ExternalResource, ManagedCollection, ResourceType } from "#src/platform-client/collection.ts";
import { isRejection } from "#src/platform-client/failure.ts";
import { identityProviders, listIdentityProviders } from "#src/platform-client/identity-providers.ts";
import { listAll } from "#src/platform-client/list-all.ts";
import { identities, roleBindings, roles } from "#src/platform-client/permission-resources.ts";
import { type Permissions, readPermissions } from "#src/platform-client/permissions.ts";
import { isPlanned, plannedUid } from "./planned-uid.ts";
import { readForm } from "./read-form.ts";
import { rejected } from "./rejected.ts";
import { givesRole, givingRoles, hasExpired } from "./role-use.ts";

/** A change that the operator would have made. */
export interface PlatformWrite {
  readonly do: "create" | "update" | "delete";
  /** The name of the collection, such as `groups`. */
  readonly collection: string;
  readonly uid: string;
  /** Undefined for a resource that is created. */
  readonly before: ExternalResource | undefined;
  /** Undefined for a resource that is deleted. */
  readonly after: ExternalResource | undefined;
  /** The fields that the request names. */
  readonly fields: readonly string[];
}

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

export interface OverlayOptions {
  readonly reads: ReadApi;
  readonly caller: Caller;
  readonly collections: readonly ManagedCollection[];
  /** Milliseconds since the epoch: when what is created now would be created. */
  readonly now: () => number;
  readonly signal: AbortSignal;
}

type Fields = Readonly<Record<string, unknown>>;
type Resources = ReadonlyMap<string, ExternalResource>;

/**
 * The platform as it would be after the operator's writes. Reads are answered from memory; what is not there yet is read
 * from the platform, once. Writes change the memory only, and are recorded in their order.
 *
 * **Guarantees.** Nothing is sent but `list` and `get`. A list that the caller may not see as a whole, and a resource that it
 * may not see, are refused with PERMISSION_DENIED, and never reported as absent: `unproven` has them. A write is refused
 * where the platform refuses it because of what a plan knows: a group with children, a role that is bound, or that an invite or
 * an identity provider gives, a parent or an identity that is gone.
 *
 * **Caveats.** Rules of the platform that need more than the resources which the operator manages are not known here:
 * quotas, names that must be unique among resources of other types, children that are repos.
 *
 * **Errors.** `failure` is set after any other failure of a read, and if a list of no group is refused: the plan cannot be trusted
 * then.
 */
export class OverlayPlatform implements PlatformApi {
  readonly #options: OverlayOptions;
  readonly #capabilities: ReadonlyMap<string, string>;
  /** By the schema of the type and the query. One list serves all that ask for the same, or for a part of it. */
  readonly #lists = new Map<string, Promise<Resources>>();
  readonly #complete = new Map<string, { readonly group: string; readonly resources: Resources }[]>();
  readonly #gets = new Map<string, Promise<ExternalResource>>();
  /** What was written, by collection and uid; null: deleted. */
  readonly #written = new Map<string, Map<string, ExternalResource | null>>();
  readonly #deletedIdentities = new Set<string>();
  /** The names of what was read or written, by uid: for the references of what is created. */
  readonly #names = new Map<string, string>();
  readonly #inFlight = new Set<Promise<unknown>>();
  readonly #schemas = new Map<unknown, number>();
  readonly #unproven = new Map<string, UnprovenAbsence>();
  #permissions: Promise<Permissions | undefined> | undefined;
  #writes: PlatformWrite[] = [];
  #created = 0;
  #page: { readonly key: string; readonly writes: number; readonly all: readonly ExternalResource[] } | undefined;
  #revision = 0;
  failure: unknown;

  constructor(options: OverlayOptions) {
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

  /** The writes since the last call, in order. */
  takeWrites(): readonly PlatformWrite[] {
    const writes = this.#writes;
    this.#writes = [];
    return writes;
  }

  async list<R extends ExternalResource>(type: ResourceType<R>, query: ListQuery): Promise<ResourcePage<R>> {
    const { pageToken = "", ...rest } = query;
    const all = await this.#all(type, rest);
    // Lists are ordered by uid, so that the last one of a page says where the next one begins.
    const start = pageToken === "" ? 0 : firstAfter(all, pageToken);
    const resources = all.slice(start, start + resourcesPerPage);
    const isLast = start + resources.length >= all.length;
    return {
      resources: resources as readonly ExternalResource[] as readonly R[],
      totalCount: all.length,
      ...(isLast ? {} : { nextPageToken: resources.at(-1)?.uid ?? "" }),
    };
  }

  async get<R extends ExternalResource>(type: ResourceType<R>, uid: string): Promise<R> {
    const written = this.#written.get(type.name)?.get(uid);
    if (written === null || (written === undefined && isPlanned(uid))) throw rejected(`get ${type.name}`, "NOT_FOUND");
    if (written !== undefined) return written as R;
    const covering = this.#complete.get(this.#key(type))?.find(({ group }) => type.uids.isBelow(uid, group));
    const resource = covering === undefined ? await this.#read(type, uid) : covering.resources.get(uid);
    if (resource === undefined || this.#isCascaded(type, resource)) throw rejected(`get ${type.name}`, "NOT_FOUND");
    return resource as R;
  }

  async create<R extends ExternalResource>(type: ResourceType<R>, parent: string, body: Fields): Promise<R> {
    await this.#requireExisting("groups", parent);
    if (typeof body["identityUid"] === "string") await this.#requireExisting(identities, body["identityUid"]);
    const uid = await this.#newUid(type, parent);
    const after = type.schema.parse({ ...this.#returned(body), uid });
    this.#write({ do: "create", collection: type.name, uid, before: undefined, after, fields: Object.keys(body) });
    return after;
  }

  /** @throws {PlatformFailure} ALREADY_EXISTS if the group has a singleton of the type. */
  async #newUid(type: ResourceType, parent: string): Promise<string> {
    if (!type.uids.isSingleton) return plannedUid(parent, (this.#created += 1));
    const [existing] = await this.#all(type, { scope: { childrenOf: parent } });
    if (existing !== undefined) throw rejected(`create ${type.name}`, "ALREADY_EXISTS");
    return parent;
  }

  async update<R extends ExternalResource>(
    type: ResourceType<R>,
    uid: string,
    body: Fields,
    mask: readonly string[],
  ): Promise<R> {
    const before = await this.get(type, uid);
    // A path within a field is written with the field.
    const fields = mask.filter((path) => !path.includes("."));
    const changed = Object.fromEntries(fields.map((field) => [field, body[field]]));
    const kept = Object.entries(before).filter(([field]) => !isCleared(field, fields));
    const after = type.schema.parse({ ...Object.fromEntries(kept), ...this.#returned(changed) });
    this.#write({ do: "update", collection: type.name, uid, before, after, fields });
    return after;
  }

  async delete(type: ResourceType, uid: string): Promise<void> {
    const before = await this.get(type, uid);
    if (type.name === "groups") await this.#requireEmpty(uid);
    if (type.name === roles.name) await this.#requireUnused(uid);
    this.#write({ do: "delete", collection: type.name, uid, before, after: undefined, fields: [] });
    if (type.name === identities) this.#deletedIdentities.add(uid);
  }

  async #requireEmpty(group: string): Promise<void> {
    for (const collection of this.#options.collections) {
      const children = await this.#all(collection, { scope: { childrenOf: group } });
      const child = children.find((one) => !hasExpired(one, this.#options.now()));
      if (child !== undefined)
        throw rejected("delete groups", "FAILED_PRECONDITION", `cannot delete group with child ${collection.name}`, {
          type: "RESOURCE_NOT_EMPTY",
          description: `${child.uid} is in the group`,
        });
    }
  }

  async #requireUnused(role: string): Promise<void> {
    const [binding] = await this.#all(roleBindings, { filter: { role } });
    const user = binding ?? (await this.#giverOf(role));
    if (user !== undefined)
      throw rejected("delete roles", "FAILED_PRECONDITION", "cannot delete role that is in use", {
        type: "RESOURCE_IN_USE",
        description: `${user.uid} grants the role`,
      });
  }

  /** An invite or an identity provider that gives the role: in its group, or in a group below. */
  async #giverOf(role: string): Promise<ExternalResource | undefined> {
    const { collections, now } = this.#options;
    for (const collection of collections.filter(({ name }) => givingRoles.has(name))) {
      const all = await this.#all(collection, { scope: { descendantsOf: roles.uids.parentOf(role) ?? role } });
      const giver = all.find((one) => givesRole(one, role, now()));
      if (giver !== undefined) return giver;
    }
    return undefined;
  }

  /** @throws {PlatformFailure} NOT_FOUND, as the platform refuses what is to be created in or for what does not exist. */
  async #requireExisting(collection: string, uid: string): Promise<void> {
    const type = this.#options.collections.find(({ name }) => name === collection);
    if (type !== undefined) await this.get(type, uid);
  }

  #write(write: PlatformWrite): void {
    this.#writes.push(write);
    this.#revision += 1;
    this.#noteName(write.after);
    const ofCollection = this.#written.get(write.collection) ?? new Map<string, ExternalResource | null>();
    this.#written.set(write.collection, ofCollection.set(write.uid, write.after ?? null));
  }

  /** Whether the platform deleted the resource together with its identity. */
  #isCascaded({ name }: ResourceType, resource: ExternalResource): boolean {
    return name === roleBindings.name && this.#deletedIdentities.has(referenceOf(resource, "identity"));
  }

  /** The resources of a query with what was written, ordered by uid. */
  async #all(type: ResourceType, query: Omit<ListQuery, "pageToken">): Promise<readonly ExternalResource[]> {
    const key = `${this.#key(type)} ${JSON.stringify(query)}`;
    const base = await this.#base(type, query, key);
    if (this.#page?.key === key && this.#page.writes === this.#revision) return this.#page.all;
    const { scope, filter = {} } = query;
    const isWanted = (resource: ExternalResource) =>
      isInScope(type, resource.uid, scope) &&
      Object.entries(filter).every(([field, value]) => referenceOf(resource, field) === value);
    const written = this.#written.get(type.name) ?? new Map<string, ExternalResource | null>();
    const all = [...base.values()].filter(({ uid }) => !written.has(uid));
    for (const resource of written.values()) if (resource !== null && isWanted(resource)) all.push(resource);
    const visible = all.filter((resource) => !this.#isCascaded(type, resource));
    visible.sort((a, b) => (a.uid < b.uid ? -1 : 1));
    this.#page = { key, writes: this.#revision, all: visible };
    return visible;
  }

  /** The resources of a query as they are on the platform. */
  async #base(type: ResourceType, query: Omit<ListQuery, "pageToken">, key: string): Promise<Resources> {
    const { scope, filter } = query;
    if (scope !== undefined && isPlanned(groupOfScope(scope))) return new Map();
    if (scope !== undefined && filter === undefined) {
      const group = groupOfScope(scope);
      const covering = this.#complete
        .get(this.#key(type))
        ?.find((list) => list.group === group || type.uids.isBelow(group, list.group));
      if (covering !== undefined)
        return new Map([...covering.resources].filter(([uid]) => isInScope(type, uid, scope)));
    }
    const known = this.#lists.get(key) ?? this.#listOnce(type, query);
    this.#lists.set(key, known);
    return known;
  }

  async #listOnce(type: ResourceType, query: Omit<ListQuery, "pageToken">): Promise<Resources> {
    const { scope, filter } = query;
    const call = `list ${type.name}`;
    if (scope !== undefined) await this.#requireVisible(call, type, groupOfScope(scope));
    const { reads, signal } = this.#options;
    const listed = await this.#track(listAll(reads, type, query, signal), type, scope && groupOfScope(scope));
    const resources = new Map(listed.resources.map((resource) => [resource.uid, resource]));
    for (const resource of listed.resources) this.#noteName(resource);
    if (scope !== undefined && "descendantsOf" in scope && filter === undefined) {
      const lists = this.#complete.get(this.#key(type)) ?? [];
      lists.push({ group: scope.descendantsOf, resources });
      this.#complete.set(this.#key(type), lists);
    }
    return resources;
  }

  #read(type: ResourceType, uid: string): Promise<ExternalResource> {
    const key = `${this.#key(type)} ${uid}`;
    const known = this.#gets.get(key) ?? this.#readOnce(type, uid);
    this.#gets.set(key, known);
    return known;
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
    if (capability === undefined || this.#options.caller === "administrator") return;
    this.#permissions ??= this.#readPermissions();
    if ((await this.#permissions)?.allow(capability, group) === true) return;
    this.#markUnproven(type, group);
    throw rejected(
      call,
      "PERMISSION_DENIED",
      `you do not have ${capability} in ${group}, so the plan cannot see what is there`,
    );
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

  #noteName(resource: ExternalResource | undefined): void {
    if (resource !== undefined && "name" in resource) this.#names.set(resource.uid, String(resource.name));
  }

  #returned(body: Fields): Fields {
    return readForm(body, { nameOf: (uid) => this.#names.get(uid) ?? "", now: this.#options.now() });
  }

  /** Types with different schemas show different fields of the same resources. */
  #key({ name, schema }: ResourceType): string {
    const number = this.#schemas.get(schema) ?? this.#schemas.size;
    this.#schemas.set(schema, number);
    return `${name} ${number}`;
  }
}

/** The uid that a resource refers to. */
function referenceOf(resource: ExternalResource, field: string): string {
  const reference = (resource as unknown as Fields)[field];
  return typeof reference === "object" && reference !== null && "uid" in reference ? String(reference.uid) : "";
}

/** Whether a write of other fields clears the field: an identity has one method by which it is assumed. */
function isCleared(field: string, written: readonly string[]): boolean {
  const methods: readonly string[] = authenticationMethods;
  return methods.includes(field) && methods.some((method) => written.includes(method));
}

function isInScope({ uids }: ResourceType, uid: string, scope: ListScope | undefined): boolean {
  if (scope === undefined) return true;
  return "descendantsOf" in scope ? uids.isBelow(uid, scope.descendantsOf) : uids.parentOf(uid) === scope.childrenOf;
}

/** The index of the first resource after `uid`, in a list that is ordered by uid. */
function firstAfter(all: readonly ExternalResource[], uid: string): number {
  let [low, high] = [0, all.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((all[middle]?.uid ?? "") <= uid) low = middle + 1;
    else high = middle;
  }
  return low;
}
