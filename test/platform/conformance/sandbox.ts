import { setTimeout } from "node:timers/promises";
import type { Json } from "./client/api.ts";
import { type CollectionName, collections } from "./client/collections.ts";
import type { RestApi } from "./client/rest.ts";
import { Mismatch, succeeded } from "./expect.ts";

/** The order in which a group's resources are deleted: earlier ones prevent the deletion of later ones. */
const order = [
  "roleBindings",
  "groupInvites",
  "identityProviders",
  "accountAssociations",
  "tags",
  "repos",
  "identities",
  "roles",
] as const satisfies readonly CollectionName[];

/** Without these parameters, a List of tags omits some forms of names. */
const allTags = { includeReferrers: true, includeDates: true, includeEpochs: true };

/** One more than the maximum page size. */
const largeGroupSize = 201;
const concurrentCreates = 10;

/** The group in which a run works. The run changes nothing outside of it. */
export class Sandbox {
  readonly #admin: RestApi;
  readonly #consistencyLag: number;
  readonly group: string;
  #largeGroup: Promise<string> | undefined;

  private constructor(admin: RestApi, group: string, consistencyLag: number) {
    this.#admin = admin;
    this.group = group;
    this.#consistencyLag = consistencyLag;
  }

  /**
   * @param consistencyLag milliseconds during which calls in a new group can fail with code 7
   * @throws {Error} if the group cannot be created
   */
  static async make(admin: RestApi, root: string, consistencyLag: number): Promise<Sandbox> {
    const name = `conformance ${new Date().toISOString().toLowerCase().replaceAll(":", ".")}`;
    const made = await admin.create("groups", root, { name });
    if (!made.ok) throw new Error(`cannot create the suite's group below the root: ${made.failure.message}`);
    const { uid } = made.body;
    if (!isBelow(uid, root))
      throw new Error(`the platform created a group in ${root} whose uid ${uid} is not below it`);
    await setTimeout(consistencyLag);
    return new Sandbox(admin, uid, consistencyLag);
  }

  /** Creates a group in the sandbox and waits until it can have children. @returns its uid */
  async makeGroup(name: string): Promise<string> {
    const { uid } = succeeded(await this.#admin.create("groups", this.group, { name }), "creating the case's group");
    if (!isBelow(uid, this.group)) throw new Mismatch("the uid of the case's group", `one below ${this.group}`, uid);
    await setTimeout(this.#consistencyLag);
    return uid;
  }

  /** A group with 201 child groups. It is created once, because that takes a while: cases only read it. */
  largeGroup(): Promise<string> {
    this.#largeGroup ??= this.#makeLargeGroup();
    return this.#largeGroup;
  }

  async #makeLargeGroup(): Promise<string> {
    const group = await this.makeGroup("large");
    for (let made = 0; made < largeGroupSize; made += concurrentCreates) {
      const length = Math.min(concurrentCreates, largeGroupSize - made);
      const names = Array.from({ length }, (_, index) => `n${made + index}`);
      const outcomes = await Promise.all(names.map((name) => this.#admin.create("groups", group, { name })));
      for (const outcome of outcomes) succeeded(outcome, "creating one of 201 groups");
    }
    return group;
  }

  /**
   * Deletes a group and everything in it.
   * @param first the collections to search first; all of them if the group is not empty afterwards
   * @throws {Mismatch} if the platform still has the group at the end
   */
  async clear(group: string, first?: ReadonlySet<CollectionName>): Promise<void> {
    const searched = (collection: CollectionName) => first === undefined || first.has(collection);
    for (const collection of order.filter(searched))
      for (const uid of await this.#descendants(collection, group)) await this.#admin.delete(collection, uid);
    const groups = searched("groups") ? [...(await this.#descendants("groups", group))] : [];
    for (const uid of groups.toSorted((a, b) => b.length - a.length)) await this.#admin.delete("groups", uid);
    const deleted = await this.#admin.delete("groups", group);
    if (deleted.ok || deleted.failure.code === 5) return;
    if (first !== undefined) return this.clear(group);
    throw new Mismatch(`deleting the group ${group}: ${deleted.failure.message}`, "success", deleted.failure);
  }

  /** The uids of a group's descendants. Ignores resources outside of the group, and stops if the pages repeat. */
  async #descendants(collection: CollectionName, group: string): Promise<ReadonlySet<string>> {
    const found = new Set<string>();
    const query = { uidp: { descendantsOf: group }, pageSize: 200, ...(collection === "tags" ? allTags : {}) };
    for (let pageToken = ""; ; ) {
      const page = await this.#admin.list(collection, { ...query, pageToken });
      // The platform can lack the collection. If resources remain, the deletion of their group fails.
      if (!page.ok) return found;
      const before = found.size;
      // An account association has the uid of its group.
      for (const { uid } of (page.body[collection] ?? []) as readonly Json[])
        if (isBelow(uid, group) || (collection === "accountAssociations" && uid === group)) found.add(uid);
      pageToken = page.body.nextPageToken ?? "";
      if (pageToken === "" || found.size === before) return found;
    }
  }
}

function isBelow(uid: string, group: string): boolean {
  return uid.startsWith(`${group}/`);
}

/** The only root group that the caller sees. @throws {Error} if the caller sees none or several */
export async function findRoot(admin: RestApi): Promise<string> {
  const outcome = await admin.list("groups", { uidp: { inRoot: true } });
  if (!outcome.ok)
    throw new Error(`GET ${collections.groups.path} failed: ${outcome.failure.message}. Check --token-file.`);
  const roots = (outcome.body["groups"] ?? []) as readonly Json[];
  const [root, ...more] = roots;
  if (root === undefined) throw new Error("the caller sees no root group: set --root to the group to work in");
  if (more.length > 0) throw new Error(`the caller sees ${roots.length} root groups: set --root to the one to work in`);
  return root.uid;
}
