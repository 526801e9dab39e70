import type { ExternalAccountAssociation } from "#src/kinds/account-association.ts";
import type { ExternalGroup } from "#src/kinds/group.ts";
import type { ExternalIdentity } from "#src/kinds/identity.ts";
import { carriedMarker } from "#src/kinds/marker.ts";
import type { DescribedRole } from "#src/kinds/role.ts";
import type { ExternalIdentityProvider } from "#src/platform-client/identity-providers.ts";
import type { ExternalRoleBinding } from "#src/platform-client/permission-resources.ts";

/** What exists on the platform in a group and below it. Plain data. */
export interface ExistingTree {
  /** The group itself. */
  readonly group: ExternalGroup;
  /** The groups below it. */
  readonly groups: readonly ExternalGroup[];
  readonly identities: readonly ExternalIdentity[];
  /** Identities elsewhere that role bindings to the roles of the tree name, as far as they can be seen. */
  readonly identitiesElsewhere: readonly ExternalIdentity[];
  readonly roles: readonly DescribedRole[];
  /** Roles elsewhere that can be seen, the built-in ones among them. */
  readonly rolesElsewhere: readonly DescribedRole[];
  readonly roleBindings: readonly ExternalRoleBinding[];
  /** Role bindings elsewhere, as far as they can be seen: an identity that has one holds more than the group. */
  readonly roleBindingsElsewhere: readonly ExternalRoleBinding[];
  readonly identityProviders: readonly ExternalIdentityProvider[];
  /** That of the group itself among them. */
  readonly accountAssociations: readonly ExternalAccountAssociation[];
  /** Resources of types that import does not declare. */
  readonly others: readonly OtherResource[];
}

/** A resource that gets no manifest, and why. */
export interface OtherResource {
  /** The kind whose objects make resources of this type. */
  readonly kind: string;
  /** Such as `invite`. */
  readonly noun: string;
  readonly uid: string;
  readonly reason: string;
  /** Absent if resources of this type have none. */
  readonly name?: string;
}

/** Whether Muster manages something in the tree, so that it matters whose marker that is. */
export function hasMarkers(tree: ExistingTree): boolean {
  const { groups, identities, roles, identityProviders, accountAssociations } = tree;
  return [groups, identities, roles, identityProviders, accountAssociations].some((resources) =>
    resources.some((resource) => carriedMarker(resource) !== undefined),
  );
}
