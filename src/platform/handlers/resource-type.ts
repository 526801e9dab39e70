import { builtinRole } from "../access/builtin-roles.ts";
import { invalidArgument } from "../errors/api-error.ts";
import { repos } from "../collections/repos.ts";
import { tags } from "../collections/tags.ts";
import type { Collection } from "../resources/collection.ts";
import type { Session } from "../service/session.ts";
import { isRoot } from "../contract/uid.ts";
import { advisories } from "../collections/advisories.ts";
import { groups } from "../collections/groups.ts";
import { groupInvites } from "../collections/group-invites.ts";
import { identityProviders } from "../collections/identity-providers.ts";
import { identities } from "../collections/identities.ts";
import { roleBindings } from "../collections/role-bindings.ts";
import { roles } from "../collections/roles.ts";

/** All but account associations, whose uids are those of their groups. */
const sorts = [
  groups,
  identities,
  roles,
  roleBindings,
  identityProviders,
  groupInvites,
  repos,
  tags,
  advisories,
] as const;

/**
 * A uid that names something else than it should is a mistake of the caller's (3), not something missing: that is 5 in a
 * body, and finds nothing in a filter. It is told only of what the caller sees.
 * @param wanted of these sorts it may be @throws ApiError (3) on `field`
 */
export async function checkResourceType(
  { tx, access }: Session,
  field: string,
  uids: readonly string[],
  wanted: readonly Collection[],
): Promise<void> {
  const needed = wanted.map(({ description }) => withArticle(description.type)).join(" or ");
  // The shape of a uid tells who has no parent, which groups and roles alone can be: that is told to everybody.
  const root = wanted.some((sort) => sort === groups || sort === roles) ? undefined : uids.find(isRoot);
  if (root !== undefined) throw invalidArgument(field, `must name ${needed}, and "${root}" is in no group`);
  let unknown = uids.filter((uid) => builtinRole(uid) !== undefined || access.sees(uid));
  for (const collection of wanted) {
    if (unknown.length === 0) return;
    const found = await collection.findAll(tx, unknown);
    unknown = unknown.filter((uid) => !found.has(uid));
  }
  if (unknown.length === 0) return;
  for (const collection of sorts) {
    const [uid] = (await collection.findAll(tx, unknown)).keys();
    if (uid === undefined) continue;
    throw invalidArgument(field, `must name ${needed}, and "${uid}" is ${withArticle(collection.description.type)}`);
  }
}

function withArticle(type: string): string {
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}
