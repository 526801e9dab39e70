import { type CollectionName, collections } from "../../client/collections.ts";
import { equal, has, holds, matches, succeeded } from "../../expect.ts";
import { contractSection, coveredBy, overBoth, overGrpc, overRest, requirement, untested } from "../../requirement.ts";
import type { World } from "../../world.ts";

const names = Object.keys(collections) as CollectionName[];

/** Creates one resource of each kind whose create request the contract describes. */
async function oneOfEach(world: World) {
  const role = await world.makeRole(["CAP_IAM_GROUPS_LIST"]);
  const identity = await world.makeIdentity();
  return [
    ["groups", await world.makeGroup()],
    ["identities", identity],
    ["roles", role],
    ["roleBindings", await world.bind(world.group, identity, role)],
  ] as const satisfies readonly (readonly [CollectionName, string])[];
}

/** Section 1. */
export const service = contractSection("1 What the service does", [
  requirement(
    "1.hierarchy",
    "Resources are organised in a hierarchy of groups. A group may hold child groups, identities, role bindings and repos.",
    overBoth(async (world) => {
      for (const [collection, uid] of await oneOfEach(world)) {
        const children = await world.list(collection, { uidp: { childrenOf: world.group } });
        equal(
          children.map((child) => child.uid),
          [uid],
          `the group's ${collection}`,
        );
      }
      equal(await world.list("repos", { uidp: { childrenOf: world.group } }), [], "the group's repos");
    }),
  ),
  coveredBy(
    "1.prefixes",
    "All v2 paths start with one of three prefixes: `/iam/v2beta1/`, `/registry/v2beta1/`, `/vulnerabilities/v2beta1/`.",
    "1.cursors",
  ),
  requirement(
    "1.cursors",
    "Cursor-based pagination on every List endpoint.",
    overBoth("every List accepts a page size and returns the total count", async ({ api, group }) => {
      for (const name of names) {
        const page = succeeded(await api.list(name, { uidp: { descendantsOf: group }, pageSize: 1 }));
        equal(page[name], [], `the list ${name} of an empty group`);
        has(page, { totalCount: "0", skipped: 0 }, `the page of ${name}`);
      }
    }),
    overBoth("a second page", async (world) => {
      await oneOfEach(world);
      await oneOfEach(world);
      for (const name of ["groups", "identities", "roles", "roleBindings"] as const) {
        const query = { uidp: { descendantsOf: world.group }, pageSize: 1 };
        const first = succeeded(await world.api.list(name, query));
        holds((first.nextPageToken ?? "") !== "", `the first of two pages of ${name}`, "a nextPageToken", first);
        const second = await world.list(name, { ...query, pageToken: first.nextPageToken ?? "" });
        equal(second.length, 1, `the number of ${name} on the second page`);
        holds(
          second[0]?.uid !== (first[name] as typeof second)[0]?.uid,
          name,
          "a different one on the second page",
          second,
        );
      }
    }),
  ),
  requirement(
    "1.times",
    "Every resource has `uid`, `createTime` and `updateTime` (role bindings carry `createTime` only).",
    overBoth(async (world) => {
      for (const [collection, uid] of await oneOfEach(world)) {
        const resource = succeeded(await world.api.get(collection, uid));
        equal(resource.uid, uid, `uid in ${collection}`);
        matches(resource.createTime, /^\d{4}-\d\d-\d\dT/, `createTime in ${collection}`);
        if (collection === "roleBindings") equal(resource.updateTime, undefined, "updateTime of a role binding");
        else matches(resource.updateTime, /^\d{4}-\d\d-\d\dT/, `updateTime in ${collection}`);
      }
    }),
  ),
  requirement(
    "1.grpc",
    "The same endpoints are also available over gRPC on the same host.",
    overGrpc("gRPC returns a group created over REST", async ({ rest, grpc, group }) => {
      const made = succeeded(await rest.create("groups", group, { name: "a", description: "d" }));
      const read = succeeded(await grpc.get("groups", made.uid));
      for (const field of ["uid", "name", "description", "verified", "resourceLimits"])
        equal(read[field], made[field], `${field} over gRPC`);
      for (const field of ["createTime", "updateTime"] as const)
        equal(Date.parse(read[field]), Date.parse(made[field]), `${field} over gRPC`);
    }),
    overGrpc("REST returns a group created over gRPC", async ({ rest, grpc, group }) => {
      const { uid } = succeeded(await grpc.create("groups", group, { name: "a" }));
      equal(succeeded(await rest.get("groups", uid)).name, "a", "name over REST");
      succeeded(await grpc.delete("groups", uid));
      equal((await rest.get("groups", uid)).ok, false, "whether REST still returns it after the Delete");
    }),
  ),
  requirement(
    "1.json",
    "The request and response bodies are JSON.",
    overRest(async ({ rest, group }) => {
      const paths = [
        ["GET", "/iam/v2beta1/groups"],
        ["POST", `/iam/v2beta1/groups/${group}`],
      ] as const;
      for (const [verb, path] of paths) {
        const { headers } = await rest.send(verb, path);
        matches(headers["content-type"], /^application\/json(;|$)/, `Content-Type of the response to ${verb} ${path}`);
      }
    }),
  ),
  requirement(
    "1.content-type",
    "Create and update requests send `Content-Type: application/json`.",
    overRest(async ({ rest, group }) => {
      for (const type of ["application/json", "application/json; charset=utf-8", "Application/JSON"]) {
        const headers = { "content-type": type };
        const body = JSON.stringify({ description: type });
        const { status } = await rest.send("PATCH", `/iam/v2beta1/groups/${group}`, { body, headers });
        equal(status, 200, `the status of a PATCH with ${type}`);
      }
    }),
  ),
  untested(
    "1.ordering",
    "Server-side ordering; skip-based random access; structured errors; partial updates; hydrated references.",
    "covered by 4.6, 7, 4.7 and 4.4",
  ),
]);
