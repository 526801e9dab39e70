import type { ResourceDefinition } from "#src/api/resource-definition.ts";
import { tenantDefinition } from "#src/api/tenant.ts";
import { type KindName, kinds } from "#src/kinds/kinds.ts";
import type { InvalidCase, ValidCase } from "./case.ts";
import * as accountAssociation from "./account-association.ts";
import * as group from "./group.ts";
import * as groupInvite from "./group-invite.ts";
import * as identity from "./identity.ts";
import * as identityProvider from "./identity-provider.ts";
import * as role from "./role.ts";
import * as roleBinding from "./role-binding.ts";
import * as tenant from "./tenant.ts";

/** Every kind that people write: those with a resource on the platform, and the Tenant. */
export type ManifestKind = KindName | typeof tenantDefinition.kind;

export const definitions: readonly (ResourceDefinition & { readonly kind: ManifestKind })[] = [
  ...kinds.map(({ definition }) => definition),
  tenantDefinition,
];

export const cases: Readonly<
  Record<ManifestKind, { readonly valid: readonly ValidCase[]; readonly invalid: readonly InvalidCase[] }>
> = {
  Group: group,
  Identity: identity,
  Role: role,
  RoleBinding: roleBinding,
  IdentityProvider: identityProvider,
  AccountAssociation: accountAssociation,
  GroupInvite: groupInvite,
  Tenant: tenant,
};
