import type { Query } from "../../client/api.ts";
import { equal, matches, succeeded } from "../../expect.ts";
import { contractSection, coveredBy, overBoth, requirement } from "../../requirement.ts";
import type { World } from "../../world.ts";

const pageOf = async ({ api, group }: World, query: Query = {}) =>
  succeeded(await api.list("groups", { uidp: { childrenOf: group }, ...query }), "a List of groups");

/** Section 2, the response of every List. */
export const listEnvelope = contractSection("2 List response envelope", [
  coveredBy(
    "2.list.array",
    "The array has the plural resource name: `groups` for groups, `roles` for roles, `repos` for repos.",
    "1.cursors",
  ),
  requirement(
    "2.list.next-page-token",
    "`nextPageToken`: opaque cursor for the next page. Empty or absent on the last page.",
    overBoth(async (world) => {
      await world.makeGroups(3);
      const first = await pageOf(world, { pageSize: 2 });
      matches(first.nextPageToken, /./, "nextPageToken of the first of two pages");
      const second = await pageOf(world, { pageSize: 2, pageToken: first.nextPageToken ?? "" });
      equal(second.nextPageToken ?? "", "", "nextPageToken of the last page");
    }),
  ),
  requirement(
    "2.list.total-count",
    "`totalCount`: total matching results across all pages, a 64-bit integer as a decimal string.",
    overBoth("on each page", async (world) => {
      await world.makeGroups(5);
      const first = await pageOf(world, { pageSize: 2 });
      equal(first.totalCount, "5", "totalCount of the first page");
      const second = await pageOf(world, { pageSize: 2, pageToken: first.nextPageToken ?? "" });
      equal(second.totalCount, "5", "totalCount of the second page");
    }),
    overBoth("with a filter", async (world) => {
      for (const name of ["a", "b"]) await world.make("groups", world.group, { name });
      equal((await pageOf(world, { name: "a" })).totalCount, "1", "totalCount with a filter");
      equal((await pageOf(world, { name: "c" })).totalCount, "0", "totalCount if no group matches");
    }),
    overBoth("after a deletion", async (world) => {
      const [first] = await world.makeGroups(2);
      equal((await pageOf(world)).totalCount, "2", "totalCount of two groups");
      succeeded(await world.api.delete("groups", first?.uid ?? ""));
      equal((await pageOf(world)).totalCount, "1", "totalCount after a deletion");
    }),
  ),
  requirement(
    "2.list.skipped",
    "`skipped`: number of results skipped, equal to the `skip` parameter.",
    overBoth(async (world) => {
      await world.makeGroups(3);
      for (const skip of [0, 2, 7]) equal((await pageOf(world, { skip })).skipped, skip, `skipped with skip=${skip}`);
    }),
  ),
]);
