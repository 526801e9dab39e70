import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { digest, Registry } from "./registry-calls.testing.ts";
import { type Client, type Json, RunningPlatform } from "./running-platform.testing.ts";

let platform: RunningPlatform;
let team: string;
beforeAll(async () => {
  platform = await RunningPlatform.start();
  team = await platform.admin.group(platform.root, "team");
});
afterAll(() => platform.stop());

const violation = (field: string) => ({ body: { code: 3, details: [{}, { fieldViolations: [{ field }] }] } });

/** A caller with a role of these capabilities in the team. */
async function callerWith(...capabilities: string[]): Promise<Client> {
  const { uid } = await platform.admin.ok("POST", `/iam/v2beta1/roles/${team}`, { name: "role", capabilities });
  const identity = await platform.makeIdentity(platform.root);
  await platform.admin.bind(team, identity, uid);
  const { body } = await platform.exchange(await platform.subjectToken(identity), identity);
  return platform.as(body.token);
}

describe("a batch of role bindings", () => {
  it("is refused if a request has another role than the batch", async () => {
    const [viewer, editor] = [await platform.admin.role("viewer"), await platform.admin.role("editor")];
    const identityUid = await platform.admin.identity(team);
    const requests = [{ roleBinding: { identityUid } }, { roleBinding: { identityUid, roleUid: editor } }];
    const path = "/iam/v2beta1/roleBindings:batchCreate";
    expect(await platform.admin.post(path, { parent: team, roleUid: viewer, requests })).toMatchObject(
      violation("requests[1].roleBinding.roleUid"),
    );
    const same = [{ roleBinding: { identityUid } }, { roleBinding: { identityUid, roleUid: viewer } }];
    expect((await platform.admin.post(path, { parent: team, roleUid: viewer, requests: same })).status).toBe(200);
  });
});

describe("account associations", () => {
  const path = (uid: string) => `/iam/v2beta1/accountAssociations/${uid}`;

  it.each([
    ["amazon.account", { amazon: { account: "12345678901" } }],
    ["google.projectId", { google: { projectNumber: "1" } }],
    ["google.projectNumber", { google: { projectId: "p", projectNumber: "one" } }],
    ["azure.tenantId", { azure: { clientIds: { a: "b" } } }],
  ])("are refused without a valid %s, on create and on update", async (field, accounts) => {
    expect(await platform.admin.post(path(team), { name: "a", ...accounts })).toMatchObject(violation(field));
    const group = await platform.admin.group(team);
    await platform.admin.ok("POST", path(group), { name: "a" });
    expect(await platform.admin.patch(path(group), accounts)).toMatchObject(violation(field));
  });

  it("can be deleted again by a caller that could have deleted them, and by no other", async () => {
    expect((await platform.admin.delete(path(team))).status).toBe(200);
    const viewer = await platform.callerWith("viewer", team);
    expect((await viewer.delete(path(team))).body).toMatchObject({ code: 7 });
    const absent = await viewer.delete(path(team));
    await platform.admin.ok("POST", path(team), { name: "a" });
    expect((await viewer.delete(path(team))).text).toBe(absent.text);
    await platform.admin.ok("DELETE", path(team));
  });
});

describe("roles", () => {
  it.each([
    ["a mask", "?updateMask=capabilities", {}],
    ["a full replacement", "?updateMask=*", { name: "a" }],
    ["an empty list", "", { capabilities: [] }],
  ])("keep a capability: %s cannot remove all of them", async (_, query, body) => {
    const role = { name: "a", capabilities: ["CAP_IAM_GROUPS_LIST"] };
    const { uid } = await platform.admin.ok("POST", `/iam/v2beta1/roles/${team}`, role);
    expect(await platform.admin.patch(`/iam/v2beta1/roles/${uid}${query}`, body)).toMatchObject(
      violation("capabilities"),
    );
  });
});

describe("capabilities that this platform does not know", () => {
  const role = { name: "a", capabilities: ["CAP_IAM_GROUPS_LIST", 1_701] };
  const path = (uid: string) => `/iam/v2beta1/roles/${uid}`;

  it("are refused by default, also for the admin", async () => {
    expect(await platform.admin.post(path(team), role)).toMatchObject(violation("capabilities[1]"));
  });

  it("are kept and returned if the setting says so, grant nothing, and are written by the admin alone", async () => {
    const keeping = await RunningPlatform.start({ unknownCapabilities: "admin" });
    const group = await keeping.admin.group(keeping.root);
    const { uid } = await keeping.admin.ok("POST", path(group), { name: "a", capabilities: [1_701] });
    expect(await keeping.admin.ok("GET", path(uid))).toMatchObject({ capabilities: [1_701] });
    expect(await keeping.admin.ok("GET", `/iam/v1/roles?id=${uid}`)).toMatchObject({
      items: [{ capabilities: ["1701"] }],
    });
    const owner = await keeping.callerWith("owner", group);
    expect((await owner.post(path(group), role)).body).toMatchObject({ code: 7 });
    expect((await owner.post(path(group), { ...role, capabilities: ["CAP_NOPE"] })).body).toMatchObject({ code: 3 });
    expect((await owner.ok("PATCH", path(uid), { description: "d" })).capabilities).toEqual([1_701]);
    // A caller with no other capability in a group does not see it.
    const identity = await keeping.makeIdentity(keeping.root);
    await keeping.admin.bind(group, identity, uid);
    const { body } = await keeping.exchange(await keeping.subjectToken(identity), identity);
    expect((await keeping.as(body.token).delete(`/iam/v2beta1/groups/${group}`)).body).toMatchObject({ code: 5 });
    await keeping.stop();
  });
});

describe("a v1 PUT", () => {
  it("by the admin resets verified if it is omitted", async () => {
    const { uid } = await platform.admin.ok("POST", `/iam/v2beta1/groups/${team}`, { name: "a", verified: true });
    expect(await platform.admin.ok("PUT", `/iam/v1/groups/${uid}`, { name: "b" })).toMatchObject({ verified: false });
  });
});

describe("v1 repos", () => {
  it("have their tier, bundles, aliases, tags, description and time", async () => {
    const repo = { name: "r", description: "d", catalogTier: "CATALOG_TIER_BASE", bundles: ["b"], aliases: ["a"] };
    const made = await platform.admin.ok("POST", `/registry/v2beta1/repos/${team}`, { ...repo, activeTags: ["1"] });
    const { items } = await platform.admin.ok("GET", `/registry/v1/repos?id=${made.uid}`);
    expect(items).toEqual([
      { ...repo, catalogTier: "BASE", activeTags: ["1"], id: made.uid, createTime: made.createTime },
    ]);
  });

  it("roles of a group are found by their parent", async () => {
    const group = await platform.admin.group(team);
    const role = { name: "a", capabilities: ["CAP_IAM_GROUPS_LIST"] };
    const { uid } = await platform.admin.ok("POST", `/iam/v2beta1/roles/${group}`, role);
    const { items } = await platform.admin.ok("GET", `/iam/v1/roles?parent=${group}`);
    expect((items as Json[]).map(({ id }) => id)).toEqual([uid]);
  });
});

describe("errors do not show what exists", () => {
  it("deleting a binding: equal for one that exists and one that does not", async () => {
    const group = await platform.admin.group(platform.root, "other");
    const identity = await platform.admin.identity(group);
    const binding = await platform.admin.bind(group, identity, await platform.admin.role("viewer"));
    const hidden = await callerWith("CAP_IAM_GROUPS_LIST");
    const seeing = await platform.callerWith("viewer", group);
    for (const client of [hidden, seeing]) {
      const answers = await Promise.all(
        [binding, `${group}/${"0".repeat(16)}`].map(async (uid) =>
          (await client.delete(`/iam/v2beta1/roleBindings/${uid}`)).text.replaceAll(uid, "UID"),
        ),
      );
      expect(answers[0]).toBe(answers[1]);
      expect(answers[0]).toContain("role binding");
    }
  });

  it("deleting a binding: needs the capability on the parent of the uid, which can be that of a group", async () => {
    const group = await platform.admin.group(platform.root, "above");
    const below = await platform.admin.group(group);
    const path = `/iam/v2beta1/roleBindings/${below}`;
    const owner = await platform.callerWith("owner", below);
    // The same as for a uid of which the caller knows nothing.
    const unknown = `${group}/${"0".repeat(16)}`;
    const hidden = await owner.delete(path);
    expect(hidden).toMatchObject({ status: 404, body: { code: 5 } });
    const absent = await owner.delete(`/iam/v2beta1/roleBindings/${unknown}`);
    expect(hidden.text.replaceAll(below, "UID")).toBe(absent.text.replaceAll(unknown, "UID"));
    await platform.admin.bind(group, owner.identity, await platform.admin.role("viewer"));
    expect(await owner.delete(path)).toMatchObject({ status: 403, body: { code: 7 } });
    await platform.admin.bind(group, owner.identity, await platform.admin.role("owner"));
    expect((await owner.delete(path)).status).toBe(200);
    expect((await owner.get(`/iam/v2beta1/groups/${below}`)).status).toBe(200);
  });

  it("creating a tag: equal for one that exists and one that does not", async () => {
    const registry = await Registry.on(platform);
    const repo = await registry.makeRepo(team);
    await registry.makeTag(repo, "exists");
    const caller = await callerWith("CAP_REPO_LIST");
    const answers = await Promise.all(
      ["exists", "absent"].map(
        async (name) => (await caller.post(`/registry/v2beta1/tags/${repo}`, { name, digest: digest(1) })).text,
      ),
    );
    expect(answers[0]).toContain("tag.create");
    expect(answers[1]).toBe(answers[0]);
  });

  it("creating a binding: shows neither the identity nor the role to a caller that can Get neither", async () => {
    const caller = await callerWith("CAP_IAM_ROLE_BINDINGS_CREATE", "CAP_IAM_GROUPS_LIST");
    const identityUid = await platform.admin.identity(team, "secret name");
    const role = (name: string, capability: string) =>
      platform.admin.ok("POST", `/iam/v2beta1/roles/${team}`, { name, capabilities: [capability] });
    const { uid: roleUid } = await role("secret role", "CAP_IAM_GROUPS_LIST");
    const path = `/iam/v2beta1/roleBindings/${team}`;
    const created = await caller.ok("POST", path, { identityUid, roleUid });
    expect(created).toMatchObject({ identity: { uid: identityUid, name: "", issuer: "" }, role: { uid: roleUid } });
    expect(JSON.stringify(created)).not.toMatch(/secret|issuer\.example/);
    const batch = { parent: team, requests: [{ roleBinding: { identityUid, roleUid } }] };
    expect((await caller.post("/iam/v2beta1/roleBindings:batchCreate", batch)).text).not.toMatch(/secret|issuer\.ex/);

    const { uid: other } = await role("secret role", "CAP_REPO_DELETE");
    const refused = await caller.post(path, { identityUid, roleUid: other });
    expect(refused.body).toMatchObject({ code: 7 });
    expect(refused.text).not.toMatch(/secret|repo\.delete/);
    // The admin can read both.
    expect(await platform.admin.ok("POST", path, { identityUid, roleUid })).toMatchObject({
      identity: { name: "secret name" },
      role: { name: "secret role" },
    });
  });
});
