import { failedPrecondition } from "../errors/api-error.ts";
import { type Reader, statement } from "../store/store.ts";

type Parent = { parent: string };

/** What keeps a group from being deleted, in the order in which it is told. Each asks for one child of the sort. */
const childKinds = [
  {
    types: "groups",
    find: statement((db, p: Parent) => db.selectFrom("groups").select("uid").where("parent", "=", p.parent).limit(1)),
  },
  {
    types: "identities",
    find: statement((db, p: Parent) =>
      db.selectFrom("identities").select("uid").where("parent", "=", p.parent).limit(1),
    ),
  },
  {
    types: "roles",
    find: statement((db, p: Parent) => db.selectFrom("roles").select("uid").where("parent", "=", p.parent).limit(1)),
  },
  {
    types: "role bindings",
    find: statement((db, p: Parent) =>
      db
        .selectFrom("role_bindings as binding")
        .leftJoin("founding_bindings as founding", "founding.binding_uid", "binding.uid")
        .select("binding.uid")
        .where("binding.parent", "=", p.parent)
        .where("founding.binding_uid", "is", null)
        .limit(1),
    ),
  },
] as const;

/** @throws ApiError (9), `RESOURCE_NOT_EMPTY`, naming the first sort of children that the group has */
export async function checkEmpty(reader: Reader, group: string): Promise<void> {
  for (const { types, find } of childKinds)
    if ((await reader.first(find, { parent: group })) !== undefined)
      throw failedPrecondition("RESOURCE_NOT_EMPTY", `cannot delete group with child ${types}`);
}
