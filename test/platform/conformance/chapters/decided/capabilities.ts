import { equal, succeeded } from "../../expect.ts";
import { type Chapter, overBoth, overRest } from "../../sentence.ts";

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

/** Those of the registry and of vulnerabilities have names without `IAM`. */
const withoutIam = new Set(["repo", "tag", "advisories"]);

/** Every capability: its name in v1 and for the token service, and in the enum. */
const capabilities = Object.entries(all).flatMap(([resource, those]) =>
  those.map((verb) => ({
    dotted: `${resource}.${verb}`,
    name: `CAP_${withoutIam.has(resource) ? "" : "IAM_"}${resource.toUpperCase()}_${verb.toUpperCase()}`,
  })),
);
const names = capabilities.map(({ name }) => name);

/** What a role can give. */
export const roleCapabilities: Chapter = {
  title: "Capabilities",
  origin: "decided",
  sentences: [
    {
      id: "capabilities.names",
      says: "`CAP_IAM_` GROUPS, ROLES, ROLE_BINDINGS, ACCOUNT_ASSOCIATIONS, IDENTITY, IDENTITY_PROVIDERS, and `CAP_` REPO, TAG, each with `_CREATE`, `_UPDATE`, `_LIST`, `_DELETE`; `CAP_IAM_GROUP_INVITES_` CREATE, LIST, DELETE; `CAP_ADVISORIES_LIST`.",
      cases: [
        overBoth("a custom role may have each", async (world) => {
          const { uid } = await world.make("roles", world.group, { name: "all", capabilities: names });
          equal(succeeded(await world.api.get("roles", uid))["capabilities"], names, "capabilities");
        }),
        overBoth("owner has all of them", async (world) => {
          const owner = succeeded(await world.api.get("roles", await world.builtInRole("owner")));
          const has = new Set(owner["capabilities"] as string[]);
          equal(
            names.filter((name) => !has.has(name)),
            [],
            "the capabilities that it lacks",
          );
        }),
      ],
    },
    {
      id: "capabilities.dotted",
      says: "v1 calls them `<resource>.<verb>`: `groups.create`, `role_bindings.list`, `identity.update`, `advisories.list`.",
      cases: [
        overRest(async (world) => {
          for (const { name, dotted } of capabilities) {
            const id = await world.makeRole([name]);
            const { text } = await world.rest.send("GET", `/iam/v1/roles?id=${id}`);
            const { items } = JSON.parse(text) as { items: { capabilities: string[] }[] };
            equal(items[0]?.capabilities, [dotted], `the name of ${name} in v1`);
          }
        }),
      ],
    },
  ],
};
