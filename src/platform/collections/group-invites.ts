import { timestampMs } from "@bufbuild/protobuf/wkt";
import { Capability } from "../authorization/capability.ts";
import { GroupInviteSchema } from "../gen/muster/platform/iam/v2beta1/group_invite_pb.ts";
import { Collection } from "../resources/collection.ts";

/** Stored without the role and with the hash of the code instead of the code. Responses contain neither of the two. */
export const groupInvites = new Collection({
  schema: GroupInviteSchema,
  table: "group_invites",
  type: "group invite",
  types: "group invites",
  listCapability: Capability.CAP_IAM_GROUP_INVITES_LIST,
  sortable: ["uid", "create_time", "update_time"],
  defaultOrder: { column: "create_time", direction: "desc" },
  columns: {
    role_uid: ({ roleUid }) => roleUid,
    expires: ({ expirationTime }) => (expirationTime === undefined ? 0 : timestampMs(expirationTime)),
    key_id: ({ keyId }) => keyId,
    code_hash: ({ code }) => code,
  },
});
