import { type RoleBinding, roleBindingDefinition } from "#src/api/role-binding.ts";
import type { ExternalRoleBinding } from "#src/platform-client/external-resource.ts";
import type { Kind, ReferenceField } from "./kind.ts";
import { parentReference } from "./parent-reference.ts";

export const roleBindingKind: Kind<RoleBinding, ExternalRoleBinding> = {
  name: "RoleBinding",
  definition: roleBindingDefinition,
  collection: "roleBindings",
  noun: "role binding",
  hasMarker: false,
  references: (binding) => [
    parentReference("spec.groupRef", binding.spec.groupRef, "spec.groupUid", binding.spec.groupUid),
    identityReference(binding),
    roleReference(binding),
  ],
  desired: (_binding, uids) => ({ identityUid: uids.identity, roleUid: uids.role }),
  actual: (external) => ({ identityUid: external.identity.uid, roleUid: external.role.uid }),
  nameOf: () => undefined,
  specPath: (field) => {
    if (/^identity_?uid$/i.test(field)) return "spec.identityRef";
    if (/^role_?uid$/i.test(field)) return "spec.roleRef";
    return `spec.${field}`;
  },
};

function identityReference({ spec }: RoleBinding): ReferenceField {
  return spec.identityRef === undefined
    ? { role: "identity", path: "spec.identityUid", target: { by: "uid", uid: spec.identityUid ?? "" } }
    : {
        role: "identity",
        path: "spec.identityRef",
        target: { by: "resource", kind: "Identity", reference: spec.identityRef },
      };
}

function roleReference({ spec }: RoleBinding): ReferenceField {
  return spec.roleRef === undefined
    ? { role: "role", path: "spec.roleUid", target: { by: "uid", uid: spec.roleUid ?? "" } }
    : { role: "role", path: "spec.roleRef", target: { by: "roleName", name: spec.roleRef.name } };
}
