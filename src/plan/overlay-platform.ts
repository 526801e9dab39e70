import { authenticationMethods } from "#src/kinds/identity.ts";
import {
  groupOfScope,
  type ListQuery,
  type PlatformApi,
  type ResourcePage,
  resourcesPerPage,
} from "#src/platform-client/api.ts";
import type { ExternalResource, ManagedCollection, ResourceType } from "#src/platform-client/collection.ts";
import { isRejection } from "#src/platform-client/failure.ts";
import { identities, roleBindings, roles } from "#src/platform-client/permission-resources.ts";
import { isPlanned, plannedUid } from "./planned-uid.ts";
import { firstAfter } from "./listed-resources.ts";
import type { ProvenReads } from "./proven-reads.ts";
import { readForm } from "./read-form.ts";
import { invalidField, rejected, unmetPrecondition } from "./rejected.ts";
import { givesRole, givingRoles, hasExpired, outOfReach } from "./role-use.ts";
import { WrittenResources } from "./written-resources.ts";

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

export interface OverlayOptions {
  /** What is on the platform, before the writes. */
  readonly reads: ProvenReads;
  readonly collections: readonly ManagedCollection[];
  /** Milliseconds since the epoch: when what is created now would be created. */
  readonly now: () => number;
}

type Fields = Readonly<Record<string, unknown>>;

/** The list that was asked for last: its pages are asked for one after the other. */
interface OverlaidList {
  /** Types with different schemas show different fields of the same resources. */
  readonly schema: unknown;
  readonly query: string;
  readonly writes: number;
  readonly all: readonly ExternalResource[];
}

/**
 * The platform as it would be after the operator's writes, which change the memory only, and are recorded in their order.
 *
 * **Guarantees.** Nothing is sent but `list` and `get`; what cannot be seen is refused as by {@link ProvenReads}, and never reported
 * as absent. A write is refused where the platform refuses it because of what a plan knows: a group with children, a role that is
 * bound, or that an invite or an identity provider gives, a role that cannot be bound in the group, a parent or an identity that is gone.
 *
 * **Caveats.** Rules of the platform that need more than the resources which the operator manages are not known here:
 * quotas, names that must be unique among resources of other types, children that are repos.
 */
export class OverlayPlatform implements PlatformApi {
  readonly #options: OverlayOptions;
  /** By the name of the collection. */
  readonly #written = new Map<string, WrittenResources>();
  readonly #deletedIdentities = new Set<string>();
  /** The names of what was written, by uid: for the references of what is created. */
  readonly #names = new Map<string, string>();
  #writes: PlatformWrite[] = [];
  #created = 0;
  #page: OverlaidList | undefined;
  #revision = 0;

  constructor(options: OverlayOptions) {
    this.#options = options;
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
    const resource = await this.#options.reads.get(type, uid);
    if (this.#isCascaded(type, resource)) throw rejected(`get ${type.name}`, "NOT_FOUND");
    return resource as R;
  }

  async create<R extends ExternalResource>(type: ResourceType<R>, parent: string, body: Fields): Promise<R> {
    await this.#requireExisting("groups", parent);
    if (typeof body["identityUid"] === "string") await this.#requireExisting(identities, body["identityUid"]);
    requireBindable(`create ${type.name}`, body, parent);
    const uid = await this.#newUid(type, parent);
    const after = type.schema.parse({ ...this.#returned(body), uid });
    this.#write(type, { do: "create", uid, before: undefined, after, fields: Object.keys(body) });
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
    requireBindable(`update ${type.name}`, changed, type.uids.parentOf(uid) ?? uid);
    const kept = Object.entries(before).filter(([field]) => !isCleared(field, fields));
    const after = type.schema.parse({ ...Object.fromEntries(kept), ...this.#returned(changed) });
    this.#write(type, { do: "update", uid, before, after, fields });
    return after;
  }

  async delete(type: ResourceType, uid: string): Promise<void> {
    const before = await this.get(type, uid);
    if (type.name === "groups") await this.#requireEmpty(uid);
    if (type.name === roles.name) await this.#requireUnused(uid);
    this.#write(type, { do: "delete", uid, before, after: undefined, fields: [] });
    if (type.name === identities) this.#deletedIdentities.add(uid);
  }

  async #requireEmpty(group: string): Promise<void> {
    for (const collection of this.#options.collections) {
      const children = await this.#all(collection, { scope: { childrenOf: group } });
      const child = children.find((one) => !hasExpired(one, this.#options.now()));
      if (child !== undefined)
        throw unmetPrecondition("delete groups", `cannot delete group with child ${collection.name}`, {
          type: "RESOURCE_NOT_EMPTY",
          description: `${child.uid} is in the group`,
        });
    }
  }

  async #requireUnused(role: string): Promise<void> {
    const [binding] = await this.#all(roleBindings, { filter: { role } });
    const user = binding ?? (await this.#giverOf(role));
    if (user !== undefined)
      throw unmetPrecondition("delete roles", "cannot delete role that is in use", {
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

  #write(type: ResourceType, change: Omit<PlatformWrite, "collection">): void {
    const write = { ...change, collection: type.name };
    this.#writes.push(write);
    this.#revision += 1;
    if (write.after !== undefined && "name" in write.after) this.#names.set(write.uid, String(write.after.name));
    const written = this.#written.get(type.name) ?? new WrittenResources(type);
    written.set(write.uid, write.after);
    this.#written.set(type.name, written);
  }

  /** Whether the platform deleted the resource together with its identity. */
  #isCascaded({ name }: ResourceType, resource: ExternalResource): boolean {
    return name === roleBindings.name && this.#deletedIdentities.has(referenceOf(resource, "identity"));
  }

  /** The resources of a query with what was written, ordered by uid. */
  async #all(type: ResourceType, query: Omit<ListQuery, "pageToken">): Promise<readonly ExternalResource[]> {
    const { scope, uids, filter = {} } = query;
    if (uids !== undefined) return this.#each(type, uids);
    // What was read without it serves every name.
    const { name, ...others } = filter;
    if (name !== undefined) {
      const { filter: _, ...unfiltered } = query;
      const rest = Object.keys(others).length === 0 ? unfiltered : { ...unfiltered, filter: others };
      const named = await this.#all(type, rest);
      return named.filter((resource) => "name" in resource && resource.name === name);
    }
    const { schema } = type;
    const text = `${type.name} ${JSON.stringify(query)}`;
    const page = this.#page;
    if (page?.schema === schema && page.query === text && page.writes === this.#revision) return page.all;
    const isNew = scope !== undefined && isPlanned(groupOfScope(scope));
    const base = isNew ? [] : await this.#options.reads.list(type, query);
    const visible = this.#changed(type, base, query);
    this.#page = { schema, query: text, writes: this.#revision, all: visible };
    return visible;
  }

  /** What was read of a query, with what was written since, ordered by uid. */
  #changed(
    type: ResourceType,
    base: readonly ExternalResource[],
    { filter = {}, scope }: Pick<ListQuery, "filter" | "scope">,
  ): readonly ExternalResource[] {
    const written = this.#written.get(type.name);
    const cascades = type.name === roleBindings.name && this.#deletedIdentities.size > 0;
    if (written === undefined && !cascades) return base;
    const all = written === undefined ? [...base] : base.filter(({ uid }) => written.get(uid) === undefined);
    const isWanted = (resource: ExternalResource) =>
      Object.entries(filter).every(([field, value]) => referenceOf(resource, field) === value);
    for (const resource of written?.in(scope) ?? []) if (isWanted(resource)) all.push(resource);
    const visible = cascades ? all.filter((resource) => !this.#isCascaded(type, resource)) : all;
    return visible.toSorted((a, b) => (a.uid < b.uid ? -1 : 1));
  }

  /** Those of the resources with these uids that can be seen, ordered by uid. */
  async #each(type: ResourceType, uids: readonly string[]): Promise<readonly ExternalResource[]> {
    const found: ExternalResource[] = [];
    for (const uid of uids.toSorted()) {
      try {
        found.push(await this.get(type, uid));
      } catch (error) {
        if (!isRejection(error, "NOT_FOUND") && !isRejection(error, "PERMISSION_DENIED")) throw error;
      }
    }
    return found;
  }

  #returned(body: Fields): Fields {
    return readForm(body, {
      nameOf: (uid) => this.#names.get(uid) ?? this.#options.reads.nameOf(uid) ?? "",
      now: this.#options.now(),
    });
  }
}

/** @throws {PlatformFailure} INVALID_ARGUMENT if the request gives a role that cannot be bound in the group. */
function requireBindable(call: string, body: Fields, group: string): void {
  const field = outOfReach(body, group);
  if (field !== undefined)
    throw invalidField(call, field, "a custom role can be bound only in its own group and below it");
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
