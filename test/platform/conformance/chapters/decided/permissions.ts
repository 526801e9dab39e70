import type { Api, Json, Outcome } from "../../client/api.ts";
import type { CollectionName } from "../../client/collections.ts";
import { equal, has, refused, rowsOf, Skip, succeeded } from "../../expect.ts";
import { type Case, type Chapter, overBoth } from "../../sentence.ts";
import type { World } from "../../world.ts";

type Verb = "CREATE" | "UPDATE" | "DELETE";

/** A resource, and what a caller does with one to see whether it may. */
interface Subject {
  readonly collection: CollectionName;
  /** What its capabilities' names start with. */
  readonly capability: string;
  /** Capabilities that a verb needs besides its own, as it gives something away. */
  readonly besides?: Partial<Readonly<Record<Verb, readonly string[]>>>;
  /** Where one is made, where that is not the case's own group. */
  readonly parent?: (world: World) => Promise<string>;
  readonly body: (world: World) => object | Promise<object>;
  /** What an Update changes; undefined where there is no Update, or none that a capability is named for. */
  readonly change: object | undefined;
}

const list = "CAP_IAM_GROUPS_LIST";
const oidc = { issuer: "https://login.example.com", clientId: "c", pkceEnabled: true };
const gives = [list, "CAP_IAM_ROLE_BINDINGS_CREATE"];

/** A repo to put tags into. @throws Skip where there is no method for it */
async function makeRepo(world: World): Promise<string> {
  return made(await world.api.create("repos", world.group, { name: world.name() })).uid;
}

/** What was made. @throws Skip where the platform has no method for it */
function made(outcome: Outcome): Json {
  if (!outcome.ok && outcome.failure.code === 12) throw new Skip("this platform lets nobody make one");
  return succeeded(outcome, "making one as the admin");
}

const subjects = {
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
    besides: { CREATE: [list] },
    body: (world) => ({ name: world.name(), capabilities: [list] }),
    change: { description: "changed" },
  },
  role_bindings: {
    collection: "roleBindings",
    capability: "CAP_IAM_ROLE_BINDINGS",
    besides: { CREATE: [list], UPDATE: ["CAP_REPO_LIST", "CAP_TAG_LIST", list] },
    body: async (world) => ({ identityUid: await world.makeIdentity(), roleUid: await world.makeRole([list]) }),
    change: { roleName: "registry.pull" },
  },
  identity_providers: {
    collection: "identityProviders",
    capability: "CAP_IAM_IDENTITY_PROVIDERS",
    besides: { CREATE: gives, UPDATE: gives },
    body: async (world) => ({ name: world.name(), defaultRole: await world.makeRole([list]), oidc }),
    change: { description: "changed" },
  },
  account_associations: {
    collection: "accountAssociations",
    capability: "CAP_IAM_ACCOUNT_ASSOCIATIONS",
    // There is one a group.
    parent: (world) => world.makeGroup(),
    body: (world) => ({ name: world.name(), amazon: { account: "123456789012" } }),
    change: { description: "changed" },
  },
  group_invites: {
    collection: "groupInvites",
    capability: "CAP_IAM_GROUP_INVITES",
    besides: { CREATE: gives },
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
    parent: makeRepo,
    body: (world) => ({ name: world.name(), digest: `sha256:${"0".repeat(64)}` }),
    change: undefined,
  },
} as const satisfies Readonly<Record<string, Subject>>;

/** Every capability that there is. */
async function everything(world: World): Promise<readonly string[]> {
  const owner = succeeded(await world.api.get("roles", await world.builtInRole("owner")), "the role owner");
  return owner["capabilities"] as readonly string[];
}

/** A caller with these capabilities in the case's own group. */
const callerWith = async (world: World, capabilities: readonly string[]): Promise<Api> =>
  (await world.caller(await world.makeRole(capabilities))).api;

/** A verb is refused to who has everything else, and open to who has nothing else. */
async function needs(
  world: World,
  { capability, besides = {} }: Subject,
  verb: Verb,
  act: (api: Api) => Promise<Outcome<unknown>>,
): Promise<void> {
  const needed = `${capability}_${verb}`;
  const others = (await everything(world)).filter((one) => one !== needed);
  const without = await act(await callerWith(world, others));
  refused(without, { code: 7, reason: "PERMISSION_DENIED" }, `${verb} with everything but ${needed}`);
  const alone = await act(await callerWith(world, [needed, ...(besides[verb] ?? [])]));
  succeeded(alone, `${verb} with ${[needed, ...(besides[verb] ?? [])].join(", ")} alone`);
}

function casesOf(subject: Subject): [Case, ...Case[]] {
  const { collection, capability, change } = subject;
  const parentOf = async (world: World) => (await subject.parent?.(world)) ?? world.group;
  const make = async (world: World, parent: string) =>
    made(await world.api.create(collection, parent, await subject.body(world))).uid;
  const cases: [Case, ...Case[]] = [
    overBoth("Create", async (world) => {
      const parent = await parentOf(world);
      const body = await subject.body(world);
      await needs(world, subject, "CREATE", (api) => api.create(collection, parent, body));
    }),
    overBoth("Get and List", async (world) => {
      const parent = await parentOf(world);
      const uid = await make(world, parent);
      const needed = `${capability}_LIST`;
      const others = (await everything(world)).filter((one) => one !== needed);
      const without = await callerWith(world, others);
      refused(await without.get(collection, uid), { code: 7 }, `a Get with everything but ${needed}`);
      const filter = { uidp: { ids: [uid] } };
      const page = succeeded(await without.list(collection, filter), "a List, without an error");
      has(page, { [collection]: [], totalCount: "0" }, `a List with everything but ${needed}`);
      const alone = await callerWith(world, [needed]);
      equal(succeeded(await alone.get(collection, uid), `a Get with ${needed} alone`).uid, uid, "uid");
      const seen = rowsOf(await alone.list(collection, filter), collection).map((row) => row.uid);
      equal(seen, [uid], `a List with ${needed} alone`);
    }),
    overBoth("Delete", async (world) => {
      const uid = await make(world, await parentOf(world));
      await needs(world, subject, "DELETE", (api) => api.delete(collection, uid));
    }),
  ];
  if (change !== undefined)
    cases.push(
      overBoth("Update", async (world) => {
        const uid = await make(world, await parentOf(world));
        const body = "roleName" in change ? { roleUid: await world.builtInRole(String(change.roleName)) } : change;
        await needs(world, subject, "UPDATE", (api) => api.update(collection, uid, body));
      }),
    );
  return cases;
}

const sentenceOf = (id: keyof typeof subjects, says: string) => ({
  id: `permissions.${id.replaceAll("_", "-")}`,
  says,
  cases: casesOf(subjects[id]),
});

/** Which capability each method needs. */
export const permissions: Chapter = {
  title: "What each method needs",
  origin: "decided",
  sentences: [
    sentenceOf("groups", "Groups need `groups.` `create` in the parent, `list`, `update`, `delete`."),
    sentenceOf("identity", "Identities need `identity.` `create` in the group, `list`, `update`, `delete`."),
    sentenceOf("roles", "Roles need `roles.` `create` in the group, `list`, `update`, `delete`."),
    sentenceOf("role_bindings", "Bindings need `role_bindings.` `create` in the group, `list`, `update`, `delete`."),
    sentenceOf(
      "identity_providers",
      "Identity providers need `identity_providers.` `create` in the group, `list`, `update`, `delete`.",
    ),
    sentenceOf(
      "account_associations",
      "Account associations need `account_associations.` `create` in the group, `list`, `update`, `delete`.",
    ),
    sentenceOf("group_invites", "Invites need `group_invites.` `create` in the group, `list`, `delete`."),
    sentenceOf("repo", "Repos need `repo.` `create` in the group, `list`, `update`, `delete`."),
    sentenceOf("tag", "Tags need `tag.` `create` in the repo, `list`, `delete`."),
    {
      id: "permissions.tag-update",
      says: "Create of a tag that is there updates it, and needs `tag.update`.",
      cases: [
        overBoth(async (world) => {
          const repo = await makeRepo(world);
          const tag = { name: "latest", digest: `sha256:${"0".repeat(64)}` };
          made(await world.api.create("tags", repo, tag));
          const again = { ...tag, digest: `sha256:${"1".repeat(64)}` };
          await needs(world, subjects.tag, "UPDATE", (api) => api.create("tags", repo, again));
        }),
      ],
    },
    {
      id: "permissions.advisories",
      says: "Advisories need `advisories.list`.",
      untried: "no method makes one in the suite's own group; our own platform's tests load some",
    },
  ],
};
