import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RunningPlatform } from "./running-platform.testing.ts";

let platform: RunningPlatform;
beforeAll(async () => {
  platform = await RunningPlatform.start();
});
afterAll(() => platform.stop());

const path = (uid: string) => `/iam/v2beta1/groups/${uid}`;

describe("by default", () => {
  it("lets only the admin create a root group", async () => {
    const { uid } = await platform.admin.ok("POST", "/iam/v2beta1/groups", { name: "another root" });
    expect(uid).toMatch(/^[0-9a-f]{40}$/);
    const caller = await platform.callerWith("owner", platform.root);
    expect((await caller.post("/iam/v2beta1/groups", { name: "mine" })).body).toMatchObject({ code: 7 });
    await platform.admin.ok("DELETE", path(uid));
  });

  it("refuses unknown fields, at any depth, also if everything is replaced", async () => {
    const { admin, root } = platform;
    const claimMatch = { issuer: "https://issuer.example.com", subject: "s", nope: 1 };
    const uid = await admin.group(root);
    for (const [field, { body }] of [
      ["nope", await admin.post(path(root), { name: "a", nope: 1 })],
      ["nope", await admin.patch(path(uid), { name: "a", nope: 1 })],
      ["nope", await admin.patch(`${path(uid)}?updateMask=*`, { name: "a", nope: 1 })],
      ["claimMatch.nope", await admin.post(`/iam/v2beta1/identities/${root}`, { name: "a", claimMatch })],
    ] as const)
      expect(body).toMatchObject({ code: 3, details: [{}, { fieldViolations: [{ field }] }] });
  });

  it("returns neither a body nor a content type from Delete", async () => {
    const { status, text, headers } = await platform.admin.delete(path(await platform.admin.group(platform.root)));
    expect({ status, text, type: headers.get("content-type"), length: headers.get("content-length") }).toEqual({
      status: 200,
      text: "",
      type: null,
      length: "0",
    });
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
    await strict.admin.ok("POST", `/registry/v2beta1/repos/${parent}`, { name: "a" });
    const { uid: repo } = await strict.admin.ok("POST", `/registry/v2beta1/repos/${parent}`, { name: "b" });
    for (const twin of [
      await strict.admin.post(`/registry/v2beta1/repos/${parent}`, { name: "a" }),
      await strict.admin.patch(`/registry/v2beta1/repos/${repo}`, { name: "a" }),
    ])
      expect(twin.body).toMatchObject({ code: 6 });
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
    const { text, headers } = await lenient.admin.delete(path(uid));
    expect([text, headers.get("content-type")]).toEqual(["{}", "application/json"]);
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

describe("capabilities that this platform does not know", () => {
  const role = { name: "a", capabilities: ["CAP_IAM_GROUPS_LIST", 1_701] };
  const rolePath = (uid: string) => `/iam/v2beta1/roles/${uid}`;

  it("are refused by default, also for the admin", async () => {
    expect(await platform.admin.post(rolePath(platform.root), role)).toMatchObject({
      body: { code: 3, details: [{}, { fieldViolations: [{ field: "capabilities[1]" }] }] },
    });
  });

  it("are kept and returned if the setting says so, grant nothing, and are written by the admin alone", async () => {
    const keeping = await RunningPlatform.start({ unknownCapabilities: "admin" });
    const group = await keeping.admin.group(keeping.root);
    const { uid } = await keeping.admin.ok("POST", rolePath(group), { name: "a", capabilities: [1_701] });
    expect(await keeping.admin.ok("GET", rolePath(uid))).toMatchObject({ capabilities: [1_701] });
    expect(await keeping.admin.ok("GET", `/iam/v1/roles?id=${uid}`)).toMatchObject({
      items: [{ capabilities: ["1701"] }],
    });
    const owner = await keeping.callerWith("owner", group);
    expect((await owner.post(rolePath(group), role)).body).toMatchObject({ code: 7 });
    expect((await owner.post(rolePath(group), { ...role, capabilities: ["CAP_NOPE"] })).body).toMatchObject({
      code: 3,
    });
    expect((await owner.ok("PATCH", rolePath(uid), { description: "d" })).capabilities).toEqual([1_701]);
    // A caller with no other capability in a group does not see it.
    const identity = await keeping.makeIdentity(keeping.root);
    await keeping.admin.bind(group, identity, uid);
    const { body } = await keeping.exchange(await keeping.subjectToken(identity), identity);
    expect((await keeping.as(body.token).delete(`/iam/v2beta1/groups/${group}`)).body).toMatchObject({ code: 5 });
    await keeping.stop();
  });
});
