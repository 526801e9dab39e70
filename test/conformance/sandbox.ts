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

/** The group in which a run works. Nothing outside of it is changed. */
export class Sandbox {
  readonly #admin: RestApi;
  readonly #consistencyLag: number;
  readonly group: string;

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
    await setTimeout(consistencyLag);
    return new Sandbox(admin, made.body.uid, consistencyLag);
  }

  /** A new group in it, in which others can be made. */
  async room(name: string): Promise<string> {
    const { uid } = succeeded(await this.#admin.create("groups", this.group, { name }), "a group for the case");
    await setTimeout(this.#consistencyLag);
    return uid;
  }

  /**
   * Deletes a group with all that is in it.
   * @throws {Mismatch} where the platform keeps something
   */
  async clear(group: string): Promise<void> {
    for (const collection of order)
      for (const { uid } of await this.#below(collection, group)) await this.#admin.delete(collection, uid);
    const groups = (await this.#below("groups", group)).map(({ uid }) => uid);
    const deepestFirst = groups.toSorted((a, b) => b.length - a.length);
    for (const uid of deepestFirst) await this.#admin.delete("groups", uid);
    const gone = await this.#admin.delete("groups", group);
    if (!gone.ok && gone.failure.code !== 5) throw new Mismatch(`${group} is left behind`, "success", gone.failure);
  }

  async #below(collection: CollectionName, group: string): Promise<Json[]> {
    const found: Json[] = [];
    for (let pageToken = ""; ; ) {
      const page = await this.#admin.list(collection, { uidp: { descendantsOf: group }, pageSize: 200, pageToken });
      // A platform may lack a collection. Where something stays behind, the deletion of its group tells.
      if (!page.ok) return found;
      found.push(...((page.body[collection] ?? []) as readonly Json[]));
      pageToken = page.body.nextPageToken ?? "";
      if (pageToken === "") return found;
    }
  }
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
