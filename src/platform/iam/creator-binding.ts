import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { ownerRole } from "../authorization/builtin-roles.ts";
import type { AuthoredWriter } from "../audit/authored-writer.ts";
import { roleBindings } from "../collections/role-bindings.ts";
import { newUidIn } from "../contract/uid.ts";
import { RoleBindingSchema } from "../gen/muster/platform/iam/v2beta1/role_binding_pb.ts";
import type { WriteTransaction } from "../service/transaction.ts";
import { statement } from "../store/database.ts";

const insert = statement((db, p: { group: string; binding: string; creator: string }) =>
  db.insertInto("founding_bindings").values({ group_uid: p.group, binding_uid: p.binding, creator: p.creator }),
);
const select = statement((db, p: { group: string }) =>
  db.selectFrom("founding_bindings").select("binding_uid").where("group_uid", "=", p.group),
);
const remove = statement((db, p: { group: string }) =>
  db.deleteFrom("founding_bindings").where("group_uid", "=", p.group),
);

/**
 * Binds the creator of a root group to it as owner. This binding does not prevent the deletion of the group.
 * @param creator the identity that the root group counts for
 */
export async function bindCreator(
  { tx, now }: WriteTransaction,
  group: string,
  identityUid: string,
  creator: string,
): Promise<void> {
  const binding = create(RoleBindingSchema, {
    uid: newUidIn(group),
    identityUid,
    roleUid: ownerRole.uid,
    createTime: timestampFromMs(now),
  });
  await roleBindings.insert(tx, binding);
  await tx.run(insert, { group, binding: binding.uid, creator });
}

/** Deletes the creator binding of a group that is deleted, if it still exists. */
export async function unbindCreator(tx: AuthoredWriter, group: string): Promise<void> {
  const row = await tx.first(select, { group });
  if (row === undefined) return;
  await roleBindings.delete(tx, row.binding_uid);
  await tx.run(remove, { group });
}
