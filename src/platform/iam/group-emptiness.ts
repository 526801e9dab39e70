import { collections } from "../collections/collections.ts";
import { subtreeOf } from "../contract/uid.ts";
import { failedPrecondition } from "../errors/api-error.ts";
import { type Reader, type Statement, statement } from "../store/database.ts";
import { settleAll } from "../store/settle-all.ts";
import type { ResourceTable } from "../store/schema/tables.ts";

/**
 * The children of a group are below it, too: with the end of that range, a database does not examine what others have, whichever
 * index it takes.
 * @property to the end of the uids that are in the group
 * @property now milliseconds since the epoch
 */
type Parent = { parent: string; to: string; now: number };

type FindChild = Statement<Parent, { uid: string }>;

/** Finds one child that is not a creator binding, which is deleted with its group. */
const roleBinding: FindChild = statement((db, p: Parent) =>
  db
    .selectFrom("role_bindings")
    .select("uid")
    .where("parent", "=", p.parent)
    .where("uid", ">=", p.parent)
    .where("uid", "<", p.to)
    .where((row) =>
      row.not(
        row.exists(
          row
            .selectFrom("founding_bindings")
            .select("binding_uid")
            .where("group_uid", "=", p.parent)
            .whereRef("binding_uid", "=", "role_bindings.uid"),
        ),
      ),
    )
    .limit(1),
);

/** Finds one child that has not expired. Expired invites are deleted with their group. */
const groupInvite: FindChild = statement((db, p: Parent) =>
  db.selectFrom("group_invites").select("uid").where("parent", "=", p.parent).where("expires", ">", p.now).limit(1),
);

const special: Partial<Record<ResourceTable, FindChild>> = { role_bindings: roleBinding, group_invites: groupInvite };

/** Finds one child in any other table. */
function childIn(table: ResourceTable): FindChild {
  return statement((db, p: Parent) =>
    db
      .selectFrom(table)
      .select("uid")
      .where("parent", "=", p.parent)
      .where("uid", ">=", p.parent)
      .where("uid", "<", p.to)
      .limit(1),
  );
}

/** The children that prevent the deletion of a group. */
const childTypes = collections
  .filter(({ description }) => description.parent === undefined)
  .map(({ description: { table, types } }) => ({ types, find: special[table] ?? childIn(table) }));

/** Requires that a group is empty. @throws ApiError (9), `RESOURCE_NOT_EMPTY`, that names the first type of child */
export async function checkEmpty(reader: Reader, group: string, now: number): Promise<void> {
  const parameters = { parent: group, to: subtreeOf(group).to, now };
  const children = await settleAll(childTypes.map(({ find }) => reader.first(find, parameters)));
  const index = children.findIndex((child) => child !== undefined);
  const first = childTypes[index];
  if (first !== undefined)
    throw failedPrecondition("RESOURCE_NOT_EMPTY", `cannot delete group with child ${first.types}`);
}
