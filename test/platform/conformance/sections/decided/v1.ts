import { Groups } from "#src/platform/gen/muster/platform/iam/groups_pb.ts";
import { Identities } from "#src/platform/gen/muster/platform/iam/identities_pb.ts";
import { Registry } from "#src/platform/gen/muster/platform/registry/repos_pb.ts";
import type { Json, Method } from "../../client/api.ts";
import { outcomeOf } from "../../client/rest.ts";
import { equal, has, rejected, Skip, succeeded } from "../../expect.ts";
import { coveredBy, decidedSection, overBoth, overGrpc, overRest, requirement } from "../../requirement.ts";
import type { World } from "../../world.ts";
import { makeRepo } from "./repos.ts";

const listGroups: Method = { http: { verb: "GET", path: "/iam/v1/groups" }, rpc: Groups.method.list };
const lookup: Method = { http: { verb: "GET", path: "/iam/v1/identities/lookup" }, rpc: Identities.method.lookup };
const listRepos: Method = { http: { verb: "GET", path: "/registry/v1/repos" }, rpc: Registry.method.listRepos };
const collections = ["/iam/v1/groups", "/iam/v1/identities", "/iam/v1/roles", "/iam/v1/rolebindings"];

type Item = Readonly<Record<string, unknown>> & { readonly id: string };

/** The items of a list over REST. @param query as in the URL */
async function items(world: World, path: string, query: string): Promise<readonly Item[]> {
  const response = succeeded(outcomeOf(await world.rest.send("GET", `${path}?${query}`)), `GET ${path}`);
  equal(Object.keys(response), ["items"], `the fields of the response to GET ${path}`);
  return response["items"] as readonly Item[];
}

/** A group in the form of v1. */
export const v1Of = ({ uid, name, description, resourceLimits, verified }: Json) => ({
  id: uid,
  name,
  description,
  resourceLimits,
  verified,
});

/** The lists and the lookup of v1. */
export const v1 = decidedSection("v1", [
  requirement(
    "v1.lists",
    '`GET /iam/v1/{groups,identities,roles,rolebindings}` and `GET /registry/v1/repos` return `{"items":[…]}`, with `id` for `uid`.',
    overRest("the IAM service", async (world) => {
      const group = await world.makeGroup();
      const identity = await world.makeIdentity();
      const role = await world.makeRole(["CAP_REPO_LIST"]);
      const binding = await world.bind(world.group, identity, role);
      for (const [path, id] of [
        ["/iam/v1/groups", group],
        ["/iam/v1/identities", identity],
        ["/iam/v1/roles", role],
        ["/iam/v1/rolebindings", binding],
      ] as const) {
        const listed = await items(world, path, `uidp.children_of=${world.group}`);
        equal(
          listed.map((item) => item.id),
          [id],
          `the ids of ${path}`,
        );
        equal(listed.filter((item) => "uid" in item).length, 0, `the number of items of ${path} with a uid`);
      }
    }),
    overRest("the registry", async (world) => {
      const repo = { name: "shop", description: "d", bundles: ["b"], aliases: ["a"], activeTags: ["1"] };
      const made = await world.api.create("repos", world.group, { ...repo, catalogTier: "CATALOG_TIER_BASE" });
      if (!made.ok) throw new Skip("this platform cannot create repos");
      const { uid: id, createTime } = made.body;
      const listed = await items(world, "/registry/v1/repos", `uidp.children_of=${world.group}`);
      equal(listed, [{ ...repo, id, catalogTier: "BASE", createTime }], "the repos");
    }),
    overGrpc("Registry/ListRepos", async (world) => {
      const bundles = ["b"];
      const made = await world.api.create("repos", world.group, { name: "shop", description: "d", bundles });
      if (!made.ok) throw new Skip("this platform cannot create repos");
      const { uid: id, createTime } = made.body;
      const response = succeeded(await world.api.call(listRepos, { uidp: { childrenOf: world.group } }));
      const [repo, ...others] = response["items"] as readonly Item[];
      has(repo, { id, name: "shop", description: "d", bundles, createTime }, "the repo");
      equal(others, [], "other repos");
    }),
  ),
  requirement(
    "v1.unpaged",
    "A list in v1 is unpaged.",
    overBoth(async (world) => {
      const uidp = { childrenOf: await world.largeGroup() };
      const response = succeeded(await world.api.call(listGroups, { uidp }));
      equal(Object.keys(response), ["items"], "the fields of the response");
      const ids = (response["items"] as readonly Item[]).map(({ id }) => id);
      equal(ids.length, 201, "the number of items");
      equal(ids, ids.toSorted(), "the ids, which are their order");
    }),
  ),
  requirement(
    "v1.filters",
    "The filters of a list in v1 are `id`, `uidp` and `name`; roles are also found by their `parent`.",
    overBoth(async (world) => {
      const [one, other] = await world.makeGroups(2);
      const listed = async (query: Readonly<Record<string, unknown>>) =>
        (succeeded(await world.api.call(listGroups, query))["items"] as readonly Item[]).map(({ id }) => id);
      equal(await listed({ id: one?.uid }), [one?.uid], "the groups with the id");
      const uidp = { childrenOf: world.group };
      equal(await listed({ uidp, name: other?.name }), [other?.uid], "the groups with the name");
      equal((await listed({ uidp })).length, 2, "the number of children");
    }),
    overRest("a malformed id", async (world) => {
      for (const path of collections) {
        const outcome = outcomeOf(await world.rest.send("GET", `${path}?id=nonsense`));
        rejected(outcome, { code: 3, field: "id" }, `GET ${path}?id=nonsense`);
      }
    }),
    overRest("the parent of roles", async (world) => {
      const group = await world.makeGroup();
      const role = await world.makeRole(["CAP_REPO_LIST"], group);
      const listed = await items(world, "/iam/v1/roles", `parent=${group}`);
      equal(
        listed.map(({ id }) => id),
        [role],
        "the ids of the roles",
      );
    }),
  ),
  requirement(
    "v1.groups",
    "A group has `id`, `name`, `description`, `resourceLimits` and `verified`, and no timestamps.",
    overBoth(async (world) => {
      const group = await world.make("groups", world.group, { name: "a", description: "d" });
      const response = succeeded(await world.api.call(listGroups, { id: group.uid }));
      equal(response["items"], [v1Of(group)], "items");
    }),
  ),
  requirement(
    "v1.roles",
    "Roles have no timestamps.",
    overRest(async (world) => {
      const capabilities = ["CAP_REPO_LIST", "CAP_IAM_GROUPS_LIST"];
      const { uid } = await world.make("roles", world.group, { name: "a", description: "d", capabilities });
      const expected = { id: uid, name: "a", description: "d", capabilities: ["repo.list", "groups.list"] };
      equal(await items(world, "/iam/v1/roles", `id=${uid}`), [expected], "the role");
    }),
  ),
  requirement(
    "v1.identities",
    "Identities have `createdAt`, `updatedAt`, `lastSeen`, `static` (with `expiration`) for `staticKeys`; the other fields are those of v2.",
    overRest("with claimMatch", async (world) => {
      const identity = succeeded(await world.rest.get("identities", await world.makeIdentity()));
      const { uid: id, name, description, claimMatch, createTime, updateTime, lastSeenTime } = identity;
      const times = { createdAt: createTime, updatedAt: updateTime, lastSeen: lastSeenTime };
      const expected = { id, name, description, claimMatch, ...times };
      equal(await items(world, "/iam/v1/identities", `id=${id}`), [expected], "the identity");
    }),
    overRest("with staticKeys", async (world) => {
      const { uid } = await world.makeAssumable();
      const identity = succeeded(await world.rest.get("identities", uid));
      const { expirationTime, ...keys } = identity["staticKeys"] as Readonly<Record<string, unknown>>;
      const [item] = await items(world, "/iam/v1/identities", `id=${uid}`);
      equal(item?.["static"], { ...keys, expiration: expirationTime }, "static");
      equal("staticKeys" in (item ?? {}), false, "whether staticKeys is present");
    }),
    overRest("with awsIdentity", async (world) => {
      const awsIdentity = { awsAccount: "123456789012", arn: "a", userId: "u" };
      const { uid } = await world.make("identities", world.group, { name: "a", awsIdentity });
      const [item] = await items(world, "/iam/v1/identities", `id=${uid}`);
      equal(item?.["awsIdentity"], awsIdentity, "awsIdentity");
    }),
  ),
  requirement(
    "v1.role-bindings",
    "A binding in a list: `{id, identity (uid), group {…}, role {…}, claimMatchIssuer, claimMatchSubject, createdAt}`.",
    overRest(async (world) => {
      const claimMatch = { issuer: "https://issuer.example.com", subject: "a subject" };
      const identity = await world.make("identities", world.group, { name: "a", claimMatch });
      const [group] = await world.makeGroups(1);
      const roleUid = await world.builtInRole("viewer");
      const binding = await world.make("roleBindings", group?.uid ?? "", { identityUid: identity.uid, roleUid });
      const [role] = await items(world, "/iam/v1/roles", `id=${roleUid}`);
      const expected = {
        id: binding.uid,
        identity: identity.uid,
        group: v1Of(group as Json),
        role,
        claimMatchIssuer: claimMatch.issuer,
        claimMatchSubject: claimMatch.subject,
        createdAt: succeeded(await world.rest.get("roleBindings", binding.uid)).createTime,
      };
      equal(await items(world, "/iam/v1/rolebindings", `id=${binding.uid}`), [expected], "the binding");
    }),
  ),
  requirement(
    "v1.lookup",
    "`GET /iam/v1/identities/lookup?issuer=&subject=` returns the identity with this issuer and subject.",
    overBoth(async (world) => {
      const claimMatch = { issuer: "https://issuer.example.com", subject: `${world.group} in v1` };
      const { uid } = await world.make("identities", world.group, { name: "a", claimMatch });
      has(succeeded(await world.api.call(lookup, claimMatch)), { id: uid, name: "a", claimMatch }, "the identity");
      const other = { ...claimMatch, subject: `${world.group} nobody` };
      rejected(await world.api.call(lookup, other), { code: 5 }, "the lookup of a subject that no identity has");
    }),
  ),
  coveredBy(
    "v1.grpc",
    "Over gRPC: `<vendor>.platform.iam.Groups/List` and `<vendor>.platform.iam.Identities/Lookup`.",
    "v1.unpaged",
    "v1.filters",
    "v1.groups",
    "v1.lookup",
    "v1.access",
  ),
  requirement(
    "v1.access",
    "A list in v1 is restricted to what the token covers, as in v2.",
    overBoth(async (world) => {
      const [seen] = await world.makeGroups(2);
      const { api } = await world.caller("viewer", seen?.uid);
      const response = succeeded(await api.call(listGroups, {}));
      equal(
        (response["items"] as readonly Item[]).map(({ id }) => id),
        [seen?.uid],
        "the ids",
      );
      rejected(await world.as(undefined).call(listGroups, {}), { code: 16 }, "a list without a token");
    }),
    overRest("repos, whatever the filter", async (world) => {
      const [seen, hidden] = [await world.makeGroup(), await world.makeGroup()];
      const [one, other] = [await makeRepo(world, { name: "a" }, seen), await makeRepo(world, { name: "a" }, hidden)];
      const rest = world.rest.as((await world.caller("registry.pull", seen)).token);
      for (const [query, ids] of [
        ["", [one.uid]],
        ["?name=a", [one.uid]],
        [`?id=${other.uid}`, []],
      ] as const) {
        const response = succeeded(outcomeOf(await rest.send("GET", `/registry/v1/repos${query}`)));
        equal(
          (response["items"] as readonly Item[]).map(({ id }) => id),
          ids,
          `the ids with "${query}"`,
        );
      }
    }),
  ),
  requirement(
    "v1.missing",
    "A list filtered by an id that does not exist is empty.",
    overRest("every collection over REST", async (world) => {
      const missing = `${world.group}/${"0".repeat(16)}`;
      for (const path of [...collections, "/registry/v1/repos"])
        equal(await items(world, path, `id=${missing}`), [], `the items of ${path}`);
    }),
    overBoth("groups", async (world) => {
      const response = succeeded(await world.api.call(listGroups, { id: `${world.group}/${"0".repeat(16)}` }));
      equal(response["items"], [], "items");
    }),
  ),
]);
