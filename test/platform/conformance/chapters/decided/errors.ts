import { detail, equal, has, holds, refused, Skip } from "../../expect.ts";
import { type Chapter, overBoth, overRest } from "../../sentence.ts";

/** Errors: texts, status, and what is missing, hidden or forbidden. */
export const errors: Chapter = {
  title: "Errors",
  origin: "decided",
  sentences: [
    {
      id: "errors.exact-texts",
      says: '`Invalid argument: name: name must match "^[a-z0-9 ._-]{1,}$"`; `Precondition failed: cannot delete group with child repos`.',
      cases: [
        overBoth("a name", async ({ api, group }) => {
          const message = 'Invalid argument: name: name must match "^[a-z0-9 ._-]{1,}$"';
          refused(await api.create("groups", group, {}), { code: 3, message }, "making a group without a name");
        }),
        overBoth("a repo", async (world) => {
          const group = await world.makeGroup();
          if (!(await world.api.create("repos", group, { name: "repo" })).ok)
            throw new Skip("this platform lets nobody make a repo");
          const message = "Precondition failed: cannot delete group with child repos";
          refused(await world.api.delete("groups", group), { code: 9, message }, "deleting a group with a repo");
        }),
      ],
    },
    {
      id: "errors.http-status",
      says: "HTTP status by code: 3, 9, 11 → 400; 16 → 401; 7 → 403; 5 → 404; 6, 10 → 409; 8 → 429; 1 → 499; 12 → 501; 14 → 503; 4 → 504; others 500. The body has no wrapper; `code` is the gRPC number.",
      cases: [
        overRest("3, 5, 9, 16", async (world) => {
          const { rest, group } = world;
          await world.makeGroup();
          const path = `/iam/v2beta1/groups/${group}`;
          const answers = [
            [3, 400, await rest.send("POST", path, { body: {} })],
            [5, 404, await rest.send("GET", `${path}/${"0".repeat(16)}`)],
            [9, 400, await rest.send("DELETE", path)],
            [16, 401, await rest.as(undefined).send("GET", path)],
          ] as const;
          for (const [code, status, answer] of answers) {
            equal(answer.status, status, `the HTTP status of code ${code}`);
            has(JSON.parse(answer.text), { code }, "the body");
          }
        }),
        overRest("7", async (world) => {
          const { token } = await world.caller("viewer");
          const answer = await world.rest
            .as(token)
            .send("POST", `/iam/v2beta1/groups/${world.group}`, { body: { name: "a" } });
          equal(answer.status, 403, "the HTTP status");
          has(JSON.parse(answer.text), { code: 7 }, "the body");
        }),
      ],
    },
    {
      id: "errors.not-found",
      says: "A missing resource is code 5 with ErrorInfo reason NOT_FOUND and a `google.rpc.ResourceInfo` detail.",
      cases: [
        overBoth(async ({ api, group }) => {
          const missing = `${group}/${"0".repeat(16)}`;
          for (const collection of ["groups", "identities", "roles", "roleBindings"] as const) {
            const outcome = await api.get(collection, missing);
            const failure = refused(outcome, { code: 5, reason: "NOT_FOUND" }, `reading one of ${collection}`);
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
      ],
    },
    {
      id: "errors.unauthenticated",
      says: "No or bad token: 16, UNAUTHENTICATED.",
      cases: [
        overBoth(async (world) => {
          const refusal = { code: 16, reason: "UNAUTHENTICATED" };
          for (const token of [undefined, "nonsense", "a.b.c", `${world.target.token}x`])
            refused(await world.as(token).get("groups", world.group), refusal, "a Get");
        }),
      ],
    },
    {
      id: "errors.permission-denied",
      says: "Too few rights on something the caller can see: 7, PERMISSION_DENIED.",
      cases: [
        overBoth(async (world) => {
          const { api } = await world.caller("viewer");
          const uid = await world.makeGroup();
          const refusal = { code: 7, reason: "PERMISSION_DENIED" };
          refused(await api.create("groups", uid, { name: "a" }), refusal, "a Create");
          refused(await api.update("groups", uid, { name: "a" }), refusal, "an Update");
          refused(await api.delete("groups", uid), refusal, "a Delete");
        }),
      ],
    },
    {
      id: "errors.hidden",
      says: "On something the caller cannot see at all: 5, as if it were not there. To see is to hold any capability there.",
      cases: [
        overBoth("nothing is seen", async (world) => {
          const [seen, hidden] = [await world.makeGroup(), await world.makeGroup()];
          const { api } = await world.caller("owner", seen);
          const refusal = { code: 5, reason: "NOT_FOUND" };
          refused(await api.get("groups", hidden), refusal, "a Get");
          refused(await api.create("groups", hidden, { name: "a" }), refusal, "a Create");
          refused(await api.update("groups", hidden, { name: "a" }), refusal, "an Update");
          refused(await api.delete("groups", hidden), refusal, "a Delete");
        }),
        overBoth("any capability is enough to see", async (world) => {
          const group = await world.makeGroup();
          const { api } = await world.caller(await world.makeRole(["CAP_REPO_LIST"]), group);
          refused(await api.get("groups", group), { code: 7 }, "a Get");
        }),
      ],
    },
    {
      id: "errors.unique-names",
      says: "Sibling names need not be unique and equal bindings may exist twice; a platform may refuse both with code 6, ALREADY_EXISTS.",
      cases: [
        overBoth("names", async (world) => {
          await world.make("groups", world.group, { name: "twin" });
          const again = await world.api.create("groups", world.group, { name: "twin" });
          if (!again.ok) refused(again, { code: 6, reason: "ALREADY_EXISTS" }, "a second group of that name");
          const count = (await world.rows("groups", { uidp: { childrenOf: world.group }, name: "twin" })).length;
          equal(count, again.ok ? 2 : 1, "how many there are");
        }),
        overBoth("bindings", async (world) => {
          const body = { identityUid: await world.makeIdentity(), roleUid: await world.builtInRole("viewer") };
          await world.make("roleBindings", world.group, body);
          const again = await world.api.create("roleBindings", world.group, body);
          if (!again.ok) refused(again, { code: 6, reason: "ALREADY_EXISTS" }, "an equal binding");
          const count = (await world.rows("roleBindings", { uidp: { childrenOf: world.group } })).length;
          equal(count, again.ok ? 2 : 1, "how many there are");
        }),
      ],
    },
  ],
};
