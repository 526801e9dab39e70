import { create } from "@bufbuild/protobuf";
import type { AuthoredWriter } from "../audit/authored-writer.ts";
import { groups } from "../collections/groups.ts";
import { identities, issuerOf, subjectOf } from "../collections/identities.ts";
import { roleBindings } from "../collections/role-bindings.ts";
import { roles } from "../collections/roles.ts";
import { withEveryField } from "../contract/every-field.ts";
import { parentOf, subtreeOf } from "../contract/uid.ts";
import type { Group } from "../gen/muster/platform/iam/v2beta1/group_pb.ts";
import type { Identity } from "../gen/muster/platform/iam/v2beta1/identity_pb.ts";
import {
  type RoleBinding,
  RoleBindingGroupSchema,
  RoleBindingIdentitySchema,
  RoleBindingRoleSchema,
  RoleBindingSchema,
} from "../gen/muster/platform/iam/v2beta1/role_binding_pb.ts";
import type { Role } from "../gen/muster/platform/iam/v2beta1/role_pb.ts";
import { deleteSome } from "../resources/partial-deletion.ts";
import { type Reader, statement } from "../store/database.ts";

const ofIdentity = statement((db, p: { identity: string; limit: number }) =>
  db.selectFrom("role_bindings").select("uid").where("identity_uid", "=", p.identity).limit(p.limit),
);
const withRole = statement((db, p: { role: string }) =>
  db.selectFrom("role_bindings").select("uid").where("role_uid", "=", p.role).limit(1),
);
/**
 * Reads the bindings of the identity in the group and below it, which are bounded, and only then looks at their group and role. Others have
 * any number of bindings in the group, and of the role, whose indexes a database may prefer. So it must not see the conditions at
 * once: both databases evaluate a materialized expression by itself.
 */
const equal = statement(
  (db, p: { group: string; from: string; to: string; identity: string; role: string; except: string }) =>
    db
      .with(
        (expression) => expression("of_identity").materialized(),
        (within) =>
          within
            .selectFrom("role_bindings")
            .select(["uid", "parent", "role_uid"])
            .where("identity_uid", "=", p.identity)
            .where("uid", ">=", p.from)
            .where("uid", "<", p.to),
      )
      .selectFrom("of_identity")
      .select("uid")
      .where("parent", "=", p.group)
      .where("role_uid", "=", p.role)
      .where("uid", "!=", p.except)
      .limit(1),
);

/** Deletes bindings of an identity that is to be deleted. @returns as `deleteSome` */
export function deleteBindingsOf(tx: AuthoredWriter, identity: string): Promise<boolean> {
  return deleteSome(tx, roleBindings, ofIdentity, { identity });
}

/** Whether the role is bound. */
export async function bindingsWithRole(tx: Reader, role: string): Promise<boolean> {
  return (await tx.first(withRole, { role })) !== undefined;
}

/** Whether another binding grants the same role to the same identity in the same group. */
export async function hasEqualBinding(tx: Reader, { uid, identityUid, roleUid }: RoleBinding): Promise<boolean> {
  const group = parentOf(uid) ?? "";
  const parameters = { group, ...subtreeOf(group), identity: identityUid, role: roleUid, except: uid };
  return (await tx.first(equal, parameters)) !== undefined;
}

/** Whether a binding grants the role to the identity in the group. */
export async function grantsWithRole(tx: Reader, group: string, identity: string, role: string): Promise<boolean> {
  return (await tx.first(equal, { group, ...subtreeOf(group), identity, role, except: "" })) !== undefined;
}

/** What bindings show of their identity. */
type IdentitySummary = Readonly<Record<"uid" | "name" | "description" | "subject" | "issuer", string>>;

/** A binding with what it shows of the resources that it refers to; undefined for those that do not exist. */
export interface BindingWithReferences {
  readonly binding: RoleBinding;
  readonly identity: IdentitySummary | undefined;
  readonly group: Group | undefined;
  readonly role: Role | undefined;
}

function summaryOf(identity: Identity): IdentitySummary {
  const { uid, name, description } = identity;
  return { uid, name, description, subject: subjectOf(identity) ?? "", issuer: issuerOf(identity) ?? "" };
}

export async function withReferences(
  reader: Reader,
  bindings: readonly RoleBinding[],
): Promise<BindingWithReferences[]> {
  const groupOf = ({ uid }: RoleBinding) => parentOf(uid) ?? "";
  const identityUids = bindings.map(({ identityUid }) => identityUid);
  const roleUids = bindings.map(({ roleUid }) => roleUid);
  const identitiesByUid = await identities.findAll(reader, identityUids, summaryOf);
  const groupsByUid = await groups.findAll(reader, bindings.map(groupOf), (group) => group);
  const rolesByUid = await roles.findAll(reader, roleUids, (role) => role);
  return bindings.map((binding) => ({
    binding,
    identity: identitiesByUid.get(binding.identityUid),
    group: groupsByUid.get(groupOf(binding)),
    role: rolesByUid.get(binding.roleUid),
  }));
}

/** Bindings in the form of responses: with the identity, group and role that they refer to. */
export async function hydrate(reader: Reader, bindings: readonly RoleBinding[]): Promise<RoleBinding[]> {
  return (await withReferences(reader, bindings)).map(({ binding, identity, group, role }) => {
    const hydrated = create(RoleBindingSchema, { ...binding, identityUid: "", roleUid: "" });
    if (identity !== undefined) hydrated.identity = withEveryField(RoleBindingIdentitySchema, identity);
    if (group !== undefined) {
      const { uid, name, description } = group;
      hydrated.group = withEveryField(RoleBindingGroupSchema, { uid, name, description });
    }
    if (role !== undefined) {
      const { uid, name, description } = role;
      hydrated.role = withEveryField(RoleBindingRoleSchema, { uid, name, description });
    }
    return hydrated;
  });
}
