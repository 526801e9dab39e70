import { Capability } from "../authorization/capability.ts";
import { RoleSchema } from "../gen/muster/platform/iam/v2beta1/role_pb.ts";
import { byUid, Collection } from "../resources/collection.ts";

/** The built-in roles are rows too, without a parent. */
export const roles = new Collection({
  schema: RoleSchema,
  table: "roles",
  type: "role",
  types: "roles",
  listCapability: Capability.CAP_IAM_ROLES_LIST,
  sortable: ["uid", "name", "create_time", "update_time"],
  defaultOrder: byUid,
  columns: {},
});
