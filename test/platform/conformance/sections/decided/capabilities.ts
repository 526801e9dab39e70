import { equal, holds, succeeded } from "../../expect.ts";
import { decidedSection, overBoth, overRest, requirement } from "../../requirement.ts";

const verbs = ["create", "update", "list", "delete"] as const;
const all = {
  groups: verbs,
  group_invites: ["create", "list", "delete"],
  roles: verbs,
  role_bindings: verbs,
  account_associations: verbs,
  identity: verbs,
  identity_providers: verbs,
  repo: verbs,
  tag: verbs,
  advisories: ["list"],
} as const;

/** The resources outside of IAM, whose capabilities have no `IAM` in their names. */
const withoutIam = new Set(["repo", "tag", "advisories"]);

/** Every capability: its dotted name, which v1 and the token service use, and its name in the enum. */
const capabilities = Object.entries(all).flatMap(([resource, ofResource]) =>
  ofResource.map((verb) => ({
    dotted: `${resource}.${verb}`,
    name: `CAP_${withoutIam.has(resource) ? "" : "IAM_"}${resource.toUpperCase()}_${verb.toUpperCase()}`,
  })),
);
const names = capabilities.map(({ name }) => name);

/** The capabilities that a role can have. */
export const roleCapabilities = decidedSection("Capabilities", [
  requirement(
    "capabilities.names",
    "`CAP_IAM_` GROUPS, ROLES, ROLE_BINDINGS, ACCOUNT_ASSOCIATIONS, IDENTITY, IDENTITY_PROVIDERS, and `CAP_` REPO, TAG, each with `_CREATE`, `_UPDATE`, `_LIST`, `_DELETE`; `CAP_IAM_GROUP_INVITES_` CREATE, LIST, DELETE; `CAP_ADVISORIES_LIST`.",
    overBoth("a custom role can have each of them", async (world) => {
      const { uid } = await world.make("roles", world.group, { name: "all", capabilities: names });
      equal(succeeded(await world.api.get("roles", uid))["capabilities"], names, "capabilities");
    }),
    overBoth("the role owner has all of them", async (world) => {
      const owner = succeeded(await world.api.get("roles", await world.builtInRole("owner")));
      const has = new Set(owner["capabilities"] as string[]);
      equal(
        names.filter((name) => !has.has(name)),
        [],
        "the missing capabilities",
      );
    }),
  ),
  requirement(
    "capabilities.unknown",
    "Capabilities of the family that the platform does not know are kept and returned, grant nothing, and only the admin can write them (a setting; otherwise code 3).",
    overBoth(async (world) => {
      const role = { name: "a", capabilities: ["CAP_REPO_LIST", 1_701] };
      const owner = await world.caller("owner");
      const refused = await owner.api.create("roles", world.group, role);
      holds(!refused.ok && [3, 7].includes(refused.failure.code), "a Create by an owner", "code 3 or 7", refused);
      const made = await world.api.create("roles", world.group, role);
      if (made.ok) equal(made.body["capabilities"], role.capabilities, "capabilities");
      else holds([3, 7].includes(made.failure.code), "a Create by the admin", "success, or code 3", made.failure);
    }),
  ),
  requirement(
    "capabilities.dotted",
    "In v1, their names are `<resource>.<verb>`: `groups.create`, `role_bindings.list`, `identity.update`, `advisories.list`.",
    overRest(async (world) => {
      for (const { name, dotted } of capabilities) {
        const id = await world.makeRole([name]);
        const { text } = await world.rest.send("GET", `/iam/v1/roles?id=${id}`);
        const { items } = JSON.parse(text) as { items: { capabilities: string[] }[] };
        equal(items[0]?.capabilities, [dotted], `the name of ${name} in v1`);
      }
    }),
  ),
]);
