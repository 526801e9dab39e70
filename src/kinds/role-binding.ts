import { type RoleBinding, roleBindingDefinition } from "#src/api/role-binding.ts";
import { type ExternalRoleBinding, roleBindings } from "#src/platform-client/permission-resources.ts";
import { byFields } from "./identification.ts";
import type { Kind } from "./kind.ts";
import { parentReference } from "./parent-reference.ts";
import type { ReferenceField } from "./reference-field.ts";
import { roleReference } from "./role-reference.ts";

/** A role binding has no description that could carry a marker. It is identified by what it grants, and where. */
function naturalKey(group: string, identity: string, role: string): string {
  return `${group} ${identity} ${role}`;
}

export const roleBindingKind: Kind<RoleBinding, ExternalRoleBinding> = {
  name: "RoleBinding",
  definition: roleBindingDefinition,
  collection: {
    ...roleBindings,
    listCapability: "CAP_IAM_ROLE_BINDINGS_LIST",
    authenticationFields: [],
    issuing: null,
    naturalKeyOf: ({ uid, identity, role }) =>
      naturalKey(roleBindings.uids.parentOf(uid) ?? "", identity.uid, role.uid),
    nameOf: () => undefined,
  },
  noun: "role binding",
  identification: byFields(({ parent = "", identity = "", role = "" }) => naturalKey(parent, identity, role)),
  refersTo: ["Group", "Identity", "Role"],
  references: (binding) => [
    parentReference("spec.groupRef", binding.spec.groupRef, "spec.groupUid", binding.spec.groupUid),
    identityReference(binding),
    roleReference("spec.roleRef", binding.spec.roleRef, "spec.roleUid", binding.spec.roleUid),
  ],
  desired: (_binding, uids) => ({ identityUid: uids.identity, roleUid: uids.role }),
  nameOf: () => undefined,
  actual: (external) => ({ identityUid: external.identity.uid, roleUid: external.role.uid }),
  identityOf: ({ identity }) => identity.uid,
  principal: null,
  bindable: null,
  vouching: null,
  secret: null,
  linking: null,
  specPath: (field, { spec }) => {
    if (/^identity_?uid$/i.test(field)) return spec.identityUid === undefined ? "spec.identityRef" : "spec.identityUid";
    if (/^role_?uid$/i.test(field)) return spec.roleUid === undefined ? "spec.roleRef" : "spec.roleUid";
    return `spec.${field}`;
  },
};

function identityReference({ spec }: RoleBinding): ReferenceField {
  return spec.identityRef === undefined
    ? { purpose: "identity", path: "spec.identityUid", target: { by: "uid", uid: spec.identityUid ?? "" } }
    : {
        purpose: "identity",
        path: "spec.identityRef",
        target: { by: "resource", kind: "Identity", reference: spec.identityRef },
      };
}
