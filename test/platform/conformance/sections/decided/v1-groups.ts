import { outcomeOf } from "../../client/rest.ts";
import { equal, has, rejected, Skip, succeeded } from "../../expect.ts";
import { decidedSection, overRest, requirement } from "../../requirement.ts";
import type { World } from "../../world.ts";
import { v1Of } from "./v1.ts";

const send = async ({ rest }: Pick<World, "rest">, verb: string, path: string, body?: object) =>
  outcomeOf(await rest.send(verb, path, body === undefined ? {} : { body }));

/** Groups, the only resource that v1 can change. */
export const v1Groups = decidedSection("v1: groups", [
  requirement(
    "v1.create",
    "`POST /iam/v1/groups/{parent}` creates a group.",
    overRest(async (world) => {
      const path = `/iam/v1/groups/${world.group}`;
      const made = succeeded(await send(world, "POST", path, { name: "a", description: "d" }));
      const listed = await world.list("groups", { uidp: { childrenOf: world.group } });
      equal(listed.map(v1Of), [made], "the created group");
      has(made, { name: "a", description: "d", verified: false, resourceLimits: {} }, "the response");
      rejected(await send(world, "POST", path, {}), { code: 3, field: "name" }, "a POST without a name");
    }),
  ),
  requirement(
    "v1.update",
    "`PUT /iam/v1/groups/{id}` replaces the group: omitted fields are reset.",
    overRest("omitted fields", async (world) => {
      const { uid } = await world.make("groups", world.group, { name: "before", description: "d" });
      // Clients send the resource as they received it, with its id and its resourceLimits.
      const body = { id: uid, name: "after", resourceLimits: {} };
      const replaced = succeeded(await send(world, "PUT", `/iam/v1/groups/${uid}`, body));
      const group = succeeded(await world.rest.get("groups", uid));
      equal(replaced, v1Of(group), "the response");
      has(group, { name: "after", description: "" }, "the group");
      rejected(
        await send(world, "PUT", `/iam/v1/groups/${uid}`, { description: "d" }),
        { code: 3, field: "name" },
        "a PUT without a name",
      );
    }),
    overRest("verified is reset for the admin", async (world) => {
      const uid = await world.makeGroup();
      const verified = await world.rest.update("groups", uid, { verified: true }, ["verified"]);
      if (!verified.ok && verified.failure.code === 7)
        throw new Skip("the token belongs to an owner, not to the platform's admin");
      succeeded(verified, "an update of verified");
      const replaced = succeeded(await send(world, "PUT", `/iam/v1/groups/${uid}`, { name: "after" }));
      equal(replaced["verified"], false, "verified");
      succeeded(await world.rest.update("groups", uid, { verified: true }, ["verified"]), "an update of verified");
      const owner = { rest: world.rest.as((await world.caller("owner")).token) };
      const kept = succeeded(await send(owner, "PUT", `/iam/v1/groups/${uid}`, { name: "other" }));
      equal(kept["verified"], true, "verified after an owner's replacement that omits it");
      const other = await send(owner, "PUT", `/iam/v1/groups/${await world.makeGroup()}`, {
        name: "b",
        verified: true,
      });
      rejected(other, { code: 7 }, "an owner's replacement that sets it");
    }),
  ),
  requirement(
    "v1.delete",
    "`DELETE /iam/v1/groups/{id}` deletes a group that has no children.",
    overRest(async (world) => {
      const group = await world.makeGroup();
      const child = await world.makeGroup(group);
      const error = { code: 9, violation: "RESOURCE_NOT_EMPTY" };
      rejected(await send(world, "DELETE", `/iam/v1/groups/${group}`), error, "deleting a group with a child");
      succeeded(await send(world, "DELETE", `/iam/v1/groups/${child}`), "deleting the child");
      rejected(await world.rest.get("groups", child), { code: 5 }, "reading the child afterwards");
    }),
  ),
  requirement(
    "v1.missing-group",
    "An id that does not exist is code 5 in PUT and DELETE.",
    overRest(async (world) => {
      const missing = `${world.group}/${"0".repeat(16)}`;
      const path = `/iam/v1/groups/${missing}`;
      rejected(await send(world, "PUT", path, { name: "a" }), { code: 5, reason: "NOT_FOUND" }, "a PUT");
      rejected(await send(world, "DELETE", path), { code: 5, reason: "NOT_FOUND" }, "a DELETE");
    }),
  ),
  requirement(
    "v1.permissions",
    "v1 needs the same capabilities as v2.",
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
          rejected(outcomeOf(await rest.send(verb, path, { body: { name: "a" } })), { code }, `${verb} ${path}`);
        rejected(outcomeOf(await rest.send("DELETE", path)), { code }, `DELETE ${path}`);
      }
    }),
  ),
]);
