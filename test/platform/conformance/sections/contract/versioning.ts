import { equal, has, matches, succeeded } from "../../expect.ts";
import { contractSection, overRest, requirement, untested } from "../../requirement.ts";
import type { World } from "../../world.ts";

/** The JSON body of a GET, which must succeed. */
async function read({ rest }: World, path: string): Promise<Readonly<Record<string, unknown>>> {
  const { status, text } = await rest.send("GET", path);
  equal(status, 200, `the HTTP status of GET ${path}`);
  return JSON.parse(text) as Readonly<Record<string, unknown>>;
}

/** Section 9. */
export const versioning = contractSection("9 Versioning", [
  requirement(
    "9.1",
    "The v2 interface is in beta and is addressed by the path segment `v2beta1`.",
    overRest(async (world) => {
      await read(world, "/iam/v2beta1/groups?page_size=1");
      for (const version of ["v2", "v2beta2"])
        equal((await world.rest.send("GET", `/iam/${version}/groups`)).status, 404, `the HTTP status of ${version}`);
    }),
  ),
  requirement(
    "9.2",
    "v2 is additive. The v1 endpoints (`/iam/v1/`, `/registry/v1/`) remain available.",
    overRest(async (world) => {
      for (const path of ["/iam/v1/groups", "/registry/v1/repos"])
        equal(Array.isArray((await read(world, path))["items"]), true, `whether items of ${path} is an array`);
    }),
  ),
  requirement(
    "9.3.names",
    "Migration: replace `/iam/v1/` with `/iam/v2beta1/`; rename `id` to `uid`, `createdAt` to `createTime`, `updatedAt` to `updateTime`.",
    overRest(async (world) => {
      const uid = await world.makeIdentity();
      const identity = succeeded(await world.rest.get("identities", uid));
      const { items } = (await read(world, `/iam/v1/identities?id=${uid}`)) as { items: Record<string, string>[] };
      const [old = {}] = items;
      has(old, { id: uid, name: identity.name }, "the identity in v1");
      equal(Date.parse(old["createdAt"] ?? ""), Date.parse(identity.createTime), "createdAt");
      equal(Date.parse(old["updatedAt"] ?? ""), Date.parse(identity.updateTime), "updatedAt");
    }),
  ),
  requirement(
    "9.3.lists",
    "The v1 list response uses the array `items`. The v2 list response uses a named array plus the pagination fields.",
    overRest(async (world) => {
      const [group] = await world.makeGroups(1);
      const scope = `uidp.children_of=${world.group}`;
      const { items } = (await read(world, `/iam/v1/groups?${scope}`)) as { items: Record<string, unknown>[] };
      has(items[0], { id: group?.uid, name: group?.name }, "the group in v1");
      const page = await read(world, `/iam/v2beta1/groups?${scope}`);
      equal(page["groups"], [group], "groups in v2");
      matches(page["totalCount"], /^1$/, "totalCount in v2");
      equal("items" in page, false, "whether v2 has items");
    }),
  ),
  requirement(
    "9.4",
    "In v1, an update requires the full resource, and omitted fields reset to their zero values. In v2, an update is partial.",
    overRest(async (world) => {
      const { uid } = await world.make("groups", world.group, { name: "before", description: "d" });
      const partial = succeeded(await world.rest.update("groups", uid, { name: "v2" }));
      has(partial, { name: "v2", description: "d" }, "the group after an update in v2");
      const { status } = await world.rest.send("PUT", `/iam/v1/groups/${uid}`, { body: { name: "v1" } });
      equal(status, 200, "the HTTP status of an update in v1");
      const group = succeeded(await world.rest.get("groups", uid));
      has(group, { name: "v1", description: "" }, "the group after an update in v1");
    }),
  ),
  untested(
    "9.5",
    "v1 gets a deprecation window after v2 reaches general availability.",
    "it cannot be observed before general availability",
  ),
]);
