import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RunningPlatform } from "./running-platform.ts";

let platform: RunningPlatform;
beforeAll(async () => {
  platform = await RunningPlatform.start();
});
afterAll(() => platform.stop());

const path = (uid: string) => `/iam/v2beta1/groups/${uid}`;

describe("groups", () => {
  it("A child's uid extends the uid path of its parent group; zero values are written out; times have milliseconds", async () => {
    const { status, body, headers } = await platform.admin.post(path(platform.root), {
      name: "team a",
      description: "d",
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      uid: expect.stringMatching(new RegExp(`^${platform.root}/[0-9a-f]{16}$`)),
      name: "team a",
      description: "d",
      resourceLimits: {},
      verified: false,
      createTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updateTime: body.createTime,
    });
    expect(headers.get("content-type")).toBe("application/json");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(await platform.admin.ok("GET", path(body.uid))).toEqual(body);
  });

  it("A create request lacks a valid name: code 3, INVALID_ARGUMENT, a violation for the field", async () => {
    for (const body of [undefined, {}, { name: "Upper" }, { name: "" }, { name: "a\n" }]) {
      const answer = await platform.admin.post(path(platform.root), body);
      expect(answer.status).toBe(400);
      expect(answer.body).toEqual({
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
    [{ name: 7 }, "name"],
    [{ name: "a", description: "x".repeat(513) }, "description"],
    [{ name: "a", description: "two\nlines" }, "description"],
    [{ name: "a", verified: "yes" }, "verified"],
    ["[]", "body"],
    ["{", "body"],
    ['"a"', "body"],
  ])("refuses %j, naming %s", async (body, field) => {
    const answer = await platform.admin.post(path(platform.root), body);
    expect(answer.body).toMatchObject({ code: 3, details: [{}, { fieldViolations: [{ field }] }] });
  });

  it("ignores read-only fields of a body", async () => {
    const group = await platform.admin.ok("POST", path(platform.root), { name: "a", uid: "mine", createTime: "never" });
    expect(group.uid).toContain(platform.root);
  });

  it("answers 5 with a ResourceInfo for a parent or a group that is not there", async () => {
    const missing = `${platform.root}/0000000000000000`;
    for (const uid of [missing, "nonsense", `${platform.root}/`, ""]) {
      if (uid !== "") {
        const posted = await platform.admin.post(path(uid), { name: "a" });
        expect(posted.body).toMatchObject({ code: 5 });
      }
      const answer = await platform.admin.delete(path(uid));
      expect(answer.status).toBe(404);
      expect(answer.body).toMatchObject({
        code: 5,
        details: [{ reason: "NOT_FOUND" }, { "@type": "type.googleapis.com/google.rpc.ResourceInfo" }],
      });
    }
  });

  describe("partial update", () => {
    const make = async () => {
      const { uid } = await platform.admin.ok("POST", path(platform.root), { name: "before", description: "d" });
      return uid;
    };

    it("Without updateMask, only the fields present in the body are changed; an empty text clears one", async () => {
      const uid = await make();
      expect(await platform.admin.ok("PATCH", path(uid), { name: "after" })).toMatchObject({
        name: "after",
        description: "d",
      });
      expect(await platform.admin.ok("PATCH", path(uid), { description: "" })).toMatchObject({
        name: "after",
        description: "",
      });
      expect(await platform.admin.ok("PATCH", path(uid), {})).toMatchObject({ name: "after", description: "" });
      expect(await platform.admin.ok("PATCH", path(uid), { description: null })).toMatchObject({ description: "" });
    });

    it("With updateMask, only the listed fields change; other fields in the body are ignored, whatever they are", async () => {
      const uid = await make();
      for (const mask of ["updateMask=description", "update_mask=description"])
        expect(
          await platform.admin.ok("PATCH", `${path(uid)}?${mask}`, { name: 7, description: "new", nope: true }),
        ).toMatchObject({ name: "before", description: "new" });
    });

    it("A listed field that the body lacks is reset; * is full replacement and stands alone", async () => {
      const uid = await make();
      expect(await platform.admin.ok("PATCH", `${path(uid)}?updateMask=description`, {})).toMatchObject({
        description: "",
      });
      await platform.admin.ok("PATCH", path(uid), { description: "d", verified: true });
      expect(await platform.admin.ok("PATCH", `${path(uid)}?updateMask=*`, { name: "only" })).toMatchObject({
        name: "only",
        description: "",
        verified: true,
      });
      expect((await platform.admin.patch(`${path(uid)}?updateMask=*`, { name: "a", nope: 1 })).body).toMatchObject({
        code: 3,
      });
    });

    it.each(["nope", "uid", "createTime", "*,name", "resourceLimits.clusters"])("refuses the mask %s", async (mask) => {
      const answer = await platform.admin.patch(`${path(await make())}?updateMask=${mask}`, { name: "a" });
      expect(answer.body).toMatchObject({ code: 3, details: [{}, { fieldViolations: [{ field: "update_mask" }] }] });
    });

    it("moves updateTime and keeps createTime", async () => {
      const { uid, createTime } = await platform.admin.ok("POST", path(platform.root), { name: "a" });
      platform.advance(1_000);
      const after = await platform.admin.ok("PATCH", path(uid), { name: "b" });
      expect(after.createTime).toBe(createTime);
      expect(Date.parse(after.updateTime) - Date.parse(after.createTime)).toBeGreaterThanOrEqual(1_000);
    });
  });

  it("Deleting answers 200 with no body at all; a second time it is 5", async () => {
    const uid = await platform.admin.group(platform.root);
    const answer = await platform.admin.delete(path(uid));
    expect(answer).toMatchObject({ status: 200, text: "" });
    expect((await platform.admin.delete(path(uid))).body).toMatchObject({ code: 5 });
    expect((await platform.admin.get(path(uid))).body).toMatchObject({ code: 5 });
  });

  it("Deleting a group with children of any sort: 9, RESOURCE_NOT_EMPTY, the first present", async () => {
    const uid = await platform.admin.group(platform.root);
    const expectKept = async (types: string) => {
      const { status, body } = await platform.admin.delete(path(uid));
      expect(status).toBe(400);
      expect(body).toEqual({
        code: 9,
        message: `Precondition failed: cannot delete group with child ${types}`,
        details: [
          {
            "@type": "type.googleapis.com/google.rpc.ErrorInfo",
            reason: "FAILED_PRECONDITION",
            domain: "iam.muster.dev",
          },
          {
            "@type": "type.googleapis.com/google.rpc.PreconditionFailure",
            violations: [{ type: "RESOURCE_NOT_EMPTY", description: `cannot delete group with child ${types}` }],
          },
        ],
      });
    };
    const viewer = await platform.admin.role("viewer");
    const make = async (collection: string, body: object) =>
      `${collection}/${(await platform.admin.ok("POST", `/${collection}/${uid}`, body)).uid}`;
    const oidc = { issuer: "https://login.example.com", clientId: "c", pkceEnabled: true };
    const role = { name: "r", capabilities: ["CAP_REPO_LIST"] };
    const claimMatch = { issuer: "https://issuer.example.com", subject: "s" };
    const identityUid = await platform.admin.identity(platform.root);
    // The last that is told first: each later one comes before it.
    const children: [types: string, path: string, body: object][] = [
      ["group invites", "iam/v2beta1/groupInvites", { roleUid: viewer, ttl: "60s" }],
      ["account associations", "iam/v2beta1/accountAssociations", { name: "a" }],
      ["identity providers", "iam/v2beta1/identityProviders", { name: "p", defaultRole: viewer, oidc }],
      ["role bindings", "iam/v2beta1/roleBindings", { identityUid, roleUid: viewer }],
      ["roles", "iam/v2beta1/roles", role],
      ["identities", "iam/v2beta1/identities", { name: "i", claimMatch }],
      ["groups", "iam/v2beta1/groups", { name: "g" }],
      ["repos", "registry/v2beta1/repos", { name: "r" }],
    ];
    const made: string[] = [];
    for (const [types, collection, body] of children) {
      made.push(await make(collection, body));
      await expectKept(types);
    }
    for (const one of made) await platform.admin.ok("DELETE", `/${one}`);
    await platform.admin.ok("DELETE", path(uid));
  });

  it("POST with an empty parent creates a root group: by default the admin may", async () => {
    const { uid } = await platform.admin.ok("POST", "/iam/v2beta1/groups", { name: "another root" });
    expect(uid).toMatch(/^[0-9a-f]{40}$/);
    const caller = await platform.callerWith("owner", platform.root);
    expect((await caller.post("/iam/v2beta1/groups", { name: "mine" })).body).toMatchObject({ code: 7 });
    await platform.admin.ok("DELETE", path(uid));
  });

  it("verified is changed by the admin alone; a mask that names it with the present value is fine", async () => {
    const caller = await platform.callerWith("owner", platform.root);
    const uid = await caller.group(platform.root);
    expect((await caller.patch(path(uid), { verified: true })).body).toMatchObject({ code: 7 });
    expect((await caller.patch(`${path(uid)}?updateMask=verified,name`, { verified: false, name: "b" })).status).toBe(
      200,
    );
    expect(await platform.admin.ok("PATCH", path(uid), { verified: true })).toMatchObject({ verified: true });
  });
});

describe("settings of the platform", () => {
  it("--unique-names refuses a name that a sibling has with code 6, ALREADY_EXISTS", async () => {
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
    await strict.stop();
  });

  it("Sibling names need not be unique and equal bindings may exist twice by default", async () => {
    expect(await platform.admin.group(platform.root, "twin")).not.toBe(
      await platform.admin.group(platform.root, "twin"),
    );
  });

  it("--consistency-lag answers 7 for a new group's children for a while", async () => {
    const lagging = await RunningPlatform.start({ consistencyLag: 5_000 });
    lagging.advance(10_000);
    const uid = await lagging.admin.group(lagging.root);
    expect((await lagging.admin.post(path(uid), { name: "child" })).body).toMatchObject({ code: 7 });
    lagging.advance(5_000);
    await lagging.admin.group(uid);
    await lagging.stop();
  });

  it("answers {} to DELETE, ignores unknown fields and lets anyone make a root group where it is told to", async () => {
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
    // The binding that was made with a root group goes with it.
    expect((await caller.delete(path(root.uid))).status).toBe(200);
    expect(await lenient.admin.ok("GET", `/iam/v2beta1/roleBindings?group=${root.uid}`)).toMatchObject({
      totalCount: "0",
    });
    await lenient.stop();
  });
});
