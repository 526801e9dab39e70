import { detail, equal, has, rejected, Skip, succeeded } from "../../expect.ts";
import { outcomeOf } from "../../client/rest.ts";
import { decidedSection, overBoth, overRest, requirement } from "../../requirement.ts";
import type { World } from "../../world.ts";

/** Creates a group with limits. @throws {Skip} if the token is not the admin's */
async function makeLimited(world: World, resourceLimits: Readonly<Record<string, number>>): Promise<string> {
  const made = await world.api.create("groups", world.group, { name: world.name(), resourceLimits });
  if (!made.ok && made.failure.code === 7) throw new Skip("the token belongs to an owner, not to the platform's admin");
  return succeeded(made, "a Create of a group with resourceLimits").uid;
}

/** The limits of groups. */
export const resourceLimits = decidedSection("Resource limits of groups", [
  requirement(
    "resource-limits.keys",
    "`resourceLimits` has the keys `clusters`, `idps`, `repositories`, and those of the platform; values are not negative.",
    overBoth(async (world) => {
      const limits = { clusters: 1, idps: 2, repositories: 3 };
      const uid = await makeLimited(world, limits);
      equal(succeeded(await world.api.get("groups", uid))["resourceLimits"], limits, "resourceLimits");
      for (const [key, value] of [
        ["dragons", 1],
        ["repositories", -1],
      ] as const)
        rejected(
          await world.api.update("groups", uid, { resourceLimits: { [key]: value } }),
          { code: 3, field: `resourceLimits.${key}` },
          `an update to ${key}=${value}`,
        );
    }),
    overRest("in v1", async (world) => {
      const limits = { repositories: 7 };
      const uid = await makeLimited(world, limits);
      const { items } = succeeded(outcomeOf(await world.rest.send("GET", `/iam/v1/groups?id=${uid}`))) as {
        readonly items?: readonly unknown[];
      };
      has(items?.[0], { id: uid, resourceLimits: limits }, "the group");
      const owner = world.rest.as((await world.caller("owner", uid)).token);
      const put = async (api: typeof owner, body: object) =>
        outcomeOf(await api.send("PUT", `/iam/v1/groups/${uid}`, { body: { name: world.name(), ...body } }));
      rejected(await put(owner, { resourceLimits: { repositories: 8 } }), { code: 7 }, "an owner's replacement");
      has(succeeded(await put(owner, {})), { resourceLimits: limits }, "the group that an owner has replaced");
      has(succeeded(await put(world.rest, {})), { resourceLimits: {} }, "the group that the admin has replaced");
    }),
  ),
  requirement(
    "resource-limits.admin",
    "Only the admin can change them; an owner can send them back as they are.",
    overBoth(async (world) => {
      const limits = { repositories: 3 };
      const uid = await makeLimited(world, limits);
      const { api } = await world.caller("owner", uid);
      const raised = { resourceLimits: { repositories: 4 } };
      rejected(await api.update("groups", uid, raised), { code: 7 }, "an owner's update");
      rejected(await api.create("groups", uid, { name: "a", ...raised }), { code: 7 }, "an owner's Create");
      const same = { name: "other", resourceLimits: limits };
      has(succeeded(await api.update("groups", uid, same, ["name", "resource_limits"])), same, "the group");
      const replaced = succeeded(await api.update("groups", uid, { name: "replaced" }, ["*"]));
      has(replaced, { name: "replaced", resourceLimits: limits }, "the group that an owner has replaced");
      const own = await world.makeGroup(uid);
      const empty = await api.update("groups", own, { name: "other", resourceLimits: {} });
      has(succeeded(empty), { name: "other", resourceLimits: {} }, "a group without limits");
    }),
  ),
  requirement(
    "resource-limits.enforced",
    "A limit counts what is below the group at any depth; a Create beyond it is code 8 with a `google.rpc.QuotaFailure` that names the group and the limit, until something is deleted.",
    overBoth(async (world) => {
      const uid = await makeLimited(world, { repositories: 1 });
      const below = await world.makeGroup(uid);
      const made = await world.api.create("repos", below, { name: "a" });
      if (!made.ok && made.failure.code === 12) throw new Skip("this platform cannot create repos");
      const { uid: repo } = succeeded(made, "the first repo");
      for (const parent of [uid, below]) {
        const failure = rejected(await world.api.create("repos", parent, { name: "b" }), {
          code: 8,
          message: /repositories/,
        });
        const { violations } = (detail(failure, "QuotaFailure") ?? {}) as {
          readonly violations?: readonly object[];
        };
        has(violations?.[0], { subject: uid }, "the first violation of QuotaFailure");
      }
      const counted = succeeded(await world.api.list("repos", { uidp: { descendantsOf: uid } }));
      equal(counted.totalCount, "1", "totalCount after the refused ones");
      succeeded(await world.api.delete("repos", repo));
      succeeded(await world.api.create("repos", below, { name: "b" }), "a repo after the deletion of the other");
      succeeded(await world.api.update("groups", uid, { resourceLimits: { repositories: 100 } }));
      succeeded(await world.api.update("groups", below, { resourceLimits: { repositories: 1 } }));
      const lower = rejected(await world.api.create("repos", below, { name: "c" }), { code: 8 }, "a lower limit below");
      const { violations } = (detail(lower, "QuotaFailure") ?? {}) as { readonly violations?: readonly object[] };
      has(violations?.[0], { subject: below }, "the first violation of QuotaFailure");
      succeeded(await world.api.create("repos", uid, { name: "c" }), "a repo beside the group with the lower limit");
    }),
  ),
]);
