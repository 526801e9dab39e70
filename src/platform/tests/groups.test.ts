import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RunningPlatform } from "./running-platform.testing.ts";

let platform: RunningPlatform;
beforeAll(async () => {
  platform = await RunningPlatform.start();
});
afterAll(() => platform.stop());

const path = (uid: string) => `/iam/v2beta1/groups/${uid}`;

describe("groups", () => {
  it("returns resources as JSON that must not be cached", async () => {
    const { headers } = await platform.admin.post(path(platform.root), { name: "team a" });
    expect(headers.get("content-type")).toBe("application/json");
    expect(headers.get("cache-control")).toBe("no-store");
  });

  it("returns the whole error of a Create without a valid name", async () => {
    for (const body of [undefined, {}, { name: "Upper" }, { name: "" }, { name: "a\n" }]) {
      const response = await platform.admin.post(path(platform.root), body);
      expect(response.status).toBe(400);
      expect(response.body).toEqual({
        code: 3,
        message: 'Invalid argument: name: name must match "^[a-z0-9 ._-]{1,}$"',
        details: [
          { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "INVALID_ARGUMENT", domain: "iam.muster.dev" },
          {
            "@type": "type.googleapis.com/google.rpc.BadRequest",
            fieldViolations: [{ field: "name", description: 'name must match "^[a-z0-9 ._-]{1,}$"' }],
          },
        ],
      });
    }
  });

  it.each([
    [{ name: "a", nope: 1 }, "nope"],
    [{ name: "a", verified: "yes" }, "verified"],
    ["[]", "body"],
    ["{", "body"],
    ['"a"', "body"],
  ])("rejects %j with a violation of %s", async (body, field) => {
    const response = await platform.admin.post(path(platform.root), body);
    expect(response.body).toMatchObject({ code: 3, details: [{}, { fieldViolations: [{ field }] }] });
  });

  it("ignores read-only fields of a body, even invalid ones", async () => {
    const group = await platform.admin.ok("POST", path(platform.root), { name: "a", uid: "mine", createTime: "never" });
    expect(group.uid).toContain(platform.root);
  });

  it("rejects an unknown field with the mask *", async () => {
    const uid = await platform.admin.group(platform.root);
    const response = await platform.admin.patch(`${path(uid)}?updateMask=*`, { name: "a", nope: 1 });
    expect(response.body).toMatchObject({ code: 3 });
  });

  it("returns 5 with a ResourceInfo for a missing or malformed uid", async () => {
    const missing = `${platform.root}/0000000000000000`;
    for (const uid of [missing, "nonsense", `${platform.root}/`, ""]) {
      if (uid !== "") {
        const created = await platform.admin.post(path(uid), { name: "a" });
        expect(created.body).toMatchObject({ code: 5 });
      }
      const deleted = await platform.admin.delete(path(uid));
      expect(deleted.status).toBe(404);
      expect(deleted.body).toMatchObject({
        code: 5,
        details: [{ reason: "NOT_FOUND" }, { "@type": "type.googleapis.com/google.rpc.ResourceInfo" }],
      });
    }
  });

  it("returns an empty body after a Delete", async () => {
    const uid = await platform.admin.group(platform.root);
    expect(await platform.admin.delete(path(uid))).toMatchObject({ status: 200, text: "" });
  });

  it("lets only the admin create a root group", async () => {
    const { uid } = await platform.admin.ok("POST", "/iam/v2beta1/groups", { name: "another root" });
    expect(uid).toMatch(/^[0-9a-f]{40}$/);
    const caller = await platform.callerWith("owner", platform.root);
    expect((await caller.post("/iam/v2beta1/groups", { name: "mine" })).body).toMatchObject({ code: 7 });
    await platform.admin.ok("DELETE", path(uid));
  });

  it("accepts equal names of siblings and equal bindings", async () => {
    const { admin, root } = platform;
    expect(await admin.group(root, "twin")).not.toBe(await admin.group(root, "twin"));
    const identity = await admin.identity(root);
    const viewer = await admin.role("viewer");
    expect(await admin.bind(root, identity, viewer)).not.toBe(await admin.bind(root, identity, viewer));
  });
});

describe("settings of the platform", () => {
  it("--unique-names rejects equal names of siblings and equal bindings with code 6, ALREADY_EXISTS", async () => {
    const strict = await RunningPlatform.start({ uniqueNames: true });
    const parent = await strict.admin.group(strict.root, "a");
    await strict.admin.group(parent, "a");
    const again = await strict.admin.post(path(parent), { name: "a" });
    expect(again.status).toBe(409);
    expect(again.body).toMatchObject({ code: 6, details: [{ reason: "ALREADY_EXISTS" }] });
    const other = await strict.admin.group(parent, "b");
    expect((await strict.admin.patch(path(other), { name: "a" })).body).toMatchObject({ code: 6 });
    await strict.admin.ok("PATCH", path(other), { name: "b", description: "d" });
    const identity = await strict.admin.identity(parent);
    const viewer = await strict.admin.role("viewer");
    await strict.admin.bind(parent, identity, viewer);
    const equal = await strict.admin.post(`/iam/v2beta1/roleBindings/${parent}`, {
      identityUid: identity,
      roleUid: viewer,
    });
    expect(equal.body).toMatchObject({ code: 6 });
    const twice = [1, 2].map(() => ({ parent: other, roleBinding: { identityUid: identity, roleUid: viewer } }));
    const batch = await strict.admin.post("/iam/v2beta1/roleBindings:batchCreate", { requests: twice });
    expect(batch.body).toMatchObject({ code: 6 });
    await strict.stop();
  });

  it("--consistency-lag makes calls in a new group fail with code 7 for its duration", async () => {
    const lagging = await RunningPlatform.start({ consistencyLag: 5_000 });
    lagging.advance(10_000);
    const uid = await lagging.admin.group(lagging.root);
    expect((await lagging.admin.post(path(uid), { name: "child" })).body).toMatchObject({ code: 7 });
    lagging.advance(5_000);
    await lagging.admin.group(uid);
    await lagging.stop();
  });

  it("can return {} from Delete, ignore unknown fields, and let anyone create a root group", async () => {
    const lenient = await RunningPlatform.start({
      deleteResponse: "object",
      unknownFields: "ignore",
      rootGroupCreators: "anyone",
    });
    const { uid } = await lenient.admin.ok("POST", path(lenient.root), { name: "a", nope: 1 });
    expect((await lenient.admin.delete(path(uid))).text).toBe("{}");
    const caller = await lenient.callerWith("viewer", lenient.root);
    const root = await caller.ok("POST", "/iam/v2beta1/groups", { name: "mine" });
    const { roleBindings } = await caller.ok("GET", `/iam/v2beta1/roleBindings?uidp.children_of=${root.uid}`);
    expect(roleBindings).toMatchObject([{ identity: { uid: caller.identity }, role: { name: "owner" } }]);
    // The binding that was created with a root group is deleted with it.
    expect((await caller.delete(path(root.uid))).status).toBe(200);
    expect(await lenient.admin.ok("GET", `/iam/v2beta1/roleBindings?group=${root.uid}`)).toMatchObject({
      totalCount: "0",
    });
    await lenient.stop();
  });
});
