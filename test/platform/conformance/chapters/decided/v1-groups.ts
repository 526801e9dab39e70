import { outcomeOf } from "../../client/rest.ts";
import { equal, has, refused, Skip, succeeded } from "../../expect.ts";
import { type Chapter, overRest } from "../../sentence.ts";
import type { World } from "../../world.ts";
import { v1Of } from "./v1.ts";

const send = async ({ rest }: World, verb: string, path: string, body?: object) =>
  outcomeOf(await rest.send(verb, path, body === undefined ? {} : { body }));

/** Groups are the one thing that v1 changes. */
export const v1Groups: Chapter = {
  title: "v1: groups",
  origin: "decided",
  sentences: [
    {
      id: "v1.create",
      says: "`POST /iam/v1/groups/{parent}` makes a group.",
      cases: [
        overRest(async (world) => {
          const path = `/iam/v1/groups/${world.group}`;
          const made = succeeded(await send(world, "POST", path, { name: "a", description: "d" }));
          const listed = await world.rows("groups", { uidp: { childrenOf: world.group } });
          equal(listed.map(v1Of), [made], "the group that was made");
          has(made, { name: "a", description: "d", verified: false, resourceLimits: {} }, "the answer");
          refused(await send(world, "POST", path, {}), { code: 3, field: "name" }, "making one without a name");
        }),
      ],
    },
    {
      id: "v1.update",
      says: "`PUT /iam/v1/groups/{id}` is full replacement: omitted fields reset.",
      cases: [
        overRest("omitted fields", async (world) => {
          const { uid } = await world.make("groups", world.group, { name: "before", description: "d" });
          const replaced = succeeded(await send(world, "PUT", `/iam/v1/groups/${uid}`, { name: "after" }));
          const group = succeeded(await world.rest.get("groups", uid));
          equal(replaced, v1Of(group), "the answer");
          has(group, { name: "after", description: "" }, "the group");
          refused(
            await send(world, "PUT", `/iam/v1/groups/${uid}`, { description: "d" }),
            { code: 3, field: "name" },
            "one without a name",
          );
        }),
        overRest("verified, which is not reset", async (world) => {
          const uid = await world.makeGroup();
          const verified = await world.rest.update("groups", uid, { verified: true }, ["verified"]);
          if (!verified.ok && verified.failure.code === 7)
            throw new Skip("the token is of an owner, not of the platform's admin");
          succeeded(verified, "an update of verified");
          const replaced = succeeded(await send(world, "PUT", `/iam/v1/groups/${uid}`, { name: "after" }));
          equal(replaced["verified"], true, "verified");
        }),
      ],
    },
    {
      id: "v1.delete",
      says: "`DELETE /iam/v1/groups/{id}`.",
      cases: [
        overRest(async (world) => {
          const group = await world.makeGroup();
          const child = await world.makeGroup(group);
          const refusal = { code: 9, violation: "RESOURCE_NOT_EMPTY" };
          refused(await send(world, "DELETE", `/iam/v1/groups/${group}`), refusal, "deleting one with a child");
          succeeded(await send(world, "DELETE", `/iam/v1/groups/${child}`), "deleting the child");
          refused(await world.rest.get("groups", child), { code: 5 }, "reading it afterwards");
        }),
      ],
    },
    {
      id: "v1.missing-group",
      says: "A missing id is code 5 in PUT and DELETE.",
      cases: [
        overRest(async (world) => {
          const missing = `${world.group}/${"0".repeat(16)}`;
          const path = `/iam/v1/groups/${missing}`;
          refused(await send(world, "PUT", path, { name: "a" }), { code: 5, reason: "NOT_FOUND" }, "a PUT");
          refused(await send(world, "DELETE", path), { code: 5, reason: "NOT_FOUND" }, "a DELETE");
        }),
      ],
    },
    {
      id: "v1.rights",
      says: "Nobody may change more in v1 than in v2.",
      cases: [
        overRest(async (world) => {
          const [seen, hidden] = [await world.makeGroup(), await world.makeGroup()];
          const { token } = await world.caller("viewer", seen);
          const rest = world.rest.as(token);
          for (const [group, code] of [
            [seen, 7],
            [hidden, 5],
          ] as const) {
            const path = `/iam/v1/groups/${group}`;
            for (const verb of ["POST", "PUT"])
              refused(outcomeOf(await rest.send(verb, path, { body: { name: "a" } })), { code }, `${verb} ${path}`);
            refused(outcomeOf(await rest.send("DELETE", path)), { code }, `DELETE ${path}`);
          }
        }),
      ],
    },
  ],
};
