import type { DescService } from "@bufbuild/protobuf";
import { AccountAssociationsService } from "#src/platform/gen/muster/platform/iam/v2beta1/account_association_pb.ts";
import { GroupInvitesService } from "#src/platform/gen/muster/platform/iam/v2beta1/group_invite_pb.ts";
import { GroupsService } from "#src/platform/gen/muster/platform/iam/v2beta1/group_pb.ts";
import { IdentitiesService } from "#src/platform/gen/muster/platform/iam/v2beta1/identity_pb.ts";
import { IdentityProvidersService } from "#src/platform/gen/muster/platform/iam/v2beta1/identity_provider_pb.ts";
import { RoleBindingsService } from "#src/platform/gen/muster/platform/iam/v2beta1/role_binding_pb.ts";
import { RolesService } from "#src/platform/gen/muster/platform/iam/v2beta1/role_pb.ts";
import { ReposService } from "#src/platform/gen/muster/platform/registry/v2beta1/repo_pb.ts";
import { TagsService } from "#src/platform/gen/muster/platform/registry/v2beta1/tag_pb.ts";
import { AdvisoriesService } from "#src/platform/gen/muster/platform/vulnerabilities/v2beta1/advisory_pb.ts";

interface Collection {
  readonly path: string;
  /** The resource's name in the names of methods (`CreateGroup`) and, in lower camel case, of fields. */
  readonly singular: string;
  readonly plural: string;
  readonly service: DescService;
}

/** The contract's collections by the name of their list array. The paths are the contract's, not derived from the proto files. */
export const collections = {
  groups: { path: "/iam/v2beta1/groups", singular: "Group", plural: "Groups", service: GroupsService },
  identities: {
    path: "/iam/v2beta1/identities",
    singular: "Identity",
    plural: "Identities",
    service: IdentitiesService,
  },
  roles: { path: "/iam/v2beta1/roles", singular: "Role", plural: "Roles", service: RolesService },
  roleBindings: {
    path: "/iam/v2beta1/roleBindings",
    singular: "RoleBinding",
    plural: "RoleBindings",
    service: RoleBindingsService,
  },
  identityProviders: {
    path: "/iam/v2beta1/identityProviders",
    singular: "IdentityProvider",
    plural: "IdentityProviders",
    service: IdentityProvidersService,
  },
  accountAssociations: {
    path: "/iam/v2beta1/accountAssociations",
    singular: "AccountAssociation",
    plural: "AccountAssociations",
    service: AccountAssociationsService,
  },
  groupInvites: {
    path: "/iam/v2beta1/groupInvites",
    singular: "GroupInvite",
    plural: "GroupInvites",
    service: GroupInvitesService,
  },
  repos: { path: "/registry/v2beta1/repos", singular: "Repo", plural: "Repos", service: ReposService },
  tags: { path: "/registry/v2beta1/tags", singular: "Tag", plural: "Tags", service: TagsService },
  advisories: {
    path: "/vulnerabilities/v2beta1/advisories",
    singular: "Advisory",
    plural: "Advisories",
    service: AdvisoriesService,
  },
} as const satisfies Readonly<Record<string, Collection>>;

export type CollectionName = keyof typeof collections;
