import { create } from "@bufbuild/protobuf";
import type { AuthoredWriter } from "../audit/authored-writer.ts";
import { groupInvites } from "../collections/group-invites.ts";
import { roles } from "../collections/roles.ts";
import {
  type GroupInvite,
  GroupInviteRoleSchema,
  GroupInviteSchema,
} from "../gen/muster/platform/iam/v2beta1/group_invite_pb.ts";
import { deleteSome } from "../resources/partial-deletion.ts";
import { type Reader, statement } from "../store/database.ts";

const inGroup = statement((db, p: { group: string; limit: number }) =>
  db.selectFrom("group_invites").select("uid").where("parent", "=", p.group).limit(p.limit),
);

/** Deletes invites of a group that is to be deleted. All have expired: others prevent it. @returns as `deleteSome` */
export function deleteInvitesIn(tx: AuthoredWriter, group: string): Promise<boolean> {
  return deleteSome(tx, groupInvites, inGroup, { group });
}

/** Invites in the form of responses: with their roles and without their codes. */
export async function shownInvites(reader: Reader, invites: readonly GroupInvite[]): Promise<GroupInvite[]> {
  const byUid = await roles.findAll(
    reader,
    invites.map(({ roleUid }) => roleUid),
    ({ uid, name, description, capabilities }) =>
      create(GroupInviteRoleSchema, { uid, name, description, capabilities }),
  );
  return invites.map((invite) => {
    const shown = create(GroupInviteSchema, { ...invite, code: "" });
    const role = byUid.get(invite.roleUid);
    if (role !== undefined) shown.role = role;
    return shown;
  });
}
