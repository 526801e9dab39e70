import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Json, RunningPlatform } from "./running-platform.testing.ts";

let platform: RunningPlatform;
let team: string;
let viewer: string;
beforeAll(async () => {
  platform = await RunningPlatform.start();
  team = await platform.admin.group(platform.root, "team");
  viewer = await platform.admin.role("viewer");
});
afterAll(() => platform.stop());

const path = (uid: string) => `/iam/v2beta1/groupInvites/${uid}`;
const day = 24 * 60 * 60;
const invite = () => ({ roleUid: viewer, ttl: `${day}s` });
const make = (body: object = {}, group = team) => platform.admin.ok("POST", path(group), { ...invite(), ...body });
const violation = (field: string) => ({ code: 3, details: [{}, { fieldViolations: [{ field }] }] });

describe("group invites", () => {
  it("the code is only in the answer to create; ttl is write only and becomes expirationTime", async () => {
    await make();
    const made = await make({ email: "somebody@example.com", singleUse: true });
    const role = await platform.admin.ok("GET", `/iam/v2beta1/roles/${viewer}`);
    expect(made).toEqual({
      uid: expect.stringMatching(new RegExp(`^${team}/[0-9a-f]{16}$`)),
      roleUid: viewer,
      role: { uid: viewer, name: "viewer", description: role["description"], capabilities: role.capabilities },
      email: "somebody@example.com",
      expirationTime: expect.any(String),
      singleUse: true,
      code: expect.stringMatching(/^[0-9a-f]{16}\.[\w-]{43}$/),
      keyId: (made["code"] as string).slice(0, 16),
      createTime: expect.any(String),
      updateTime: made.createTime,
    });
    expect(Date.parse(made["expirationTime"] as string) - Date.parse(made.createTime)).toBe(day * 1_000);
    const { code, ...shown } = made;
    const read = await platform.admin.get(path(made.uid));
    expect(read.body).toEqual(shown);
    const listed = await platform.admin.get(`/iam/v2beta1/groupInvites?key_id=${String(made["keyId"])}`);
    expect(listed.body).toEqual({ groupInvites: [shown], totalCount: "1", skipped: 0 });
    const patched = await platform.admin.patch(path(made.uid), { singleUse: false });
    expect(patched.body).toEqual({ ...shown, singleUse: false, updateTime: patched.body.updateTime });
    for (const { text } of [read, listed, patched]) {
      expect(text).not.toContain((code as string).slice(17));
      expect(text).not.toContain('"code"');
    }
  });

  it.each([
    ["no role", { roleUid: "" }, "roleUid"],
    ["no ttl", { ttl: undefined }, "ttl"],
    ["a ttl of nothing", { ttl: "0s" }, "ttl"],
    ["a ttl in the past", { ttl: "-1s" }, "ttl"],
    ["a ttl beyond all time", { ttl: "999999999999s" }, "ttl"],
    ["a ttl that is no duration", { ttl: "1d" }, "ttl"],
    ["an address that is none", { email: "somebody" }, "email"],
    ["an unknown field", { nope: 1 }, "nope"],
  ])("refuse %s", async (_, body, field) => {
    const answer = await platform.admin.post(path(team), { ...invite(), ...body });
    expect(answer.body).toMatchObject(violation(field));
  });

  it("PATCH may change email and singleUse, and nothing else", async () => {
    const { uid } = await make();
    const patch = (body: object, query = "") => platform.admin.patch(path(uid) + query, body);
    expect((await patch({ email: "a@example.com", singleUse: true })).body).toMatchObject({
      email: "a@example.com",
      singleUse: true,
    });
    expect((await patch({ email: "" })).body).toMatchObject({ email: "", singleUse: true });
    for (const [body, query] of [
      [{ roleUid: await platform.admin.role("owner") }, ""],
      [{ ttl: "60s" }, ""],
      [{}, "?updateMask=roleUid"],
      [{}, "?updateMask=ttl"],
      [{}, "?updateMask=keyId"],
      [{}, "?updateMask=code"],
    ] as const)
      expect((await patch(body, query)).body).toMatchObject({ code: 3 });
    const replaced = await patch({ email: "b@example.com" }, "?updateMask=*");
    expect(replaced.body).toMatchObject({ email: "b@example.com", singleUse: false, roleUid: viewer });
  });

  it("default order created_at desc", async () => {
    const group = await platform.admin.group(platform.root);
    const uids: string[] = [];
    for (let n = 0; n < 3; n++) {
      uids.push((await make({}, group)).uid);
      platform.advance(1_000);
    }
    const list = async (query = "") =>
      (
        (await platform.admin.ok("GET", `/iam/v2beta1/groupInvites?uidp.children_of=${group}${query}`))[
          "groupInvites"
        ] as Json[]
      ).map(({ uid }) => uid);
    expect(await list()).toEqual(uids.toReversed());
    expect(await list("&order_by=created_at")).toEqual(uids);
    expect((await platform.admin.get("/iam/v2beta1/groupInvites?order_by=name")).body).toMatchObject(
      violation("order_by"),
    );
  });

  it("expired ones do not count as children, nor as a use of their role, and go with their group", async () => {
    const group = await platform.admin.group(platform.root);
    const role = await platform.admin.ok("POST", `/iam/v2beta1/roles/${team}`, {
      name: "r",
      capabilities: ["CAP_REPO_LIST"],
    });
    const { uid: ofRole } = await make({ roleUid: role.uid });
    const { uid } = await make({}, group);
    const kept = await platform.admin.delete(`/iam/v2beta1/groups/${group}`);
    expect(kept.body).toMatchObject({ code: 9, details: [{}, { violations: [{ type: "RESOURCE_NOT_EMPTY" }] }] });
    const used = await platform.admin.delete(`/iam/v2beta1/roles/${role.uid}`);
    expect(used.body).toMatchObject({ code: 9, details: [{}, { violations: [{ type: "RESOURCE_IN_USE" }] }] });
    platform.advance(day * 1_000);
    await platform.admin.ok("DELETE", `/iam/v2beta1/roles/${role.uid}`);
    expect(await platform.admin.ok("GET", path(ofRole))).not.toHaveProperty("role");
    await platform.admin.ok("DELETE", `/iam/v2beta1/groups/${group}`);
    expect((await platform.admin.get(path(uid))).body).toMatchObject({ code: 5 });
    expect(await platform.admin.ok("GET", `/iam/v2beta1/groupInvites?uidp.descendants_of=${group}`)).toMatchObject({
      totalCount: "0",
    });
  });

  it("creating an invite needs role_bindings.create too, and every capability of the role", async () => {
    const denied = { code: 7, details: [{ reason: "PERMISSION_DENIED" }] };
    const invites = "&cap=group_invites.create&cap=groups.list&cap=repo.list&cap=tag.list";
    const roleUid = await platform.admin.role("registry.pull");
    const unbinding = await platform.callerWith("owner", team, invites);
    expect((await unbinding.post(path(team), { ...invite(), roleUid })).body).toMatchObject(denied);
    const binding = await platform.callerWith("owner", team, `${invites}&cap=role_bindings.create`);
    expect((await binding.post(path(team), invite())).body).toMatchObject(denied);
    expect((await binding.post(path(team), { ...invite(), roleUid })).status).toBe(200);
    // To send an invite to somebody else is to give its role.
    const { uid } = await make();
    expect((await binding.patch(path(uid), { email: "me@example.com" })).body).toMatchObject(denied);
    const deleter = await platform.callerWith("owner", team, "&cap=group_invites.delete");
    await deleter.ok("DELETE", path(uid));
  });
});
