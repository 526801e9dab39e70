import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { AuthoredWriter } from "#src/platform/audit/authored-writer.ts";
import { AccountAssociationSchema } from "#src/platform/gen/muster/platform/iam/v2beta1/account_association_pb.ts";
import { GroupInviteSchema } from "#src/platform/gen/muster/platform/iam/v2beta1/group_invite_pb.ts";
import { GroupSchema } from "#src/platform/gen/muster/platform/iam/v2beta1/group_pb.ts";
import { IdentityProviderSchema } from "#src/platform/gen/muster/platform/iam/v2beta1/identity_provider_pb.ts";
import { IdentitySchema } from "#src/platform/gen/muster/platform/iam/v2beta1/identity_pb.ts";
import { RoleBindingSchema } from "#src/platform/gen/muster/platform/iam/v2beta1/role_binding_pb.ts";
import { RoleSchema } from "#src/platform/gen/muster/platform/iam/v2beta1/role_pb.ts";
import { AdvisorySchema } from "#src/platform/gen/muster/platform/vulnerabilities/v2beta1/advisory_pb.ts";
import { RepoSchema } from "#src/platform/gen/muster/platform/registry/v2beta1/repo_pb.ts";
import { TagSchema } from "#src/platform/gen/muster/platform/registry/v2beta1/tag_pb.ts";
import { accountAssociations } from "#src/platform/collections/account-associations.ts";
import { writeBuiltinRoles } from "#src/platform/iam/builtin-role-rows.ts";
import { groups } from "#src/platform/collections/groups.ts";
import { groupInvites } from "#src/platform/collections/group-invites.ts";
import { identities } from "#src/platform/collections/identities.ts";
import { identityProviders } from "#src/platform/collections/identity-providers.ts";
import { roleBindings } from "#src/platform/collections/role-bindings.ts";
import { roles } from "#src/platform/collections/roles.ts";
import { repos } from "#src/platform/collections/repos.ts";
import { tags } from "#src/platform/collections/tags.ts";
import type { Writer } from "#src/platform/store/database.ts";
import { advisories } from "#src/platform/collections/advisories.ts";
import { now } from "./settings.testing.ts";
import { assumption } from "./subject-token.testing.ts";
import type { World } from "./world.testing.ts";

const name = "initial";
const time = timestampFromMs(now - 60_000);
const common = { name, createTime: time, updateTime: time };

/** Inserts a world into an empty database without the checks of the API. */
export async function insertWorld(writer: Writer, world: World): Promise<void> {
  const tx = new AuthoredWriter(writer, { kind: "platform" }, now);
  await writeBuiltinRoles(tx, now);
  for (const { uid } of world.groups) await groups.insert(tx, create(GroupSchema, { uid, ...common }));
  for (const { uid, expired } of world.identities) {
    const value = { ...assumption, expirationTime: expiry(expired) };
    const relationship = { case: "staticKeys", value } as const;
    await identities.insert(tx, create(IdentitySchema, { uid, ...common, relationship }));
  }
  for (const { uid, parent, capabilities } of world.roles)
    if (parent !== undefined)
      await roles.insert(tx, create(RoleSchema, { uid, ...common, capabilities: [...capabilities] }));
  for (const { uid, identity, role } of world.roleBindings) {
    const binding = { uid, identityUid: identity.uid, roleUid: role.uid, createTime: time };
    await roleBindings.insert(tx, create(RoleBindingSchema, binding));
  }
  for (const { uid, role } of world.identityProviders) {
    const value = { issuer: "https://login.example.com", clientId: "c", pkceEnabled: true };
    const configuration = { case: "oidc", value } as const;
    const provider = { uid, ...common, defaultRole: role.uid, configuration };
    await identityProviders.insert(tx, create(IdentityProviderSchema, provider));
  }
  for (const { uid } of world.accountAssociations)
    await accountAssociations.insert(tx, create(AccountAssociationSchema, { uid, ...common }));
  for (const { uid, role, expired } of world.groupInvites) {
    const invite = { uid, roleUid: role.uid, expirationTime: expiry(expired), createTime: time, updateTime: time };
    await groupInvites.insert(tx, create(GroupInviteSchema, invite));
  }
  for (const { uid } of world.repos) await repos.insert(tx, create(RepoSchema, { uid, ...common }));
  for (const tag of world.tags)
    await tags.insert(tx, create(TagSchema, { ...common, uid: tag.uid, name: tag.name, digest: "sha256:0" }));
  for (const { uid } of world.advisories)
    await advisories.insert(tx, create(AdvisorySchema, { uid, advisoryId: "A", createTime: time, updateTime: time }));
}

function expiry(expired: boolean) {
  return timestampFromMs(expired ? now - 1_000 : now + 60_000);
}
