import { accountAssociationsService } from "./iam/account-associations.ts";
import { groupInvitesService } from "./iam/group-invites.ts";
import { groupsService } from "./iam/groups.ts";
import { identitiesService } from "./iam/identities.ts";
import { identityTokensService } from "./iam/identity-tokens.ts";
import { identityProvidersService } from "./iam/identity-providers.ts";
import { roleBindingsService } from "./iam/role-bindings.ts";
import { rolesService } from "./iam/roles.ts";
import { v1GroupsService } from "./iam/v1/groups.ts";
import { v1IdentitiesService } from "./iam/v1/identities.ts";
import { v1RoleBindingsService } from "./iam/v1/role-bindings.ts";
import { v1RolesService } from "./iam/v1/roles.ts";
import { recordsService } from "./records/records.ts";
import { reposService } from "./registry/repos.ts";
import { tagsService } from "./registry/tags.ts";
import { v1RegistryService } from "./registry/v1/repos.ts";
import type { Service } from "./service/service.ts";
import type { Transactions } from "./service/transaction.ts";
import type { MasterKey } from "./tokens/master-key.ts";
import { advisoriesService } from "./vulnerabilities/advisories.ts";

/** All services of the contract that require API tokens. A new service is served once it is listed here. */
export function servicesOf(transactions: Transactions, masterKey: MasterKey): Service[] {
  return [
    groupsService(transactions),
    identitiesService(transactions),
    identityTokensService(transactions),
    rolesService(transactions),
    roleBindingsService(transactions),
    identityProvidersService(transactions, masterKey),
    accountAssociationsService(transactions),
    groupInvitesService(transactions),
    reposService(transactions),
    tagsService(transactions),
    advisoriesService(transactions),
    recordsService(transactions),
    v1GroupsService(transactions),
    v1IdentitiesService(transactions),
    v1RolesService(transactions),
    v1RoleBindingsService(transactions),
    v1RegistryService(transactions),
  ];
}
