import type { Collection } from "../resources/collection.ts";
import { accountAssociations } from "./account-associations.ts";
import { advisories } from "./advisories.ts";
import { groupInvites } from "./group-invites.ts";
import { groups } from "./groups.ts";
import { identities } from "./identities.ts";
import { identityProviders } from "./identity-providers.ts";
import { repos } from "./repos.ts";
import { roleBindings } from "./role-bindings.ts";
import { roles } from "./roles.ts";
import { tags } from "./tags.ts";

/** All collections, in the order in which errors name the children of a group. */
export const collections: readonly Collection[] = [
  repos,
  groups,
  identities,
  roles,
  roleBindings,
  identityProviders,
  accountAssociations,
  groupInvites,
  advisories,
  tags,
];
