import { Capability } from "../authorization/capability.ts";
import { AccountAssociationSchema } from "../gen/muster/platform/iam/v2beta1/account_association_pb.ts";
import { byUid, Collection } from "../resources/collection.ts";

export const accountAssociations = new Collection({
  schema: AccountAssociationSchema,
  table: "account_associations",
  type: "account association",
  types: "account associations",
  singleton: true,
  listCapability: Capability.CAP_IAM_ACCOUNT_ASSOCIATIONS_LIST,
  sortable: ["uid", "name", "create_time", "update_time"],
  defaultOrder: byUid,
  columns: {},
});
