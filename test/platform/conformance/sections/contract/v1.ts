import { outcomeOf } from "../../client/rest.ts";
import { equal, has, holds, Skip, succeeded } from "../../expect.ts";
import { contractSection, overRest, requirement } from "../../requirement.ts";

/** Section 4.10. */
export const v1 = contractSection("4.10 v1 endpoints still served", [
  requirement(
    "4.10.groups",
    "`GET /iam/v1/groups`: object with array `items` of groups. Each group has `id`, `name`, `description`, `resourceLimits`, `verified`.",
    overRest(async (world) => {
      const { uid } = await world.make("groups", world.group, { name: "a", description: "d" });
      const path = `/iam/v1/groups?uidp.children_of=${world.group}`;
      const { items } = succeeded(outcomeOf(await world.rest.send("GET", path))) as unknown as { items: unknown[] };
      equal(items.length, 1, "the number of items");
      has(items[0], { id: uid, name: "a", description: "d", resourceLimits: {}, verified: false }, "the group");
    }),
  ),
  requirement(
    "4.10.repos",
    "`GET /registry/v1/repos`: repos (shape not shown in detail).",
    overRest(async (world) => {
      if (!(await world.api.create("repos", world.group, { name: "shop" })).ok)
        throw new Skip("this platform cannot create repos");
      const { status, text } = await world.rest.send("GET", `/registry/v1/repos?uidp.children_of=${world.group}`);
      equal(status, 200, "the HTTP status");
      holds(text.includes('"shop"'), "the response", "the repo's name in it", text);
    }),
  ),
]);
