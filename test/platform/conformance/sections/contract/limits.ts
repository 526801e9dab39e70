import type { Json } from "../../client/api.ts";
import { equal, holds, succeeded } from "../../expect.ts";
import { contractSection, coveredBy, overBoth, requirement, untested } from "../../requirement.ts";

/** Section 8. */
export const limits = contractSection("8 Limits", [
  requirement(
    "8.page-size-default",
    "`page_size` default: 50.",
    overBoth(async (world) => {
      equal(
        (await world.list("groups", { uidp: { childrenOf: await world.largeGroup() } })).length,
        50,
        "the length of a page",
      );
    }),
  ),
  requirement(
    "8.page-size-maximum",
    "`page_size` maximum: 200.",
    overBoth(async (world) => {
      const uidp = { childrenOf: await world.largeGroup() };
      const page = succeeded(await world.api.list("groups", { uidp, pageSize: 200 }));
      equal((page["groups"] as Json[]).length, 200, "the length of a page with page_size=200");
      const more = await world.api.list("groups", { uidp, pageSize: 1_000 });
      // The contract leaves the response to a larger page_size open, but not that a page has at most 200 resources.
      const length = more.ok ? (more.body["groups"] as Json[]).length : 0;
      holds(length <= 200, "the length of a page with page_size=1000", "at most 200", length);
    }),
  ),
  untested(
    "8.page-token-lifetime",
    "Page token lifetime: 3 days; afterwards the query restarts from the beginning with no error.",
    "a run does not last three days; covered by the tests of this project's platform, which advance its clock",
  ),
  coveredBy("8.group-name", "Group name pattern: `^[a-z0-9 ._-]{1,}$`.", "2.group.name-pattern"),
  coveredBy("8.exchanged-token-lifetime", "Exchanged API token lifetime: 1 hour.", "4.9.lifetime"),
  requirement(
    "8.rate-limits",
    "Rate limits are not enforced during beta.",
    overBoth(async (world) => {
      const calls = Array.from({ length: 100 }, () => world.api.get("groups", world.group));
      for (const outcome of await Promise.all(calls)) succeeded(outcome, "one of 100 concurrent calls");
    }),
  ),
]);
