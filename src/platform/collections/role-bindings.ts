import { Capability } from "../authorization/capability.ts";
import { RoleBindingSchema } from "../gen/muster/platform/iam/v2beta1/role_binding_pb.ts";
import { byUid, Collection } from "../resources/collection.ts";

/** Stored with the uids of identity and role. Responses contain the two resources. */
export const roleBindings = new Collection({
  schema: RoleBindingSchema,
  table: "role_bindings",
  type: "role binding",
  types: "role bindings",
  listCapability: Capability.CAP_IAM_ROLE_BINDINGS_LIST,
  sortable: ["uid", "create_time"],
  defaultOrder: byUid,
  columns: {
    identity_uid: ({ identityUid }) => identityUid,
    role_uid: ({ roleUid }) => roleUid,
  },
  identityOf: ({ identityUid }) => identityUid,
});
