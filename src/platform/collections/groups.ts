import { Capability } from "../authorization/capability.ts";
import { GroupSchema } from "../gen/muster/platform/iam/v2beta1/group_pb.ts";
import { byUid, Collection } from "../resources/collection.ts";

export const groups = new Collection({
  schema: GroupSchema,
  table: "groups",
  type: "group",
  types: "groups",
  listCapability: Capability.CAP_IAM_GROUPS_LIST,
  sortable: ["uid", "name", "create_time", "update_time"],
  defaultOrder: byUid,
  columns: {},
});
