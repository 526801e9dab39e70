import { failedPrecondition } from "../errors/api-error.ts";
import { type Reader, statement } from "../store/database.ts";

/** @property now milliseconds since the epoch */
type Parent = { parent: string; now: number };

/** The children that prevent the deletion of a group, in the order in which they are reported. Each query finds one child. */
const childKinds = [
  {
    types: "repos",
    find: statement((db, p: Parent) => db.selectFrom("repos").select("uid").where("parent", "=", p.parent).limit(1)),
  },
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
        .leftJoin("founding_bindings as creator", "creator.binding_uid", "binding.uid")
        .select("binding.uid")
        .where("binding.parent", "=", p.parent)
        .where("creator.binding_uid", "is", null)
        .limit(1),
    ),
  },
  {
    types: "identity providers",
    find: statement((db, p: Parent) =>
      db.selectFrom("identity_providers").select("uid").where("parent", "=", p.parent).limit(1),
    ),
  },
  {
    types: "account associations",
    find: statement((db, p: Parent) =>
      db.selectFrom("account_associations").select("uid").where("parent", "=", p.parent).limit(1),
    ),
  },
  {
    types: "group invites",
    find: statement((db, p: Parent) =>
      db
        .selectFrom("group_invites")
        .select("uid")
        .where("parent", "=", p.parent)
        // Expired invites do not prevent the deletion.
        .where("expires", ">", p.now)
        .limit(1),
    ),
  },
  {
    types: "advisories",
    find: statement((db, p: Parent) =>
      db.selectFrom("advisories").select("uid").where("parent", "=", p.parent).limit(1),
    ),
  },
] as const;

/** Requires that a group is empty. @throws ApiError (9), `RESOURCE_NOT_EMPTY`, that names the first type of child */
export async function checkEmpty(reader: Reader, group: string, now: number): Promise<void> {
  for (const { types, find } of childKinds)
    if ((await reader.first(find, { parent: group, now })) !== undefined)
      throw failedPrecondition("RESOURCE_NOT_EMPTY", `cannot delete group with child ${types}`);
}
