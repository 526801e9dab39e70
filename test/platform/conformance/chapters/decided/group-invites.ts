import type { Json } from "../../client/api.ts";
import { equal, has, holds, matches, refused, succeeded } from "../../expect.ts";
import { type Chapter, overBoth, overRest } from "../../sentence.ts";
import type { World } from "../../world.ts";

/** An invite of the built-in viewer, for ten minutes. */
const make = async (world: World, body: object = {}, group = world.group) =>
  world.make("groupInvites", group, { roleUid: await world.builtInRole("viewer"), ttl: "600s", ...body });

const wrong = async (world: World, change: object, field: string) => {
  const body = { roleUid: await world.builtInRole("viewer"), ttl: "600s", ...change };
  const what = `making an invite from ${JSON.stringify(change)}`;
  refused(await world.api.create("groupInvites", world.group, body), { code: 3, field }, what);
};

/** An invite as it is read, which is without its code. */
const read = async (world: World, { uid }: Json) => succeeded(await world.api.get("groupInvites", uid));

/** Resolves when the platform's clock is past the end of an invite: the time of an update tells where it is. */
async function expired({ api, group }: World, invite: Json): Promise<void> {
  const end = Date.parse(String(invite["expirationTime"]));
  for (let tries = 1; ; tries++) {
    const { updateTime } = succeeded(await api.update("groups", group, { description: `try ${tries}` }));
    if (Date.parse(updateTime) > end) return;
    holds(tries < 1_000, "the time of an update", `one after ${new Date(end).toISOString()}`, updateTime);
  }
}

/** Invites into a group. */
export const groupInvites: Chapter = {
  title: "Group invites",
  origin: "decided",
  sentences: [
    {
      id: "invites.uid",
      says: "An invite's uid is its group's uid, `/` and 16 lowercase hex digits.",
      cases: [
        overBoth(async (world) => {
          const { uid } = await make(world);
          equal(uid.slice(0, world.group.length), world.group, "the group's part of the uid");
          matches(uid.slice(world.group.length), /^\/[0-9a-f]{16}$/, "its own part");
        }),
      ],
    },
    {
      id: "invites.fields",
      says: "Fields: uid, roleUid, role, email, ttl (a Duration, write only), expirationTime, singleUse, code, keyId, createTime, updateTime.",
      cases: [
        overBoth("they are kept", async (world) => {
          const body = { email: "somebody@example.com", singleUse: true };
          const made = await make(world, body);
          has(made, { ...body, roleUid: await world.builtInRole("viewer") }, "the invite that was made");
          has(await read(world, made), body, "the invite as it is read");
        }),
        overRest("zero values are written out", async (world) => {
          const { code: _, ...rest } = await make(world);
          has(rest, { email: "", singleUse: false }, "the invite");
          equal(await read(world, rest), rest, "the invite as it is read");
        }),
      ],
    },
    {
      id: "invites.required",
      says: "`roleUid` and `ttl` are required.",
      cases: [
        overBoth("without", async (world) => {
          await wrong(world, { roleUid: "" }, "roleUid");
          const roleUid = await world.builtInRole("viewer");
          const outcome = await world.api.create("groupInvites", world.group, { roleUid });
          refused(outcome, { code: 3, field: "ttl" }, "making an invite without ttl");
          equal(await world.rows("groupInvites", { uidp: { childrenOf: world.group } }), [], "what was made");
        }),
        overBoth("a role that is none", async (world) => {
          await wrong(world, { roleUid: "nonsense" }, "roleUid");
          await wrong(world, { roleUid: await world.makeIdentity() }, "roleUid");
          await wrong(world, { roleUid: world.group }, "roleUid");
        }),
        overBoth("a time that is none", async (world) => {
          for (const ttl of ["0s", "-1s"]) await wrong(world, { ttl }, "ttl");
        }),
        overRest("what is no duration", async (world) => {
          for (const ttl of ["an hour", "600", 600]) await wrong(world, { ttl }, "ttl");
        }),
      ],
    },
    {
      id: "invites.role",
      says: "`role` is hydrated, with its capabilities.",
      cases: [
        overBoth(async (world) => {
          const capabilities = ["CAP_REPO_LIST", "CAP_TAG_LIST"];
          const role = await world.make("roles", world.group, { name: "reader", description: "d", capabilities });
          const made = await make(world, { roleUid: role.uid });
          const expected = { uid: role.uid, name: "reader", description: "d", capabilities };
          equal(made["role"], expected, "role in the answer to Create");
          equal((await read(world, made))["role"], expected, "role as it is read");
          const [listed] = await world.rows("groupInvites", { uidp: { childrenOf: world.group } });
          equal(listed?.["role"], expected, "role in a List");
        }),
      ],
    },
    {
      id: "invites.expiration-time",
      says: "`expirationTime` is `ttl` after the creation; `ttl` is left out.",
      cases: [
        overBoth(async (world) => {
          for (const [ttl, milliseconds] of [
            ["600s", 600_000],
            ["1.5s", 1_500],
            ["86400s", 86_400_000],
          ] as const) {
            const made = await make(world, { ttl });
            const lasts = Date.parse(String(made["expirationTime"])) - Date.parse(made.createTime);
            equal(lasts, milliseconds, `for how many milliseconds one of ${ttl} holds`);
            equal("ttl" in made || "ttl" in (await read(world, made)), false, "whether ttl is there");
          }
        }),
      ],
    },
    {
      id: "invites.code",
      says: "`code` is in the answer to Create alone.",
      cases: [
        overBoth(async (world) => {
          const made = await make(world);
          const code = String(made["code"]);
          holds(code.length >= 16, "the code", "16 characters or more", code.length);
          holds(code !== (await make(world))["code"], "the code of another invite", "another one", "the same");
          const answers = {
            Get: await read(world, made),
            List: succeeded(await world.api.list("groupInvites", { uidp: { childrenOf: world.group } })),
            Update: succeeded(await world.api.update("groupInvites", made.uid, { email: "a@example.com" })),
          };
          for (const [method, answer] of Object.entries(answers))
            equal(JSON.stringify(answer).includes(code), false, `whether the code is in the answer to ${method}`);
        }),
      ],
    },
    {
      id: "invites.key-id",
      says: "`keyId` names the code; a List filters by it.",
      cases: [
        overBoth(async (world) => {
          const [one, other] = [await make(world), await make(world)];
          matches(one["keyId"], /./, "keyId");
          const query = { uidp: { childrenOf: world.group }, keyId: one["keyId"] };
          equal(await world.rows("groupInvites", query), [await read(world, one)], "those of a keyId");
          const all = await world.rows("groupInvites", { uidp: { childrenOf: world.group } });
          equal(all.map(({ uid }) => uid).toSorted(), [one.uid, other.uid].toSorted(), "all of the group");
        }),
      ],
    },
    {
      id: "invites.update",
      says: "PATCH may change email and singleUse.",
      cases: [
        overBoth("without a mask", async (world) => {
          const made = await make(world, { email: "a@example.com" });
          const body = { email: "b@example.com", singleUse: true };
          const updated = succeeded(await world.api.update("groupInvites", made.uid, body));
          const { updateTime } = updated;
          equal(updated, { ...(await read(world, made)), ...body, updateTime }, "the invite");
          equal(updated["expirationTime"], made["expirationTime"], "expirationTime");
        }),
        overBoth("with one", async (world) => {
          const { uid } = await make(world, { email: "a@example.com", singleUse: true });
          const body = { email: "b@example.com" };
          const updated = succeeded(await world.api.update("groupInvites", uid, body, ["single_use"]));
          has(updated, { email: "a@example.com", singleUse: false }, "the invite");
        }),
        overBoth("the whole", async (world) => {
          const made = await make(world, { email: "a@example.com", singleUse: true });
          const replaced = succeeded(await world.api.update("groupInvites", made.uid, { singleUse: true }, ["*"]));
          const { keyId, expirationTime, roleUid } = made;
          has(replaced, { email: "", singleUse: true, keyId, expirationTime, roleUid }, "the invite");
        }),
        overBoth("nothing else", async (world) => {
          const made = await make(world);
          const body = { roleUid: await world.builtInRole("editor"), ttl: "60s" };
          for (const path of ["role_uid", "ttl", "code", "key_id", "expiration_time", "role", "create_time"])
            refused(
              await world.api.update("groupInvites", made.uid, body, [path]),
              { code: 3, field: "update_mask" },
              `an update of ${path}`,
            );
          const { roleUid, expirationTime } = made;
          has(await read(world, made), { roleUid, expirationTime }, "the invite as it is read");
        }),
      ],
    },
    {
      id: "invites.order",
      says: "Default order: `created_at desc`.",
      cases: [
        overBoth(async (world) => {
          for (let made = 0; made < 6; made++) await make(world);
          const listed = await world.rows("groupInvites", { uidp: { childrenOf: world.group } });
          // Ties break by uid ascending.
          const sorted = listed.toSorted((a, b) =>
            a.createTime === b.createTime ? compare(a.uid, b.uid) : compare(b.createTime, a.createTime),
          );
          equal(listed, sorted, "the invites");
          const byUid = await world.rows("groupInvites", { uidp: { childrenOf: world.group }, orderBy: "uid" });
          equal(
            byUid,
            listed.toSorted((a, b) => compare(a.uid, b.uid)),
            "the invites by uid",
          );
        }),
        overBoth("by name, which they lack", async ({ api, group }) => {
          const outcome = await api.list("groupInvites", { uidp: { childrenOf: group }, orderBy: "name" });
          refused(outcome, { code: 3, field: "order_by" }, "a List");
        }),
      ],
    },
    {
      id: "invites.expired",
      says: "An expired invite keeps neither its group nor its role.",
      cases: [
        overBoth("its group", async (world) => {
          const group = await world.makeGroup();
          const invite = await make(world, { ttl: "0.001s" }, group);
          await expired(world, invite);
          succeeded(await world.api.delete("groups", group), "deleting the group");
          refused(await world.api.get("groupInvites", invite.uid), { code: 5 }, "reading the invite afterwards");
        }),
        overBoth("its role", async (world) => {
          const roleUid = await world.makeRole(["CAP_REPO_LIST"]);
          await expired(world, await make(world, { roleUid, ttl: "0.001s" }));
          succeeded(await world.api.delete("roles", roleUid), "deleting the role");
        }),
      ],
    },
    {
      id: "invites.missing",
      says: "A missing invite is code 5, and so is a second DELETE.",
      cases: [
        overBoth(async (world) => {
          const { uid } = await make(world);
          succeeded(await world.api.delete("groupInvites", uid), "the first time");
          refused(await world.api.delete("groupInvites", uid), { code: 5, reason: "NOT_FOUND" }, "the second time");
          refused(await world.api.get("groupInvites", uid), { code: 5, reason: "NOT_FOUND" }, "reading it");
          refused(await world.api.update("groupInvites", uid, {}), { code: 5 }, "an update of it");
          refused(await world.api.get("groupInvites", world.group), { code: 5 }, "reading a group as one");
        }),
      ],
    },
    {
      id: "invites.redeeming",
      says: "Redeeming an invite is outside of this API.",
      untried: "there is no method for it",
    },
  ],
};

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
