import { invalidArgument } from "../errors/api-error.ts";
import { repos } from "../registry/repo-collection.ts";
import { tags } from "../registry/tag-collection.ts";
import type { Session } from "../service/session.ts";
import { advisories } from "../vulnerabilities/advisory-collection.ts";
import { groups } from "./group-collection.ts";
import { groupInvites } from "./group-invite-collection.ts";
import { identityProviders } from "./identity-provider-collection.ts";
import { identities } from "./identity-collection.ts";
import { roleBindings } from "./role-binding-collection.ts";
import { roles } from "./role-collection.ts";

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
 * A uid in a body that names something else than it should is a mistake of the caller's (3), not something missing
 * (5). It is told only of what the caller sees.
 * @throws ApiError (3)
 */
export async function refuseOtherSort(
  { tx, access }: Session,
  field: string,
  uid: string,
  wanted: string,
): Promise<void> {
  if (!access.sees(uid)) return;
  for (const collection of sorts)
    if ((await collection.find(tx, uid)) !== undefined)
      throw invalidArgument(field, `names a ${collection.description.type}, not the ${wanted} that is needed`);
}
