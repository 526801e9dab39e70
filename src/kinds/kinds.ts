import { accountAssociationKind } from "./account-association.ts";
import { groupKind } from "./group.ts";
import { groupInviteKind } from "./group-invite.ts";
import { identityKind } from "./identity.ts";
import { identityProviderKind } from "./identity-provider.ts";
import type { Kind } from "./kind.ts";
import { roleKind } from "./role.ts";
import { roleBindingKind } from "./role-binding.ts";

/**
 * The only list of kinds; a kind comes after the kinds that it refers to. Only the program's start and the generators read
 * it. Everything else receives the list as a value, so that a test can pass another one.
 */
export const kinds = [
  groupKind,
  identityKind,
  roleKind,
  roleBindingKind,
  identityProviderKind,
  accountAssociationKind,
  groupInviteKind,
] as const satisfies readonly Kind[];

export type KindName = (typeof kinds)[number]["name"];
