import type { Failure } from "../../client/api.ts";
import { detail, equal, has, holds, matches, rejected, Skip } from "../../expect.ts";
import { decidedSection, overBoth, overRest, requirement } from "../../requirement.ts";

/** Error messages and statuses, and the errors for missing, hidden and forbidden resources. */
export const errors = decidedSection("Errors", [
  requirement(
    "errors.exact-texts",
    '`Invalid argument: name: name must match "^[a-z0-9 ._-]{1,}$"`; `Precondition failed: cannot delete group with child repos`.',
    overBoth("an invalid name", async ({ api, group }) => {
      const message = 'Invalid argument: name: name must match "^[a-z0-9 ._-]{1,}$"';
      rejected(await api.create("groups", group, {}), { code: 3, message }, "a Create without a name");
      rejected(await api.create("groups", group, { name: "a\n" }), { code: 3, message }, "a name with a line break");
    }),
    overBoth("a group with a repo", async (world) => {
      const group = await world.makeGroup();
      if (!(await world.api.create("repos", group, { name: "repo" })).ok)
        throw new Skip("this platform cannot create repos");
      const message = "Precondition failed: cannot delete group with child repos";
      rejected(await world.api.delete("groups", group), { code: 9, message }, "deleting a group with a repo");
    }),
  ),
  requirement(
    "errors.http-status",
    "HTTP status by code: 3, 9, 11 → 400; 16 → 401; 7 → 403; 5 → 404; 6, 10 → 409; 8 → 429; 1 → 499; 12 → 501; 14 → 503; 4 → 504; others 500. The body has no wrapper; `code` is the gRPC number.",
    overRest("3, 5, 9, 16", async (world) => {
      const { rest, group } = world;
      await world.makeGroup();
      const path = `/iam/v2beta1/groups/${group}`;
      const responses = [
        [3, 400, await rest.send("POST", path, { body: {} })],
        [5, 404, await rest.send("GET", `${path}/${"0".repeat(16)}`)],
        [9, 400, await rest.send("DELETE", path)],
        [16, 401, await rest.as(undefined).send("GET", path)],
      ] as const;
      for (const [code, status, response] of responses) {
        equal(response.status, status, `the HTTP status of code ${code}`);
        has(JSON.parse(response.text), { code }, "the body");
      }
    }),
    overRest("7", async (world) => {
      const { token } = await world.caller("viewer");
      const response = await world.rest
        .as(token)
        .send("POST", `/iam/v2beta1/groups/${world.group}`, { body: { name: "a" } });
      equal(response.status, 403, "the HTTP status");
      has(JSON.parse(response.text), { code: 7 }, "the body");
    }),
  ),
  requirement(
    "errors.not-found",
    "A missing resource is code 5 with ErrorInfo reason NOT_FOUND and a `google.rpc.ResourceInfo` detail.",
    overBoth(async ({ api, group }) => {
      const missing = `${group}/${"0".repeat(16)}`;
      for (const collection of ["groups", "identities", "roles", "roleBindings"] as const) {
        const outcome = await api.get(collection, missing);
        const failure = rejected(outcome, { code: 5, reason: "NOT_FOUND" }, `reading one of ${collection}`);
        const info = detail(failure, "ResourceInfo");
        has(info, { resourceName: missing }, "ResourceInfo");
        holds(
          typeof info?.["resourceType"] === "string" && info["resourceType"] !== "",
          "ResourceInfo",
          "a resourceType",
          info,
        );
      }
    }),
    overBoth("in a path that is not a uid", async ({ api, group }) => {
      for (const uid of ["nonsense", `${group}/`]) {
        const failure = rejected(await api.delete("groups", uid), { code: 5, reason: "NOT_FOUND" }, `"${uid}"`);
        has(detail(failure, "ResourceInfo"), { resourceName: uid }, "ResourceInfo");
      }
    }),
    overBoth("that a request names", async (world) => {
      const missing = `${world.group}/${"0".repeat(16)}`;
      const [identityUid, roleUid] = [await world.makeIdentity(), await world.builtInRole("viewer")];
      for (const [resourceType, body] of [
        ["identity", { identityUid: missing, roleUid }],
        ["role", { identityUid, roleUid: missing }],
      ] as const) {
        const outcome = await world.api.create("roleBindings", world.group, body);
        const failure = rejected(outcome, { code: 5, reason: "NOT_FOUND" }, `a binding of a missing ${resourceType}`);
        has(detail(failure, "ResourceInfo"), { resourceType, resourceName: missing }, "ResourceInfo");
      }
    }),
  ),
  requirement(
    "errors.unauthenticated",
    "A missing or invalid token: 16, UNAUTHENTICATED.",
    overBoth(async (world) => {
      const error = { code: 16, reason: "UNAUTHENTICATED" };
      for (const token of [undefined, "nonsense", "a.b.c", `${world.target.token}x`])
        rejected(await world.as(token).get("groups", world.group), error, "a Get");
    }),
    overBoth("before anything in the request is judged", async (world) => {
      const api = world.as(undefined);
      const calls = {
        "a Create with an invalid name": await api.create("groups", "nonsense", { name: "A" }),
        "a List with an invalid page size": await api.list("groups", { pageSize: -1, pageToken: "nonsense" }),
        "an Update with an unknown path": await api.update("groups", "nonsense", {}, ["dragons"]),
      };
      for (const [what, outcome] of Object.entries(calls)) rejected(outcome, { code: 16 }, what);
    }),
    overRest("before anything in the request is read", async (world) => {
      const groups = "/iam/v2beta1/groups";
      for (const [verb, path, body] of [
        ["POST", `${groups}/${world.group}`, '{"dragons":1}'],
        ["POST", `${groups}/${world.group}`, "{"],
        ["POST", `${groups}/${world.group}`, JSON.stringify({ name: "x".repeat(1024 * 1024) })],
        ["GET", `${groups}?dragons=1`],
        ["GET", `${groups}?page_size=x`],
        ["PATCH", `${groups}/${world.group}?updateMask=dragons`, "{}"],
        ["DELETE", `${groups}/nonsense`],
        ["GET", "/sts/exchange?dragons=1"],
        ["POST", "/sts/exchange_refresh_token?aud=x&aud=y&cap=dragons"],
      ] as const)
        for (const token of path.startsWith("/sts/") ? [undefined] : [undefined, "nonsense"]) {
          const api = path.startsWith("/sts/") ? world.tokenServiceOverRest(token) : world.rest.as(token);
          const { status, text } = await api.send(verb, path, body === undefined ? {} : { body });
          equal(status, 401, `the HTTP status of ${verb} ${path}`);
          has(JSON.parse(text), { code: 16 }, "the body");
        }
    }),
    overRest("with a challenge (RFC 9110, 11.6.1), and without the token", async (world) => {
      for (const token of [undefined, "", "nonsense", "muster-admin-nonsense", "a.b.c"]) {
        const { status, headers, text } = await world.rest.as(token).send("GET", "/iam/v2beta1/groups");
        equal(status, 401, "the HTTP status");
        matches(headers["www-authenticate"], /^Bearer\b/, "WWW-Authenticate");
        if (token) equal(text.includes(token), false, "whether the response repeats the token");
      }
    }),
  ),
  requirement(
    "errors.permission-denied",
    "Insufficient permission on a resource that the caller can see: 7, PERMISSION_DENIED.",
    overBoth(async (world) => {
      const { api } = await world.caller("viewer");
      const uid = await world.makeGroup();
      const error = { code: 7, reason: "PERMISSION_DENIED" };
      rejected(await api.create("groups", uid, { name: "a" }), error, "a Create");
      rejected(await api.update("groups", uid, { name: "a" }), error, "an Update");
      rejected(await api.delete("groups", uid), error, "a Delete");
      rejected(await api.create("identities", uid, {}), error, "a Create with an invalid body");
    }),
  ),
  requirement(
    "errors.hidden",
    "A resource that the caller cannot see: 5, as if it did not exist. A caller sees a resource if it holds any capability there.",
    overBoth("no capability", async (world) => {
      const [seen, hidden] = [await world.makeGroup(), await world.makeGroup()];
      const { api } = await world.caller("owner", seen);
      const error = { code: 5, reason: "NOT_FOUND" };
      const failure = rejected(await api.get("groups", hidden), error, "a Get");
      const missing = `${world.group}/${"0".repeat(16)}`;
      const ofMissing = rejected(await api.get("groups", missing), error, "a Get of a missing group");
      const anonymous = ({ message, details }: Failure, uid: string) =>
        JSON.stringify({ message, details }).replaceAll(uid, "UID");
      equal(anonymous(failure, hidden), anonymous(ofMissing, missing), "the error, without the uid");
      rejected(await api.create("groups", hidden, { name: "a" }), error, "a Create");
      rejected(await api.update("groups", hidden, { name: "a" }), error, "an Update");
      rejected(await api.delete("groups", hidden), error, "a Delete");
    }),
    overBoth("another capability", async (world) => {
      const group = await world.makeGroup();
      const { api } = await world.caller(await world.makeRole(["CAP_REPO_LIST"]), group);
      rejected(await api.get("groups", group), { code: 7 }, "a Get");
    }),
  ),
  requirement(
    "errors.unique-names",
    "Siblings can have equal names, and equal bindings can exist twice; a platform can reject both with code 6, ALREADY_EXISTS.",
    overBoth("names", async (world) => {
      await world.make("groups", world.group, { name: "twin" });
      const again = await world.api.create("groups", world.group, { name: "twin" });
      if (!again.ok) rejected(again, { code: 6, reason: "ALREADY_EXISTS" }, "a second group with the name");
      const count = (await world.list("groups", { uidp: { childrenOf: world.group }, name: "twin" })).length;
      equal(count, again.ok ? 2 : 1, "the number of resources afterwards");
    }),
    overBoth("bindings", async (world) => {
      const body = { identityUid: await world.makeIdentity(), roleUid: await world.builtInRole("viewer") };
      await world.make("roleBindings", world.group, body);
      const again = await world.api.create("roleBindings", world.group, body);
      if (!again.ok) rejected(again, { code: 6, reason: "ALREADY_EXISTS" }, "an equal binding");
      const count = (await world.list("roleBindings", { uidp: { childrenOf: world.group } })).length;
      equal(count, again.ok ? 2 : 1, "the number of resources afterwards");
    }),
  ),
]);
