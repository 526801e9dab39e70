import { setTimeout } from "node:timers/promises";
import type { Json } from "./client/api.ts";
import { type CollectionName, collections } from "./client/collections.ts";
import type { RestApi } from "./client/rest.ts";
import { Mismatch, succeeded } from "./expect.ts";

/** What is in a group goes in this order, as the former keep the latter. */
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

/** Without these a List of tags leaves some out. */
const allTags = { includeReferrers: true, includeDates: true, includeEpochs: true };

/** One more than a page can hold. */
const crowdSize = 201;
const atOnce = 10;

/** The group in which a run works. Nothing outside of it is changed. */
export class Sandbox {
  readonly #admin: RestApi;
  readonly #consistencyLag: number;
  readonly group: string;
  #crowd: Promise<string> | undefined;

  private constructor(admin: RestApi, group: string, consistencyLag: number) {
    this.#admin = admin;
    this.group = group;
    this.#consistencyLag = consistencyLag;
  }

  /**
   * @param consistencyLag milliseconds for which a new group may answer 7 for its children
   * @throws {Error} where the group cannot be made
   */
  static async make(admin: RestApi, root: string, consistencyLag: number): Promise<Sandbox> {
    const name = `conformance ${new Date().toISOString().toLowerCase().replaceAll(":", ".")}`;
    const made = await admin.create("groups", root, { name });
    if (!made.ok) throw new Error(`the group for the suite could not be made below the root: ${made.failure.message}`);
    const { uid } = made.body;
    if (!isBelow(uid, root))
      throw new Error(`a group that was made in ${root} has the uid ${uid}, which is not below it`);
    await setTimeout(consistencyLag);
    return new Sandbox(admin, uid, consistencyLag);
  }

  /** A new group in it, in which others can be made. */
  async room(name: string): Promise<string> {
    const { uid } = succeeded(await this.#admin.create("groups", this.group, { name }), "a group for the case");
    if (!isBelow(uid, this.group)) throw new Mismatch("the uid of the case's group", `one below ${this.group}`, uid);
    await setTimeout(this.#consistencyLag);
    return uid;
  }

  /** A group with 201 groups in it, for cases that read alone: the same for all of them, as it takes a while to make. */
  crowd(): Promise<string> {
    this.#crowd ??= this.#makeCrowd();
    return this.#crowd;
  }

  async #makeCrowd(): Promise<string> {
    const group = await this.room("crowd");
    for (let made = 0; made < crowdSize; made += atOnce) {
      const names = Array.from({ length: Math.min(atOnce, crowdSize - made) }, (_, index) => `n${made + index}`);
      const outcomes = await Promise.all(names.map((name) => this.#admin.create("groups", group, { name })));
      for (const outcome of outcomes) succeeded(outcome, "one of many groups");
    }
    return group;
  }

  /**
   * Deletes a group with all that is in it.
   * @param made the collections to look for it in; where that is not enough, in all of them
   * @throws {Mismatch} where the platform keeps something
   */
  async clear(group: string, made?: ReadonlySet<CollectionName>): Promise<void> {
    const looked = (collection: CollectionName) => made === undefined || made.has(collection);
    for (const collection of order.filter(looked))
      for (const uid of await this.#below(collection, group)) await this.#admin.delete(collection, uid);
    const groups = looked("groups") ? [...(await this.#below("groups", group))] : [];
    for (const uid of groups.toSorted((a, b) => b.length - a.length)) await this.#admin.delete("groups", uid);
    const gone = await this.#admin.delete("groups", group);
    if (gone.ok || gone.failure.code === 5) return;
    if (made !== undefined) return this.clear(group);
    throw new Mismatch(`${group} is left behind: ${gone.failure.message}`, "success", gone.failure);
  }

  /** The uids of what is in a group; a platform that lists too much, or without an end, does no harm. */
  async #below(collection: CollectionName, group: string): Promise<ReadonlySet<string>> {
    const found = new Set<string>();
    const query = { uidp: { descendantsOf: group }, pageSize: 200, ...(collection === "tags" ? allTags : {}) };
    for (let pageToken = ""; ; ) {
      const page = await this.#admin.list(collection, { ...query, pageToken });
      // A platform may lack a collection. Where something stays behind, the deletion of its group tells.
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

/** The one root group that the caller sees. @throws {Error} that tells the mend where it is not one */
export async function findRoot(admin: RestApi): Promise<string> {
  const outcome = await admin.list("groups", { uidp: { inRoot: true } });
  if (!outcome.ok)
    throw new Error(`GET ${collections.groups.path} is refused (${outcome.failure.message}): is --token-file right?`);
  const roots = (outcome.body["groups"] ?? []) as readonly Json[];
  const [root, ...more] = roots;
  if (root === undefined) throw new Error("the caller sees no root group: name the group to work in with --root");
  if (more.length > 0)
    throw new Error(`the caller sees ${roots.length} root groups: name the one to work in with --root`);
  return root.uid;
}
