import type { Json, Query } from "../../client/api.ts";
import { outcomeOf } from "../../client/rest.ts";
import { equal, rejected, succeeded } from "../../expect.ts";
import { decidedSection, overBoth, overRest, requirement, untested } from "../../requirement.ts";
import type { World } from "../../world.ts";

const uids = (rows: readonly Json[]) => rows.map(({ uid }) => uid);

const pageOf = async ({ api, group }: World, query: Query) =>
  succeeded(await api.list("groups", { uidp: { childrenOf: group }, ...query }), "a List of groups");

const uidsOf = async (world: World, query: Query) => uids((await pageOf(world, query))["groups"] as readonly Json[]);

const isRejected = async ({ api, group }: World, query: Query, field: string) =>
  rejected(
    await api.list("groups", { uidp: { childrenOf: group }, ...query }),
    { code: 3, field },
    `a List with ${field}`,
  );

/** The uids of all pages of groups, by default of the case's children; `totalCount` must be the same on each page. */
async function walk(world: World, query: Query): Promise<readonly string[]> {
  const walked: string[] = [];
  const { totalCount } = await pageOf(world, query);
  for (let pageToken: string | undefined; pageToken !== ""; ) {
    const page = await pageOf(world, { ...query, ...(pageToken ? { pageToken } : {}) });
    equal(page.totalCount, totalCount, "totalCount");
    walked.push(...uids(page["groups"] as readonly Json[]));
    pageToken = page.nextPageToken ?? "";
  }
  return walked;
}

/** The pages of a List and their order. */
export const paging = decidedSection("Paging and ordering", [
  requirement(
    "paging.default-order",
    "Default order: `uid asc`.",
    overBoth(async (world) => {
      const made = uids(await world.makeGroups(12));
      equal(await uidsOf(world, {}), made.toSorted(), "the uids");
    }),
  ),
  requirement(
    "paging.order-by",
    "`order_by` is `field`, `field asc` or `field desc`: `uid`, `name`, `created_at`, `create_time`, `updated_at`, `update_time`.",
    overBoth(async (world) => {
      const made: Json[] = [];
      for (const name of ["c", "a", "b"]) made.push(await world.make("groups", world.group, { name }));
      const by = (key: "uid" | "name") => made.toSorted((a, b) => (a[key] < b[key] ? -1 : 1));
      for (const key of ["uid", "name"] as const) {
        for (const orderBy of [key, `${key} asc`]) equal(await uidsOf(world, { orderBy }), uids(by(key)), orderBy);
        equal(await uidsOf(world, { orderBy: `${key} desc` }), uids(by(key)).toReversed(), `${key} desc`);
      }
      const times = ["created_at", "create_time", "updated_at", "update_time"];
      for (const field of times) {
        const rows = (await pageOf(world, { orderBy: `${field} desc` }))["groups"] as readonly Json[];
        const sorted = rows.map(({ createTime }) => createTime);
        equal(sorted, sorted.toSorted().toReversed(), `the times by ${field} desc`);
      }
    }),
    overBoth("across pages", async (world) => {
      await world.makeGroups(7);
      for (const orderBy of ["uid", "uid desc", "name asc", "create_time", "update_time desc"]) {
        const walked = await walk(world, { orderBy, pageSize: 3 });
        equal(walked, await uidsOf(world, { orderBy }), `the uids of all pages by ${orderBy}`);
      }
    }),
  ),
  requirement(
    "paging.order-by-invalid",
    "Any other value, or a field that the resource does not have, is code 3 on `order_by`.",
    overBoth("other values", async (world) => {
      for (const orderBy of ["color", "name up", "name,uid", "name desc asc", "description", "desc"])
        await isRejected(world, { orderBy }, "order_by");
    }),
    overBoth("a field that the resource does not have", async ({ api }) => {
      const error = { code: 3, field: "order_by" };
      rejected(await api.list("roleBindings", { orderBy: "name" }), error, "role bindings by name");
    }),
  ),
  requirement(
    "paging.bytes",
    "Names are compared byte by byte.",
    overBoth(async (world) => {
      const named = [" ", "-", ".", "0", "_", "a", "a ", "a-", "a0", "a_", "aa", "b"];
      for (const name of named.toReversed()) await world.make("groups", world.group, { name });
      const rows = (await pageOf(world, { orderBy: "name" }))["groups"] as readonly Json[];
      equal(
        rows.map(({ name }) => name),
        named,
        "the names",
      );
    }),
  ),
  requirement(
    "paging.ties",
    "Ties are ordered by uid ascending: pages never repeat or skip a resource whose sort key did not change.",
    overBoth("equal names", async (world) => {
      // A platform can require unique names among siblings, but not in different groups.
      const groups = uids(await world.makeGroups(5));
      const twins: string[] = [];
      for (const group of groups) twins.push((await world.make("groups", group, { name: "twin" })).uid);
      const query = { uidp: { descendantsOf: world.group }, name: "twin", pageSize: 2 };
      for (const orderBy of ["name", "name desc"]) {
        const walked = await walk(world, { ...query, orderBy });
        equal(walked, twins.toSorted(), `the uids by ${orderBy}`);
      }
    }),
    overBoth("while groups are created and deleted", async (world) => {
      const made = await world.makeGroups(9);
      const first = await pageOf(world, { orderBy: "name", pageSize: 3 });
      equal(
        (first["groups"] as readonly Json[]).map(({ name }) => name),
        ["n1", "n2", "n3"],
        "the first page",
      );
      for (const index of [0, 2]) succeeded(await world.api.delete("groups", made[index]?.uid ?? ""));
      await world.make("groups", world.group, { name: "n1a" });
      const second = await pageOf(world, { orderBy: "name", pageSize: 3, pageToken: first.nextPageToken ?? "" });
      equal(
        (second["groups"] as readonly Json[]).map(({ name }) => name),
        ["n4", "n5", "n6"],
        "the second page",
      );
    }),
  ),
  requirement(
    "paging.page-size-over-maximum",
    "`page_size` over 200 becomes 200.",
    overBoth(async (world) => {
      const uidp = { childrenOf: await world.largeGroup() };
      equal((await uidsOf(world, { uidp, pageSize: 1_000 })).length, 200, "the length of a page");
    }),
  ),
  requirement(
    "paging.page-size-zero",
    "`page_size` 0 or absent is 50.",
    overBoth(async (world) => {
      const uidp = { childrenOf: await world.largeGroup() };
      for (const query of [{ uidp }, { uidp, pageSize: 0 }])
        equal((await uidsOf(world, query)).length, 50, "the length of a page");
    }),
  ),
  requirement(
    "paging.page-size-invalid",
    "A negative `page_size` is code 3.",
    overBoth(async (world) => void (await isRejected(world, { pageSize: -1 }, "page_size"))),
    overRest("a value that is not a number", async ({ rest }) => {
      const response = await rest.send("GET", "/iam/v2beta1/groups?page_size=many");
      equal(response.status, 400, "the HTTP status");
      rejected(outcomeOf(response), { code: 3, field: "page_size" }, "a List");
    }),
  ),
  requirement(
    "paging.skip-from-cursor",
    "`skip` counts from the cursor when both are given, and `skipped` echoes it.",
    overBoth(async (world) => {
      const made = uids(await world.makeGroups(10)).toSorted();
      const { nextPageToken = "" } = await pageOf(world, { pageSize: 3 });
      const page = await pageOf(world, { pageSize: 3, skip: 2, pageToken: nextPageToken });
      equal(uids(page["groups"] as readonly Json[]), made.slice(5, 8), "the page");
      equal(page.skipped, 2, "skipped");
    }),
  ),
  requirement(
    "paging.skip-negative",
    "A negative `skip` is code 3.",
    overBoth(async (world) => void (await isRejected(world, { skip: -1 }, "skip"))),
  ),
  requirement(
    "paging.token-bound",
    "A page token is bound to collection, filters and `order_by`: with other values it is code 3 on `page_token`.",
    overBoth(async (world) => {
      await world.makeGroups(4);
      const { nextPageToken: pageToken = "" } = await pageOf(world, { pageSize: 2 });
      for (const other of [{ orderBy: "name" }, { name: "n1" }, { uidp: { descendantsOf: world.group } }])
        await isRejected(world, { pageToken, ...other }, "page_token");
      const elsewhere = await world.api.list("identities", { uidp: { childrenOf: world.group }, pageToken });
      rejected(elsewhere, { code: 3, field: "page_token" }, "a List of another collection");
    }),
  ),
  requirement(
    "paging.token-not-bound",
    "A page token is not bound to `page_size`, `skip` or the caller.",
    overBoth("page_size and skip", async (world) => {
      const made = uids(await world.makeGroups(6)).toSorted();
      const { nextPageToken: pageToken = "" } = await pageOf(world, { pageSize: 2 });
      equal(await uidsOf(world, { pageToken, pageSize: 50 }), made.slice(2), "the remaining groups");
      equal(await uidsOf(world, { pageToken, skip: 1 }), made.slice(3), "the remaining groups without the first");
      equal(await uidsOf(world, { pageToken, orderBy: "uid" }), made.slice(2), "with the default order by its name");
    }),
    overBoth("the caller", async (world) => {
      const made = uids(await world.makeGroups(4)).toSorted();
      const { nextPageToken: pageToken = "" } = await pageOf(world, { pageSize: 2 });
      const { api } = await world.caller("viewer");
      const page = succeeded(await api.list("groups", { uidp: { childrenOf: world.group }, pageToken }));
      equal(uids(page["groups"] as readonly Json[]), made.slice(2), "the remaining groups");
    }),
  ),
  requirement(
    "paging.token-unknown",
    "A page token that the platform did not issue is code 3 on `page_token`.",
    overBoth(async (world) => {
      await world.makeGroups(3);
      const { nextPageToken = "" } = await pageOf(world, { pageSize: 1 });
      const changed = `${nextPageToken.slice(0, -2)}${nextPageToken.endsWith("AA") ? "BB" : "AA"}`;
      // With as many characters, but another number of bytes.
      const longer = `${nextPageToken.slice(0, -1)}\u00e9`;
      for (const pageToken of ["nonsense", "a.b", changed, longer])
        await isRejected(world, { pageToken }, "page_token");
    }),
  ),
  untested(
    "paging.token-age-first",
    "A page token older than 3 days restarts the query; its age is checked before its binding.",
    "a run does not last three days; covered by the tests of this project's platform, which advance its clock",
  ),
  requirement(
    "paging.total-count",
    "`totalCount` is exact and counts the resources that the caller can see.",
    overBoth(async (world) => {
      const [seen = "", hidden = ""] = uids(await world.makeGroups(2));
      await world.makeGroups(3, seen);
      await world.makeGroups(4, hidden);
      const { api } = await world.caller("viewer", seen);
      const count = async (uidp: object) => succeeded(await api.list("groups", { uidp })).totalCount;
      equal(await count({ descendantsOf: world.group }), "4", "totalCount of the visible descendants");
      equal(await count({ childrenOf: hidden }), "0", "totalCount of a hidden group's children");
    }),
  ),
]);
