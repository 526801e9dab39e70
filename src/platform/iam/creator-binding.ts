import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { ownerRole } from "../access/builtin-roles.ts";
import type { AuthoredWriter } from "../audit/authored-writer.ts";
import { RoleBindingSchema } from "../gen/muster/platform/iam/v2beta1/role_binding_pb.ts";
import type { WriteSession } from "../service/session.ts";
import { statement } from "../store/database.ts";
import { newUidIn } from "../contract/uid.ts";
import { roleBindings } from "../collections/role-bindings.ts";

const remember = statement((db, p: { group: string; binding: string }) =>
  db.insertInto("founding_bindings").values({ group_uid: p.group, binding_uid: p.binding }),
);
const remembered = statement((db, p: { group: string }) =>
  db.selectFrom("founding_bindings").select("binding_uid").where("group_uid", "=", p.group),
);
const forget = statement((db, p: { group: string }) =>
  db.deleteFrom("founding_bindings").where("group_uid", "=", p.group),
);

/** Makes the identity that made a root group its owner. The binding does not keep the group from being deleted. */
export async function bindCreator({ tx, now }: WriteSession, group: string, identityUid: string): Promise<void> {
  const binding = create(RoleBindingSchema, {
    uid: newUidIn(group),
    identityUid,
    roleUid: ownerRole.uid,
    createTime: timestampFromMs(now),
  });
  await roleBindings.insert(tx, binding);
  await tx.run(remember, { group, binding: binding.uid });
}

/** Deletes the founder's binding, where it is still there, with its group. */
export async function unbindCreator(tx: AuthoredWriter, group: string): Promise<void> {
  const row = await tx.first(remembered, { group });
  if (row === undefined) return;
  await roleBindings.delete(tx, row.binding_uid);
  await tx.run(forget, { group });
}
