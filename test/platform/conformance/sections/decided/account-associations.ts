import { equal, has, rejected, succeeded } from "../../expect.ts";
import { decidedSection, overBoth, overRest, requirement } from "../../requirement.ts";
import type { World } from "../../world.ts";
import { rejectsMaskPaths } from "./rejected-mask-paths.ts";

const accounts = {
  amazon: { account: "123456789012" },
  google: { projectId: "a-project", projectNumber: "12345" },
  azure: { tenantId: "a tenant", clientIds: { one: "1", two: "2" } },
  github: { appInstallations: { "7": { installations: [{ installationId: "9007199254740993", name: "an org" }] } } },
};

/** Creates the association of a group, by default of the case's own. */
const make = (world: World, body: object = {}, group = world.group) =>
  world.make("accountAssociations", group, { name: world.name(), ...body });

/** Account associations: each group has at most one. */
export const accountAssociations = decidedSection("Account associations", [
  requirement(
    "associations.uid",
    "An account association's uid is its group's uid.",
    overBoth(async (world) => {
      equal((await make(world)).uid, world.group, "the uid");
      equal(succeeded(await world.api.get("groups", world.group)).uid, world.group, "the uid of the group");
    }),
  ),
  requirement(
    "associations.one",
    "A group has at most one: a second Create is code 6.",
    overBoth(async (world) => {
      const made = await make(world);
      const again = await world.api.create("accountAssociations", world.group, { name: "again" });
      rejected(again, { code: 6, reason: "ALREADY_EXISTS" }, "a second Create");
      equal(succeeded(await world.api.get("accountAssociations", world.group)), made, "the existing association");
      await make(world, {}, await world.makeGroup());
      succeeded(await world.api.delete("accountAssociations", world.group), "a Delete");
      await make(world);
    }),
  ),
  requirement(
    "associations.parent",
    "For `uidp` filters, its parent is that group.",
    overBoth(async (world) => {
      const child = await world.makeGroup();
      const made = await make(world);
      const below = await make(world, {}, child);
      const listed = (uidp: object) => world.list("accountAssociations", { uidp });
      equal(await listed({ childrenOf: world.group }), [made], "children_of the group");
      equal(await listed({ descendantsOf: world.group }), [made, below], "descendants_of the group");
      equal(await listed({ descendantsOf: child }), [below], "descendants_of the group below");
      equal(await listed({ ids: [child] }), [below], "ids");
      equal(await listed({ inRoot: true }), [], "in_root: every association has a group");
      const deep = await world.makeGroup(child);
      const deepest = await make(world, {}, deep);
      const { group } = world;
      equal(await listed({ childrenOf: child, descendantsOf: group }), [below], "both, of a group below the other");
      equal(await listed({ childrenOf: group, descendantsOf: child }), [], "both, of a group above the other");
      const { api } = await world.caller("viewer", child);
      const seen = succeeded(await api.list("accountAssociations"), "a List of a caller who sees a group below");
      has(seen, { accountAssociations: [below, deepest], totalCount: "2" }, "the associations that it can see");
      rejected(await api.get("accountAssociations", group), { code: 5 }, "a Get of the one above");
      rejected(await api.update("accountAssociations", child, { name: "b" }), { code: 7 }, "an Update by a viewer");
    }),
  ),
  requirement(
    "associations.fields",
    "Fields: name, description, amazon {account}, google {projectId, projectNumber}, azure {tenantId, clientIds (a map)}, github {appInstallations (a map of int64 to {installations: [{installationId, name}]})}, createTime, updateTime.",
    overBoth("they are stored and returned, all together", async (world) => {
      const body = { name: "accounts", description: "d", ...accounts };
      const made = await make(world, body);
      has(made, body, "the created association");
      equal(succeeded(await world.api.get("accountAssociations", made.uid)), made, "the association that Get returns");
    }),
    overRest("zero values are present, unset messages absent", async (world) => {
      const made = await make(world, { azure: { tenantId: "t" }, github: {} });
      const { uid, name, createTime, updateTime } = made;
      const present = { azure: { tenantId: "t", clientIds: {} }, github: { appInstallations: {} } };
      equal(made, { uid, name, description: "", ...present, createTime, updateTime }, "the association");
    }),
  ),
  requirement(
    "associations.name",
    "`name` is required and must match the pattern of names.",
    overBoth(async ({ api, group }) => {
      for (const body of [{}, { name: "" }, { name: "Upper" }])
        rejected(
          await api.create("accountAssociations", group, body),
          { code: 3, field: "name" },
          `a Create of ${JSON.stringify(body)}`,
        );
    }),
  ),
  requirement(
    "associations.accounts",
    "The required fields of each account are checked, on create and on update.",
    overBoth(async (world) => {
      await make(world);
      const other = await world.makeGroup();
      for (const [field, body] of [
        ["amazon.account", { amazon: { account: "12345678901" } }],
        ["google.projectId", { google: { projectNumber: "1" } }],
        ["google.projectNumber", { google: { projectId: "p", projectNumber: "one" } }],
        ["azure.tenantId", { azure: { clientIds: { a: "b" } } }],
      ] as const) {
        const error = { code: 3, field };
        rejected(await world.api.create("accountAssociations", other, { name: "a", ...body }), error, "a Create");
        rejected(await world.api.update("accountAssociations", world.group, body), error, "an Update");
      }
    }),
    overRest("values and keys of another type", async ({ rest, group }) => {
      for (const [field, body] of [
        ["amazon.account", { amazon: { account: 1 } }],
        ["github.appInstallations.x", { github: { appInstallations: { x: {} } } }],
      ] as const)
        rejected(
          await rest.create("accountAssociations", group, { name: "a", ...body }),
          { code: 3, field },
          "a Create",
        );
    }),
  ),
  requirement(
    "associations.update",
    "An update changes the fields that the mask lists, or without a mask those present, also in nested messages; maps are replaced as a whole.",
    overBoth("a nested field", async (world) => {
      const { uid } = await make(world, accounts);
      const body = { name: "ignored", google: { projectNumber: "678" } };
      const updated = succeeded(await world.api.update("accountAssociations", uid, body, ["google.project_number"]));
      has(updated, { ...accounts, google: { projectId: "a-project", projectNumber: "678" } }, "the association");
    }),
    overBoth("a map", async (world) => {
      const { uid } = await make(world, accounts);
      const body = { azure: { clientIds: { three: "3" } } };
      const updated = succeeded(await world.api.update("accountAssociations", uid, body));
      equal(updated["azure"], { tenantId: "a tenant", clientIds: { three: "3" } }, "azure");
    }),
    overBoth("a map of lists", async (world) => {
      const { uid } = await make(world, accounts);
      const github = { appInstallations: { "8": { installations: [] } } };
      const updated = succeeded(await world.api.update("accountAssociations", uid, { github }));
      equal(updated["github"], github, "github");
    }),
    overBoth("a path into a map", async (world) => {
      const { uid } = await make(world, accounts);
      await rejectsMaskPaths(world, "accountAssociations", uid, ["azure.client_ids.one", "github.app_installations.7"]);
    }),
    overBoth("a listed message that the body omits", async (world) => {
      const { uid } = await make(world, accounts);
      const updated = succeeded(await world.api.update("accountAssociations", uid, {}, ["amazon"]));
      equal("amazon" in updated, false, "whether amazon is present");
      has(updated, { google: accounts.google, azure: accounts.azure }, "the association");
    }),
    overRest("a message that is null in the body", async (world) => {
      const { uid } = await make(world, accounts);
      const updated = succeeded(await world.rest.update("accountAssociations", uid, { amazon: null }));
      equal("amazon" in updated, false, "whether amazon is present");
      has(updated, { google: accounts.google, github: accounts.github }, "the association");
    }),
    overBoth("full replacement", async (world) => {
      const made = await make(world, { description: "d", ...accounts });
      const body = { name: "other", amazon: { account: "210987654321" } };
      const replaced = succeeded(await world.api.update("accountAssociations", made.uid, body, ["*"]));
      const { uid, createTime } = made;
      const { updateTime } = replaced;
      equal(replaced, { uid, ...body, description: "", createTime, updateTime }, "the association");
    }),
    overBoth("read-only fields", async (world) => {
      const { uid } = await make(world);
      await rejectsMaskPaths(world, "accountAssociations", uid, ["uid", "create_time", "update_time"]);
    }),
  ),
  requirement(
    "associations.filter",
    "Filter of a List: `name`.",
    overBoth(async (world) => {
      const [one, two] = [await world.makeGroup(), await world.makeGroup()];
      const wanted = await make(world, { name: "wanted" }, one);
      await make(world, { name: "wanted-not" }, two);
      const query = { uidp: { descendantsOf: world.group }, name: "wanted" };
      equal(await world.list("accountAssociations", query), [wanted], "the associations with the name");
    }),
  ),
  requirement(
    "associations.order",
    "Default order: by the uid of their group.",
    overBoth(async (world) => {
      const groups = (await world.makeGroups(5)).map(({ uid }) => uid);
      for (const group of groups.toReversed()) await make(world, {}, group);
      const listed = await world.list("accountAssociations", { uidp: { descendantsOf: world.group } });
      equal(
        listed.map(({ uid }) => uid),
        groups.toSorted(),
        "the uids",
      );
    }),
  ),
  requirement(
    "associations.missing",
    "Get and Update are code 5 if the group has no association; deleting an absent association succeeds with `account_associations.delete` on its group.",
    overBoth(async (world) => {
      const error = { code: 5, reason: "NOT_FOUND" };
      rejected(await world.api.get("accountAssociations", world.group), error, "a Get without an association");
      rejected(
        await world.api.update("accountAssociations", world.group, {}),
        error,
        "an Update without an association",
      );
      await make(world);
      succeeded(await world.api.delete("accountAssociations", world.group), "the first Delete");
      succeeded(await world.api.delete("accountAssociations", world.group), "the second Delete");
      succeeded(await world.api.get("groups", world.group), "reading the group afterwards");
    }),
    overBoth("without the capability, the error does not show whether the group has one", async (world) => {
      const { api } = await world.caller("viewer");
      const absent = rejected(await api.delete("accountAssociations", world.group), { code: 7 }, "an absent one");
      await make(world);
      const existing = rejected(await api.delete("accountAssociations", world.group), { code: 7 }, "an existing one");
      equal(existing, absent, "the error for an association that exists");
    }),
    overBoth("a Delete does not change what is counted in the group", async (world) => {
      await world.makeGroup();
      await make(world);
      succeeded(await world.api.delete("accountAssociations", world.group));
      const page = succeeded(await world.api.list("groups", { uidp: { childrenOf: world.group } }));
      equal(page.totalCount, "1", "the number of groups");
    }),
  ),
]);
