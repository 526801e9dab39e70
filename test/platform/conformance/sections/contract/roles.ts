import { equal, matches, succeeded } from "../../expect.ts";
import { contractSection, coveredBy, overBoth, overRest, requirement } from "../../requirement.ts";

/** Sections 2 (Role) and 4.3. */
export const roles = contractSection("4.3 Roles", [
  requirement(
    "2.role.fields",
    "A role has `uid`, `name` and `description`.",
    overBoth(async (world) => {
      const [role] = await world.list("roles", { name: "viewer", uidp: { inRoot: true } });
      equal(role?.name, "viewer", "name");
      matches(role?.uid, /./, "uid");
      equal(typeof role?.description, "string", "the type of description");
    }),
  ),
  coveredBy("2.role.built-in", "Built-in roles exist, for example one named `viewer`.", "2.role.fields"),
  requirement(
    "4.3.list",
    "`GET /iam/v2beta1/roles` returns the list envelope with `roles`; the example uses no parameter.",
    overRest(async ({ rest }) => {
      const body = succeeded(await rest.list("roles"), "a List without parameters");
      equal(Array.isArray(body["roles"]), true, "whether roles is an array");
      matches(body.totalCount, /^\d+$/, "totalCount");
      equal(body.skipped, 0, "skipped");
    }),
  ),
]);
