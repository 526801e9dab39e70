import { builtinRole } from "../authorization/builtin-roles.ts";
import { collections } from "../collections/collections.ts";
import { groups } from "../collections/groups.ts";
import { roles } from "../collections/roles.ts";
import { isRoot } from "../contract/uid.ts";
import { invalidArgument } from "../errors/api-error.ts";
import type { Collection } from "../resources/collection.ts";
import type { Transaction } from "../service/transaction.ts";

/**
 * Rejects uids that name resources of another type (3). A uid of a resource that does not exist is not rejected: it is code 5
 * in a body and matches nothing in a filter. Only resources that the caller can see are considered.
 * @param wanted the collections that the uids may belong to
 * @throws ApiError (3) on `field`
 */
export async function checkResourceType(
  { tx, access }: Transaction,
  field: string,
  uids: readonly string[],
  wanted: readonly Collection[],
): Promise<void> {
  const needed = wanted.map(({ description }) => withArticle(description.type)).join(" or ");
  // Only groups and roles can be roots. That follows from the uid alone, so it reveals nothing.
  const root = wanted.some((collection) => collection === groups || collection === roles)
    ? undefined
    : uids.find(isRoot);
  if (root !== undefined) throw invalidArgument(field, `must name ${needed}, but "${root}" has no parent`);
  let unknown = uids.filter((uid) => builtinRole(uid) !== undefined || access.sees(uid));
  for (const collection of wanted) {
    if (unknown.length === 0) return;
    const found = await collection.existing(tx, unknown);
    unknown = unknown.filter((uid) => !found.has(uid));
  }
  if (unknown.length === 0) return;
  for (const collection of collections) {
    // A singleton has the uid of its group.
    if (collection.description.singleton) continue;
    const [uid] = await collection.existing(tx, unknown);
    if (uid === undefined) continue;
    throw invalidArgument(field, `must name ${needed}, but "${uid}" is ${withArticle(collection.description.type)}`);
  }
}

function withArticle(type: string): string {
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}
