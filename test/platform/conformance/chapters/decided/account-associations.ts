import { equal, has, refused, succeeded } from "../../expect.ts";
import { type Chapter, overBoth, overRest } from "../../sentence.ts";
import type { World } from "../../world.ts";

const accounts = {
  amazon: { account: "123456789012" },
  google: { projectId: "a-project", projectNumber: "12345" },
  azure: { tenantId: "a tenant", clientIds: { one: "1", two: "2" } },
  github: { appInstallations: { "7": { installations: [{ installationId: "9007199254740993", name: "an org" }] } } },
};

/** The association of a group, by default of the case's own. */
const make = (world: World, body: object = {}, group = world.group) =>
  world.make("accountAssociations", group, { name: world.name(), ...body });

/** Account associations, of which a group has one. */
export const accountAssociations: Chapter = {
  title: "Account associations",
  origin: "decided",
  sentences: [
    {
      id: "associations.uid",
      says: "An account association's uid is its group's uid.",
      cases: [
        overBoth(async (world) => {
          equal((await make(world)).uid, world.group, "the uid");
          equal(succeeded(await world.api.get("groups", world.group)).uid, world.group, "the uid of the group");
        }),
      ],
    },
    {
      id: "associations.one",
      says: "There is one per group: a second Create is code 6.",
      cases: [
        overBoth(async (world) => {
          const made = await make(world);
          const again = await world.api.create("accountAssociations", world.group, { name: "again" });
          refused(again, { code: 6, reason: "ALREADY_EXISTS" }, "a second Create");
          equal(succeeded(await world.api.get("accountAssociations", world.group)), made, "the one that is there");
          await make(world, {}, await world.makeGroup());
        }),
      ],
    },
    {
      id: "associations.parent",
      says: "For `uidp` filters, its parent is that group.",
      cases: [
        overBoth(async (world) => {
          const child = await world.makeGroup();
          const made = await make(world);
          const below = await make(world, {}, child);
          const listed = (uidp: object) => world.rows("accountAssociations", { uidp });
          equal(await listed({ childrenOf: world.group }), [made], "children_of the group");
          equal(await listed({ descendantsOf: world.group }), [made, below], "descendants_of the group");
          equal(await listed({ descendantsOf: child }), [below], "descendants_of the group below");
          equal(await listed({ ids: [child] }), [below], "ids");
        }),
      ],
    },
    {
      id: "associations.fields",
      says: "Fields: name, description, amazon {account}, google {projectId, projectNumber}, azure {tenantId, clientIds (a map)}, github {appInstallations (a map of int64 to {installations: [{installationId, name}]})}, createTime, updateTime.",
      cases: [
        overBoth("they are kept, all at once", async (world) => {
          const body = { name: "accounts", description: "d", ...accounts };
          const made = await make(world, body);
          has(made, body, "the association that was made");
          equal(succeeded(await world.api.get("accountAssociations", made.uid)), made, "the association as it is read");
        }),
        overRest("zero values are written out, unset messages left out", async (world) => {
          const made = await make(world, { google: {} });
          const { uid, name, createTime, updateTime } = made;
          const google = { projectId: "", projectNumber: "" };
          equal(made, { uid, name, description: "", google, createTime, updateTime }, "the association");
        }),
      ],
    },
    {
      id: "associations.name",
      says: "`name` is required, and matches the pattern of names.",
      cases: [
        overBoth(async ({ api, group }) => {
          for (const body of [{}, { name: "" }, { name: "Upper" }])
            refused(
              await api.create("accountAssociations", group, body),
              { code: 3, field: "name" },
              `making one from ${JSON.stringify(body)}`,
            );
        }),
      ],
    },
    {
      id: "associations.update",
      says: "An update changes the fields that the mask lists, or that are present, nested ones too; maps are replaced whole.",
      cases: [
        overBoth("a nested field", async (world) => {
          const { uid } = await make(world, accounts);
          const body = { name: "ignored", google: { projectNumber: "678" } };
          const updated = succeeded(
            await world.api.update("accountAssociations", uid, body, ["google.project_number"]),
          );
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
          for (const path of ["azure.client_ids.one", "github.app_installations.7"])
            refused(
              await world.api.update("accountAssociations", uid, {}, [path]),
              { code: 3, field: "update_mask" },
              `an update of ${path}`,
            );
        }),
        overBoth("a message that the body lacks", async (world) => {
          const { uid } = await make(world, accounts);
          const updated = succeeded(await world.api.update("accountAssociations", uid, {}, ["amazon"]));
          equal("amazon" in updated, false, "whether amazon is there");
          has(updated, { google: accounts.google, azure: accounts.azure }, "the association");
        }),
        overBoth("the whole", async (world) => {
          const made = await make(world, { description: "d", ...accounts });
          const body = { name: "other", amazon: { account: "210987654321" } };
          const replaced = succeeded(await world.api.update("accountAssociations", made.uid, body, ["*"]));
          const { uid, createTime } = made;
          const { updateTime } = replaced;
          equal(replaced, { uid, ...body, description: "", createTime, updateTime }, "the association");
        }),
        overBoth("what the platform sets", async (world) => {
          const { uid } = await make(world);
          for (const path of ["uid", "create_time", "update_time"])
            refused(
              await world.api.update("accountAssociations", uid, {}, [path]),
              { code: 3, field: "update_mask" },
              `an update of ${path}`,
            );
        }),
      ],
    },
    {
      id: "associations.filter",
      says: "Filter of a List: `name`.",
      cases: [
        overBoth(async (world) => {
          const [one, two] = [await world.makeGroup(), await world.makeGroup()];
          const wanted = await make(world, { name: "wanted" }, one);
          await make(world, { name: "wanted-not" }, two);
          const query = { uidp: { descendantsOf: world.group }, name: "wanted" };
          equal(await world.rows("accountAssociations", query), [wanted], "those of a name");
        }),
      ],
    },
    {
      id: "associations.order",
      says: "Default order: by their group.",
      cases: [
        overBoth(async (world) => {
          const groups = (await world.makeGroups(5)).map(({ uid }) => uid);
          for (const group of groups.toReversed()) await make(world, {}, group);
          const listed = await world.rows("accountAssociations", { uidp: { descendantsOf: world.group } });
          equal(
            listed.map(({ uid }) => uid),
            groups.toSorted(),
            "the uids",
          );
        }),
      ],
    },
    {
      id: "associations.missing",
      says: "A group without one is code 5, and so is a second DELETE.",
      cases: [
        overBoth(async (world) => {
          const refusal = { code: 5, reason: "NOT_FOUND" };
          refused(await world.api.get("accountAssociations", world.group), refusal, "reading where there is none");
          refused(await world.api.update("accountAssociations", world.group, {}), refusal, "an update of none");
          await make(world);
          succeeded(await world.api.delete("accountAssociations", world.group), "the first time");
          refused(await world.api.delete("accountAssociations", world.group), refusal, "the second time");
          succeeded(await world.api.get("groups", world.group), "reading the group, which stays");
        }),
      ],
    },
  ],
};
