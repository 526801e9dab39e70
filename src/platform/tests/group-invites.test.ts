import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RunningPlatform } from "./running-platform.testing.ts";

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
  it("return their code only from Create, with the keyId as its prefix", async () => {
    await make();
    const created = await make({ email: "somebody@example.com", singleUse: true });
    const role = await platform.admin.ok("GET", `/iam/v2beta1/roles/${viewer}`);
    expect(created).toEqual({
      uid: expect.stringMatching(new RegExp(`^${team}/[0-9a-f]{16}$`)),
      roleUid: viewer,
      role: { uid: viewer, name: "viewer", description: role["description"], capabilities: role.capabilities },
      email: "somebody@example.com",
      expirationTime: expect.any(String),
      singleUse: true,
      code: expect.stringMatching(/^[0-9a-f]{16}\.[\w-]{43}$/),
      keyId: (created["code"] as string).slice(0, 16),
      createTime: expect.any(String),
      updateTime: created.createTime,
    });
    expect(Date.parse(created["expirationTime"] as string) - Date.parse(created.createTime)).toBe(day * 1_000);
    const { code, ...shown } = created;
    const read = await platform.admin.get(path(created.uid));
    expect(read.body).toEqual(shown);
    const listed = await platform.admin.get(`/iam/v2beta1/groupInvites?key_id=${String(created["keyId"])}`);
    expect(listed.body).toEqual({ groupInvites: [shown], totalCount: "1", skipped: 0 });
    const patched = await platform.admin.patch(path(created.uid), { singleUse: false });
    expect(patched.body).toEqual({ ...shown, singleUse: false, updateTime: patched.body.updateTime });
    for (const { text } of [read, listed, patched]) {
      expect(text).not.toContain((code as string).slice(17));
      expect(text).not.toContain('"code"');
    }
  });

  it.each([
    ["a ttl beyond the range of timestamps", { ttl: "999999999999s" }, "ttl"],
    ["an invalid e-mail address", { email: "somebody" }, "email"],
    ["an unknown field", { nope: 1 }, "nope"],
  ])("reject %s", async (_, body, field) => {
    const response = await platform.admin.post(path(team), { ...invite(), ...body });
    expect(response.body).toMatchObject(violation(field));
  });
});
