import type { Json } from "../../client/api.ts";
import { equal, has, holds, isChild, matches, rejected, succeeded } from "../../expect.ts";
import { decidedSection, overBoth, overRest, requirement, untested } from "../../requirement.ts";
import type { World } from "../../world.ts";
import { rejectsMaskPaths } from "./rejected-mask-paths.ts";

/** Creates an invite for the built-in role viewer that is valid for ten minutes. */
const make = async (world: World, body: object = {}, group = world.group) =>
  world.make("groupInvites", group, { roleUid: await world.builtInRole("viewer"), ttl: "600s", ...body });

const isRejected = async (world: World, change: object, field: string) => {
  const body = { roleUid: await world.builtInRole("viewer"), ttl: "600s", ...change };
  const what = `a Create with ${JSON.stringify(change)}`;
  rejected(await world.api.create("groupInvites", world.group, body), { code: 3, field }, what);
};

/** The invite that Get returns, which does not contain its code. */
const read = async (world: World, { uid }: Json) => succeeded(await world.api.get("groupInvites", uid));

/** Waits until an invite has expired by the platform's clock, which the updateTime of a group shows. */
async function expired({ api, group }: World, invite: Json): Promise<void> {
  const end = Date.parse(String(invite["expirationTime"]));
  for (let tries = 1; ; tries++) {
    const { updateTime } = succeeded(await api.update("groups", group, { description: `try ${tries}` }));
    if (Date.parse(updateTime) > end) return;
    holds(tries < 1_000, "updateTime", `a time after ${new Date(end).toISOString()}`, updateTime);
  }
}

/** Group invites, up to their redemption. */
export const groupInvites = decidedSection("Group invites", [
  requirement(
    "invites.uid",
    "An invite's uid is its group's uid, `/` and 16 lowercase hex digits.",
    overBoth(async (world) => {
      const { uid } = await make(world);
      isChild(uid, world.group);
    }),
  ),
  requirement(
    "invites.fields",
    "Fields: uid, roleUid, role, email, ttl (a Duration, write-only), expirationTime, singleUse, code, keyId, createTime, updateTime.",
    overBoth("they are stored and returned", async (world) => {
      const body = { email: "somebody@example.com", singleUse: true };
      const made = await make(world, body);
      has(made, { ...body, roleUid: await world.builtInRole("viewer") }, "the created invite");
      has(await read(world, made), body, "the invite that Get returns");
    }),
    overRest("zero values are present", async (world) => {
      const { code: _, ...rest } = await make(world);
      has(rest, { email: "", singleUse: false }, "the invite");
      equal(await read(world, rest), rest, "the invite that Get returns");
    }),
  ),
  requirement(
    "invites.required",
    "`roleUid` and `ttl` are required.",
    overBoth("missing fields", async (world) => {
      await isRejected(world, { roleUid: "" }, "roleUid");
      const roleUid = await world.builtInRole("viewer");
      const outcome = await world.api.create("groupInvites", world.group, { roleUid });
      rejected(outcome, { code: 3, field: "ttl" }, "a Create without ttl");
      equal(await world.list("groupInvites", { uidp: { childrenOf: world.group } }), [], "the created resources");
    }),
    overBoth("an invalid role", async (world) => {
      await isRejected(world, { roleUid: "nonsense" }, "roleUid");
      await isRejected(world, { roleUid: await world.makeIdentity() }, "roleUid");
      await isRejected(world, { roleUid: world.group }, "roleUid");
    }),
    overBoth("a ttl that is not positive", async (world) => {
      for (const ttl of ["0s", "-1s"]) await isRejected(world, { ttl }, "ttl");
    }),
    overRest("a ttl that is not a duration", async (world) => {
      for (const ttl of ["an hour", "600", 600]) await isRejected(world, { ttl }, "ttl");
    }),
    overRest("a ttl beyond the range of timestamps", (world) => isRejected(world, { ttl: "999999999999s" }, "ttl")),
    overBoth("an invalid e-mail address", (world) => isRejected(world, { email: "somebody" }, "email")),
  ),
  requirement(
    "invites.role",
    "`role` is hydrated and contains the capabilities.",
    overBoth(async (world) => {
      const capabilities = ["CAP_REPO_LIST", "CAP_TAG_LIST"];
      const role = await world.make("roles", world.group, { name: "reader", description: "d", capabilities });
      const made = await make(world, { roleUid: role.uid });
      const expected = { uid: role.uid, name: "reader", description: "d", capabilities };
      equal(made["role"], expected, "role in the response to Create");
      equal((await read(world, made))["role"], expected, "role in the response to Get");
      const [listed] = await world.list("groupInvites", { uidp: { childrenOf: world.group } });
      equal(listed?.["role"], expected, "role in a List");
    }),
  ),
  requirement(
    "invites.expiration-time",
    "`expirationTime` is `ttl` after the creation; responses do not contain `ttl`.",
    overBoth(async (world) => {
      for (const [ttl, milliseconds] of [
        ["600s", 600_000],
        ["1.5s", 1_500],
        ["86400s", 86_400_000],
      ] as const) {
        const made = await make(world, { ttl });
        const lasts = Date.parse(String(made["expirationTime"])) - Date.parse(made.createTime);
        equal(lasts, milliseconds, `the milliseconds until an invite with ttl=${ttl} expires`);
        equal("ttl" in made || "ttl" in (await read(world, made)), false, "whether ttl is present");
      }
    }),
  ),
  requirement(
    "invites.code",
    "Only the response to Create contains `code`.",
    overBoth(async (world) => {
      const made = await make(world);
      const code = String(made["code"]);
      holds(code.length >= 16, "the code", "16 characters or more", code.length);
      holds(code !== (await make(world))["code"], "the code of another invite", "a different code", "the same");
      const responses = {
        Get: await read(world, made),
        List: succeeded(await world.api.list("groupInvites", { uidp: { childrenOf: world.group } })),
        Update: succeeded(await world.api.update("groupInvites", made.uid, { email: "a@example.com" })),
      };
      for (const [method, response] of Object.entries(responses))
        equal(JSON.stringify(response).includes(code), false, `whether the code is in the response to ${method}`);
    }),
  ),
  requirement(
    "invites.key-id",
    "`keyId` identifies the code; it is a filter of List.",
    overBoth(async (world) => {
      const [one, other] = [await make(world), await make(world)];
      matches(one["keyId"], /./, "keyId");
      const query = { uidp: { childrenOf: world.group }, keyId: one["keyId"] };
      equal(await world.list("groupInvites", query), [await read(world, one)], "the invites with the keyId");
      const all = await world.list("groupInvites", { uidp: { childrenOf: world.group } });
      equal(all.map(({ uid }) => uid).toSorted(), [one.uid, other.uid].toSorted(), "all invites of the group");
    }),
  ),
  requirement(
    "invites.update",
    "PATCH can change `email` and `singleUse`, and nothing else.",
    overBoth("without a mask", async (world) => {
      const made = await make(world, { email: "a@example.com" });
      const body = { email: "b@example.com", singleUse: true };
      const updated = succeeded(await world.api.update("groupInvites", made.uid, body));
      const { updateTime } = updated;
      equal(updated, { ...(await read(world, made)), ...body, updateTime }, "the invite");
      equal(updated["expirationTime"], made["expirationTime"], "expirationTime");
    }),
    overBoth("with a mask", async (world) => {
      const { uid } = await make(world, { email: "a@example.com", singleUse: true });
      const body = { email: "b@example.com" };
      const updated = succeeded(await world.api.update("groupInvites", uid, body, ["single_use"]));
      has(updated, { email: "a@example.com", singleUse: false }, "the invite");
    }),
    overBoth("full replacement", async (world) => {
      const made = await make(world, { email: "a@example.com", singleUse: true });
      const replaced = succeeded(await world.api.update("groupInvites", made.uid, { singleUse: true }, ["*"]));
      const { keyId, expirationTime, roleUid } = made;
      has(replaced, { email: "", singleUse: true, keyId, expirationTime, roleUid }, "the invite");
    }),
    overBoth("other fields", async (world) => {
      const made = await make(world);
      const body = { roleUid: await world.builtInRole("editor"), ttl: "60s" };
      await rejectsMaskPaths(
        world,
        "groupInvites",
        made.uid,
        ["role_uid", "ttl", "code", "key_id", "expiration_time", "role", "create_time"],
        body,
      );
      for (const [field, value] of Object.entries(body)) {
        const outcome = await world.api.update("groupInvites", made.uid, { [field]: value });
        rejected(outcome, { code: 3 }, `an update of ${field} without a mask`);
      }
      const { roleUid, expirationTime } = made;
      has(await read(world, made), { roleUid, expirationTime }, "the invite that Get returns");
    }),
  ),
  requirement(
    "invites.order",
    "Default order: `created_at desc`.",
    overBoth(async (world) => {
      for (let made = 0; made < 6; made++) await make(world);
      const listed = await world.list("groupInvites", { uidp: { childrenOf: world.group } });
      // Ties break by uid ascending.
      const sorted = listed.toSorted((a, b) =>
        a.createTime === b.createTime ? compare(a.uid, b.uid) : compare(b.createTime, a.createTime),
      );
      equal(listed, sorted, "the invites");
      const byUid = await world.list("groupInvites", { uidp: { childrenOf: world.group }, orderBy: "uid" });
      equal(
        byUid,
        listed.toSorted((a, b) => compare(a.uid, b.uid)),
        "the invites by uid",
      );
    }),
    overBoth("by name, a field that invites do not have", async ({ api, group }) => {
      const outcome = await api.list("groupInvites", { uidp: { childrenOf: group }, orderBy: "name" });
      rejected(outcome, { code: 3, field: "order_by" }, "a List");
    }),
  ),
  requirement(
    "invites.expired",
    "An expired invite prevents neither the deletion of its group nor that of its role.",
    overBoth("the group", async (world) => {
      const group = await world.makeGroup();
      const invite = await make(world, { ttl: "0.001s" }, group);
      await expired(world, invite);
      succeeded(await world.api.delete("groups", group), "deleting the group");
      rejected(await world.api.get("groupInvites", invite.uid), { code: 5 }, "reading the invite afterwards");
    }),
    overBoth("the role", async (world) => {
      const roleUid = await world.makeRole(["CAP_REPO_LIST"]);
      const invite = await make(world, { roleUid, ttl: "0.001s" });
      await expired(world, invite);
      succeeded(await world.api.delete("roles", roleUid), "deleting the role");
      equal("role" in (await read(world, invite)), false, "whether the invite still has a role");
    }),
  ),
  requirement(
    "invites.missing",
    "A missing invite is code 5, and so is a second Delete.",
    overBoth(async (world) => {
      const { uid } = await make(world);
      succeeded(await world.api.delete("groupInvites", uid), "the first Delete");
      rejected(await world.api.delete("groupInvites", uid), { code: 5, reason: "NOT_FOUND" }, "the second Delete");
      rejected(await world.api.get("groupInvites", uid), { code: 5, reason: "NOT_FOUND" }, "a Get");
      rejected(await world.api.update("groupInvites", uid, {}), { code: 5 }, "an Update");
      rejected(await world.api.get("groupInvites", world.group), { code: 5 }, "a Get of a group's uid");
    }),
  ),
  untested(
    "invites.redeeming",
    "An invite is redeemed at the end of a login.",
    "a login needs an identity provider and a person; the tests of the platform's logins cover it",
  ),
]);

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
