import type { Api, Json, Outcome } from "../../client/api.ts";
import type { CollectionName } from "../../client/collections.ts";
import { equal, has, matches, rejected, resourcesOf, Skip, succeeded } from "../../expect.ts";
import { type Case, decidedSection, overBoth, requirement, untested } from "../../requirement.ts";
import type { World } from "../../world.ts";
import { makeRepo } from "./repos.ts";

type Verb = "CREATE" | "UPDATE" | "DELETE";

/** A resource type, and how the cases call its methods. */
interface ResourceType {
  readonly collection: CollectionName;
  /** The prefix of its capabilities' names. */
  readonly capability: string;
  /** The further capabilities that a verb needs because it grants access. */
  readonly further?: Partial<Readonly<Record<Verb, readonly string[]>>>;
  /** Creates the parent; by default it is the case's group. */
  readonly parent?: (world: World) => Promise<string>;
  readonly body: (world: World) => object | Promise<object>;
  /** The body of an Update; undefined if there is no Update, or no capability of that name. */
  readonly change: object | undefined;
}

const list = "CAP_IAM_GROUPS_LIST";
const oidc = { issuer: "https://login.example.com", clientId: "c", pkceEnabled: true };
const granting = [list, "CAP_IAM_ROLE_BINDINGS_CREATE"];

/** The created resource. @throws {Skip} if the platform has no method for it */
function made(outcome: Outcome): Json {
  if (!outcome.ok && outcome.failure.code === 12) throw new Skip("this platform does not have the method");
  return succeeded(outcome, "a Create by the admin");
}

const resourceTypes = {
  groups: {
    collection: "groups",
    capability: "CAP_IAM_GROUPS",
    body: (world) => ({ name: world.name() }),
    change: { description: "changed" },
  },
  identity: {
    collection: "identities",
    capability: "CAP_IAM_IDENTITY",
    body: (world) => ({ name: world.name(), claimMatch: { issuer: world.issuer.issuer, subject: world.name() } }),
    change: { description: "changed" },
  },
  roles: {
    collection: "roles",
    capability: "CAP_IAM_ROLES",
    further: { CREATE: [list] },
    body: (world) => ({ name: world.name(), capabilities: [list] }),
    change: { description: "changed" },
  },
  role_bindings: {
    collection: "roleBindings",
    capability: "CAP_IAM_ROLE_BINDINGS",
    further: { CREATE: [list], UPDATE: ["CAP_REPO_LIST", "CAP_TAG_LIST", list] },
    body: async (world) => ({ identityUid: await world.makeIdentity(), roleUid: await world.makeRole([list]) }),
    change: { roleName: "registry.pull" },
  },
  identity_providers: {
    collection: "identityProviders",
    capability: "CAP_IAM_IDENTITY_PROVIDERS",
    further: { CREATE: granting, UPDATE: granting },
    body: async (world) => ({ name: world.name(), defaultRole: await world.makeRole([list]), oidc }),
    change: { description: "changed" },
  },
  account_associations: {
    collection: "accountAssociations",
    capability: "CAP_IAM_ACCOUNT_ASSOCIATIONS",
    // A group can have only one.
    parent: (world) => world.makeGroup(),
    body: (world) => ({ name: world.name(), amazon: { account: "123456789012" } }),
    change: { description: "changed" },
  },
  group_invites: {
    collection: "groupInvites",
    capability: "CAP_IAM_GROUP_INVITES",
    further: { CREATE: granting },
    body: async (world) => ({ roleUid: await world.makeRole([list]), ttl: "600s" }),
    change: undefined,
  },
  repo: {
    collection: "repos",
    capability: "CAP_REPO",
    body: (world) => ({ name: world.name() }),
    change: { description: "changed" },
  },
  tag: {
    collection: "tags",
    capability: "CAP_TAG",
    parent: async (world) => (await makeRepo(world)).uid,
    body: (world) => ({ name: world.name(), digest: `sha256:${"0".repeat(64)}` }),
    change: undefined,
  },
} as const satisfies Readonly<Record<string, ResourceType>>;

/** All capabilities: those of the role owner. */
async function allCapabilities(world: World): Promise<readonly string[]> {
  const owner = succeeded(await world.api.get("roles", await world.builtInRole("owner")), "the role owner");
  return owner["capabilities"] as readonly string[];
}

/** A caller with these capabilities in the case's group. */
const callerWith = async (world: World, capabilities: readonly string[]): Promise<Api> =>
  (await world.caller(await world.makeRole(capabilities))).api;

/** Checks that a call fails with all other capabilities, and succeeds with only the needed ones. */
async function needs(
  world: World,
  { capability, further = {} }: ResourceType,
  verb: Verb,
  call: (api: Api) => Promise<Outcome<unknown>>,
): Promise<void> {
  const needed = `${capability}_${verb}`;
  const others = (await allCapabilities(world)).filter((other) => other !== needed);
  const without = await call(await callerWith(world, others));
  rejected(without, { code: 7, reason: "PERMISSION_DENIED" }, `${verb} with every capability except ${needed}`);
  const alone = await call(await callerWith(world, [needed, ...(further[verb] ?? [])]));
  succeeded(alone, `${verb} with only ${[needed, ...(further[verb] ?? [])].join(", ")}`);
}

function casesOf(resourceType: ResourceType): [Case, ...Case[]] {
  const { collection, capability, change } = resourceType;
  const parentOf = async (world: World) => (await resourceType.parent?.(world)) ?? world.group;
  const make = async (world: World, parent: string) =>
    made(await world.api.create(collection, parent, await resourceType.body(world))).uid;
  const cases: [Case, ...Case[]] = [
    overBoth("Create", async (world) => {
      const parent = await parentOf(world);
      const body = await resourceType.body(world);
      await needs(world, resourceType, "CREATE", (api) => api.create(collection, parent, body));
    }),
    overBoth("Get and List", async (world) => {
      const parent = await parentOf(world);
      const uid = await make(world, parent);
      const needed = `${capability}_LIST`;
      const others = (await allCapabilities(world)).filter((other) => other !== needed);
      const without = await callerWith(world, others);
      rejected(await without.get(collection, uid), { code: 7 }, `a Get with every capability except ${needed}`);
      const filter = { uidp: { ids: [uid] } };
      const page = succeeded(await without.list(collection, filter), `a List with every capability except ${needed}`);
      has(page, { [collection]: [], totalCount: "0" }, `the List with every capability except ${needed}`);
      const alone = await callerWith(world, [needed]);
      equal(succeeded(await alone.get(collection, uid), `a Get with only ${needed}`).uid, uid, "uid");
      const seen = resourcesOf(await alone.list(collection, filter), collection).map((row) => row.uid);
      equal(seen, [uid], `a List with only ${needed}`);
    }),
    overBoth("Delete", async (world) => {
      const uid = await make(world, await parentOf(world));
      await needs(world, resourceType, "DELETE", (api) => api.delete(collection, uid));
    }),
  ];
  if (change !== undefined)
    cases.push(
      overBoth("Update", async (world) => {
        const uid = await make(world, await parentOf(world));
        const body = "roleName" in change ? { roleUid: await world.builtInRole(String(change.roleName)) } : change;
        await needs(world, resourceType, "UPDATE", (api) => api.update(collection, uid, body));
      }),
    );
  return cases;
}

const requirementOf = (id: keyof typeof resourceTypes, text: string) =>
  requirement(`permissions.${id.replaceAll("_", "-")}`, text, ...casesOf(resourceTypes[id]));

/** The capability that each method needs. */
export const permissions = decidedSection("The capability that each method needs", [
  requirementOf("groups", "Groups need `groups.` `create` in the parent, `list`, `update`, `delete`."),
  requirementOf("identity", "Identities need `identity.` `create` in the group, `list`, `update`, `delete`."),
  requirementOf("roles", "Roles need `roles.` `create` in the group, `list`, `update`, `delete`."),
  requirementOf("role_bindings", "Bindings need `role_bindings.` `create` in the group, `list`, `update`, `delete`."),
  requirementOf(
    "identity_providers",
    "Identity providers need `identity_providers.` `create` in the group, `list`, `update`, `delete`.",
  ),
  requirementOf(
    "account_associations",
    "Account associations need `account_associations.` `create` in the group, `list`, `update`, `delete`.",
  ),
  requirementOf("group_invites", "Invites need `group_invites.` `create` in the group, `list`, `delete`."),
  requirementOf("repo", "Repos need `repo.` `create` in the group, `list`, `update`, `delete`."),
  requirementOf("tag", "Tags need `tag.` `create` in the repo, `list`, `delete`."),
  requirement(
    "permissions.tag-update",
    "Create of an existing tag updates it and needs `tag.update`.",
    overBoth(async (world) => {
      const { uid: repo } = await makeRepo(world);
      const tag = { name: "latest", digest: `sha256:${"0".repeat(64)}` };
      made(await world.api.create("tags", repo, tag));
      const again = { ...tag, digest: `sha256:${"1".repeat(64)}` };
      await needs(world, resourceTypes.tag, "UPDATE", (api) => api.create("tags", repo, again));
    }),
    overBoth("the error does not show whether the tag exists", async (world) => {
      const { uid: repo } = await makeRepo(world);
      const digest = `sha256:${"0".repeat(64)}`;
      made(await world.api.create("tags", repo, { name: "exists", digest }));
      const api = await callerWith(world, ["CAP_REPO_LIST"]);
      const [existing, absent] = [
        rejected(await api.create("tags", repo, { name: "exists", digest }), { code: 7 }, "an existing tag"),
        rejected(await api.create("tags", repo, { name: "absent", digest }), { code: 7 }, "an absent tag"),
      ];
      equal(existing, absent, "the error for a tag that exists");
      matches(existing.message, /tag\.create/, "the message");
    }),
  ),
  untested(
    "permissions.advisories",
    "Advisories need `advisories.list`.",
    "the API has no method that creates one; covered by the tests of this project's platform",
  ),
]);
