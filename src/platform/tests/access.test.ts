import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Client, RunningPlatform } from "./running-platform.testing.ts";

let platform: RunningPlatform;
let team: string;
let inner: string;
let other: string;
let viewer: string;
let owner: string;
let teamOwner: Client & { identity: string };
let teamViewer: Client & { identity: string };

beforeAll(async () => {
  platform = await RunningPlatform.start();
  team = await platform.admin.group(platform.root, "team");
  inner = await platform.admin.group(team, "inner");
  other = await platform.admin.group(platform.root, "other");
  viewer = await platform.admin.role("viewer");
  owner = await platform.admin.role("owner");
  teamOwner = await platform.callerWith("owner", team);
  teamViewer = await platform.callerWith("viewer", team);
});
afterAll(() => platform.stop());

const denied = { status: 403, body: { code: 7, details: [{ reason: "PERMISSION_DENIED" }] } };
const hidden = { status: 404, body: { code: 5 } };

describe("authentication", () => {
  it.each([undefined, "", "nonsense", "muster-admin-nonsense", "a.b.c"])(
    "No or bad token (%j): 16, UNAUTHENTICATED",
    async (token) => {
      const answer = await platform.as(token).get("/iam/v2beta1/groups");
      expect(answer).toMatchObject({ status: 401, body: { code: 16, details: [{ reason: "UNAUTHENTICATED" }] } });
      expect(answer.headers.get("www-authenticate")).toBe("Bearer");
      if (token !== undefined && token !== "") expect(answer.text).not.toContain(token);
    },
  );

  it("Every request reads its identity again: deleted → 16", async () => {
    const caller = await platform.callerWith("viewer", team);
    expect((await caller.get(`/iam/v2beta1/groups/${team}`)).status).toBe(200);
    await platform.admin.ok("DELETE", `/iam/v2beta1/identities/${caller.identity}`);
    expect((await caller.get(`/iam/v2beta1/groups/${team}`)).body).toMatchObject({ code: 16 });
  });

  it("The exchanged API token is valid for one hour", async () => {
    const own = await RunningPlatform.start();
    const caller = await own.callerWith("viewer", own.root);
    own.advance(3_590_000);
    expect((await caller.get("/iam/v2beta1/groups")).status).toBe(200);
    own.advance(15_000);
    expect((await caller.get("/iam/v2beta1/groups")).body).toMatchObject({ code: 16 });
    await own.stop();
  });
});

describe("what a caller may see", () => {
  it("A binding holds in its group and in every group below it", async () => {
    for (const uid of [team, inner]) expect((await teamViewer.get(`/iam/v2beta1/groups/${uid}`)).status).toBe(200);
  });

  it("on something it cannot see at all: 5, as if it were not there", async () => {
    for (const uid of [platform.root, other]) {
      const unseen = await teamViewer.get(`/iam/v2beta1/groups/${uid}`);
      expect(unseen).toMatchObject(hidden);
      expect(await teamViewer.patch(`/iam/v2beta1/groups/${uid}`, { name: "x" })).toMatchObject(hidden);
      expect(await teamViewer.post(`/iam/v2beta1/groups/${uid}`, { name: "x" })).toMatchObject(hidden);
      const missing = await teamViewer.get(`/iam/v2beta1/groups/${"0".repeat(40)}`);
      expect(missing.text.replace("0".repeat(40), uid).replace("0".repeat(40), uid)).toBe(unseen.text);
    }
  });

  it("Too few rights on something the caller can see: 7", async () => {
    expect(await teamViewer.patch(`/iam/v2beta1/groups/${team}`, { name: "x" })).toMatchObject(denied);
    expect(await teamViewer.post(`/iam/v2beta1/groups/${team}`, { name: "x" })).toMatchObject(denied);
    expect(await teamViewer.delete(`/iam/v2beta1/groups/${inner}`)).toMatchObject(denied);
    expect(await teamViewer.post(`/iam/v2beta1/identities/${team}`, {})).toMatchObject(denied);
  });

  it("A List is cut down to what the token covers, and counted so", async () => {
    const { groups, totalCount } = await teamViewer.ok("GET", "/iam/v2beta1/groups");
    expect(groups.map(({ uid }) => uid)).toEqual([team, inner]);
    expect(totalCount).toBe("2");
    const above = await teamViewer.ok("GET", `/iam/v2beta1/groups?uidp.descendants_of=${platform.root}`);
    expect(above.groups.map(({ uid }) => uid)).toEqual([team, inner]);
    expect(await teamViewer.ok("GET", `/iam/v2beta1/groups?uidp.children_of=${platform.root}`)).toMatchObject({
      groups: [{ uid: team }],
      totalCount: "1",
    });
    expect(await teamViewer.ok("GET", `/iam/v2beta1/groups?uidp.descendants_of=${other}`)).toMatchObject({
      groups: [],
      totalCount: "0",
    });
    expect(await teamViewer.ok("GET", "/iam/v2beta1/groups?name=team")).toMatchObject({
      groups: [{ uid: team }],
      totalCount: "1",
    });
    expect(await teamViewer.ok("GET", "/iam/v2beta1/groups?name=other")).toMatchObject({ groups: [], totalCount: "0" });
  });

  it("A List without the right anywhere is an empty list, not an error", async () => {
    const puller = await platform.callerWith("registry.pull", team);
    expect((await puller.get("/iam/v2beta1/identities")).body).toEqual({ identities: [], totalCount: "0", skipped: 0 });
    expect((await puller.get(`/iam/v2beta1/groups/${team}`)).status).toBe(200);
  });

  it("Built-in roles can be read by every caller, custom ones with roles.list", async () => {
    const custom = await platform.admin.ok("POST", `/iam/v2beta1/roles/${team}`, {
      name: "custom",
      capabilities: ["CAP_REPO_LIST"],
    });
    const puller = await platform.callerWith("registry.pull", team);
    const seen = await puller.ok("GET", "/iam/v2beta1/roles?order_by=name");
    expect(seen.roles.map(({ name }) => name)).toEqual([
      "editor",
      "limited_owner",
      "owner",
      "registry.pull",
      "registry.push",
      "viewer",
    ]);
    expect(seen.totalCount).toBe("6");
    expect(await puller.get(`/iam/v2beta1/roles/${custom.uid}`)).toMatchObject(denied);
    expect(await teamViewer.ok("GET", "/iam/v2beta1/roles?name=custom")).toMatchObject({ totalCount: "1" });
    expect(await teamViewer.ok("GET", "/iam/v2beta1/roles")).toMatchObject({ totalCount: "7" });
  });
});

describe("nobody can give what they do not have", () => {
  const bind = (caller: Client, group: string, identityUid: string, roleUid: string) =>
    caller.post(`/iam/v2beta1/roleBindings/${group}`, { identityUid, roleUid });

  it("a binding needs every capability of the role, and that the identity is visible", async () => {
    const limited = await platform.callerWith("limited_owner", team);
    const identity = await platform.admin.identity(team);
    expect((await bind(limited, team, identity, viewer)).status).toBe(200);
    expect(await bind(limited, team, identity, owner)).toMatchObject(denied);
    expect(await bind(teamViewer, team, identity, viewer)).toMatchObject(denied);
    const elsewhere = await platform.admin.identity(other);
    expect(await bind(teamOwner, team, elsewhere, viewer)).toMatchObject(hidden);
    expect(await bind(teamOwner, other, identity, viewer)).toMatchObject(hidden);
  });

  it("changing a binding needs every capability of the role that is granted", async () => {
    const identity = await platform.admin.identity(team);
    const binding = await platform.admin.bind(team, identity, viewer);
    const patch = (caller: Client, body: object) => caller.patch(`/iam/v2beta1/roleBindings/${binding}`, body);
    const editing = await platform.admin.ok("POST", `/iam/v2beta1/roles/${team}`, {
      name: "binder",
      capabilities: ["CAP_IAM_ROLE_BINDINGS_UPDATE", "CAP_IAM_ROLE_BINDINGS_LIST", "CAP_IAM_IDENTITY_LIST"],
    });
    const caller = await platform.makeIdentity(platform.root);
    await platform.admin.bind(team, caller, editing.uid);
    const binder = platform.as((await platform.exchange(await platform.incomingToken(caller), caller)).body.token);
    expect(await patch(binder, { roleUid: owner })).toMatchObject(denied);
    expect((await patch(binder, { roleUid: editing.uid })).status).toBe(200);
    expect((await patch(teamOwner, { roleUid: owner })).status).toBe(200);
    expect(await patch(binder, { identityUid: identity })).toMatchObject(denied);
  });

  it("changing how an identity is assumed needs what its bindings give it, where they give it", async () => {
    const identity = await platform.admin.identity(team);
    await platform.admin.bind(other, identity, viewer);
    const patch = (body: object) => teamOwner.patch(`/iam/v2beta1/identities/${identity}`, body);
    expect(await patch({ claimMatch: { subject: "me" } })).toMatchObject(denied);
    expect((await patch({ description: "fine" })).status).toBe(200);
    // The same value is no change.
    expect((await patch({ claimMatch: { subject: "identity" } })).status).toBe(200);
  });

  it("a role needs every capability that it gains; a narrowed token stays narrow", async () => {
    const capabilities = ["CAP_REPO_LIST", "CAP_REPO_DELETE"];
    const push = await platform.callerWith("owner", team, "&cap=roles.create&cap=roles.update&cap=repo.list");
    expect(await push.post(`/iam/v2beta1/roles/${team}`, { name: "r", capabilities })).toMatchObject(denied);
    const role = await push.ok("POST", `/iam/v2beta1/roles/${team}`, { name: "r", capabilities: ["CAP_REPO_LIST"] });
    expect(await push.patch(`/iam/v2beta1/roles/${role.uid}`, { capabilities })).toMatchObject(denied);
    expect((await push.patch(`/iam/v2beta1/roles/${role.uid}`, { name: "renamed" })).status).toBe(200);
    expect((await teamOwner.patch(`/iam/v2beta1/roles/${role.uid}`, { capabilities })).status).toBe(200);
  });

  it("a token narrowed to a group holds there and below only", async () => {
    const narrow = await platform.callerWith("owner", team, `&scope=${inner}`);
    expect((await narrow.patch(`/iam/v2beta1/groups/${inner}`, { description: "x" })).status).toBe(200);
    expect(await narrow.get(`/iam/v2beta1/groups/${team}`)).toMatchObject(hidden);
    const beside = await platform.callerWith("owner", team, `&scopes=${other}`);
    expect(await beside.ok("GET", "/iam/v2beta1/groups")).toMatchObject({ totalCount: "0" });
  });
});

describe("role bindings", () => {
  it("are answered hydrated, without the uids of the request", async () => {
    const identity = await platform.admin.identity(team, "hydrated");
    const made = await platform.admin.ok("POST", `/iam/v2beta1/roleBindings/${team}`, {
      identityUid: identity,
      roleUid: viewer,
    });
    expect(made).toEqual({
      uid: expect.stringMatching(new RegExp(`^${team}/[0-9a-f]{16}$`)),
      identity: {
        uid: identity,
        name: "hydrated",
        description: "",
        subject: "hydrated",
        issuer: "https://issuer.example.com",
      },
      group: { uid: team, name: "team", description: "" },
      role: { uid: viewer, name: "viewer", description: expect.any(String) },
      createTime: expect.any(String),
    });
    expect(await teamViewer.ok("GET", `/iam/v2beta1/roleBindings/${made.uid}`)).toEqual(made);
    const listed = await platform.admin.ok(
      "GET",
      `/iam/v2beta1/roleBindings?identity=${identity}&role=${viewer}&group=${team}`,
    );
    expect(listed).toEqual({ roleBindings: [made], totalCount: "1", skipped: 0 });
  });

  it.each([
    [{}, 3, "identityUid"],
    [{ identityUid: "nonsense" }, 3, "identityUid"],
    [{ identityUid: "0".repeat(40) }, 3, "identityUid"],
  ])("refuse %j with %d, naming %s", async (body, code, field) => {
    const answer = await platform.admin.post(`/iam/v2beta1/roleBindings/${team}`, { roleUid: viewer, ...body });
    expect(answer.body).toMatchObject({ code, details: [{}, { fieldViolations: [{ field }] }] });
  });

  it("answer 5 with the ResourceInfo of an identity or a role that is not there", async () => {
    const missing = `${team}/0000000000000000`;
    const identityUid = await platform.admin.identity(team);
    const post = (body: object) => platform.admin.post(`/iam/v2beta1/roleBindings/${team}`, body);
    expect((await post({ identityUid: missing, roleUid: viewer })).body).toMatchObject({
      code: 5,
      details: [{}, { resourceType: "identity", resourceName: missing }],
    });
    for (const [field, body] of [
      ["identityUid", { identityUid: inner, roleUid: viewer }],
      ["roleUid", { identityUid, roleUid: platform.root }],
    ] as const)
      expect((await post(body)).body).toMatchObject({ code: 3, details: [{}, { fieldViolations: [{ field }] }] });
    expect((await post({ identityUid, roleUid: missing })).body).toMatchObject({
      code: 5,
      details: [{}, { resourceType: "role" }],
    });
  });

  it("A custom role binds in its own group's subtree only; a bound one is not deleted: RESOURCE_IN_USE", async () => {
    const role = await platform.admin.ok("POST", `/iam/v2beta1/roles/${team}`, {
      name: "r",
      capabilities: ["CAP_REPO_LIST"],
    });
    const identityUid = await platform.admin.identity(platform.root);
    const post = (group: string) =>
      platform.admin.post(`/iam/v2beta1/roleBindings/${group}`, { identityUid, roleUid: role.uid });
    expect((await post(other)).body).toMatchObject({ code: 3 });
    expect((await post(inner)).status).toBe(200);
    const kept = await platform.admin.delete(`/iam/v2beta1/roles/${role.uid}`);
    expect(kept.body).toMatchObject({ code: 9, details: [{}, { violations: [{ type: "RESOURCE_IN_USE" }] }] });
    for (const method of ["PATCH", "DELETE"])
      expect((await platform.admin.send(method, `/iam/v2beta1/roles/${viewer}`)).body).toMatchObject({ code: 7 });
  });

  it("A second DELETE answers success, and one that never was too, with role_bindings.delete on its parent", async () => {
    const binding = await platform.admin.bind(team, await platform.admin.identity(team), viewer);
    expect(await teamViewer.delete(`/iam/v2beta1/roleBindings/${binding}`)).toMatchObject(denied);
    for (let time = 0; time < 2; time++)
      expect(await teamOwner.delete(`/iam/v2beta1/roleBindings/${binding}`)).toMatchObject({ status: 200, text: "" });
    expect((await teamOwner.delete(`/iam/v2beta1/roleBindings/${team}/0000000000000000`)).status).toBe(200);
    expect(await teamViewer.delete(`/iam/v2beta1/roleBindings/${team}/0000000000000000`)).toMatchObject(denied);
    expect(await teamOwner.delete(`/iam/v2beta1/roleBindings/${other}/0000000000000000`)).toMatchObject(hidden);
    expect(await teamOwner.delete("/iam/v2beta1/roleBindings/nonsense")).toMatchObject(hidden);
  });

  it("Deleting an identity deletes its bindings and needs identity.delete alone", async () => {
    const identity = await platform.admin.identity(team);
    const binding = await platform.admin.bind(other, identity, viewer);
    const deleter = await platform.callerWith("owner", team, "&cap=identity.delete");
    expect((await deleter.delete(`/iam/v2beta1/identities/${identity}`)).status).toBe(200);
    expect(await platform.admin.get(`/iam/v2beta1/roleBindings/${binding}`)).toMatchObject(hidden);
    expect(await platform.admin.delete(`/iam/v2beta1/identities/${identity}`)).toMatchObject(hidden);
  });

  it("batchCreate makes at most 25, all or nothing", async () => {
    const identities = await Promise.all([1, 2, 3].map((n) => platform.admin.identity(team, `i-${n}`)));
    const group = await platform.admin.group(team);
    const batch = (requests: object[]) =>
      platform.admin.post("/iam/v2beta1/roleBindings:batchCreate", { parent: group, roleUid: viewer, requests });
    const requests = identities.map((identityUid) => ({ roleBinding: { identityUid } }));
    const broken = await batch([...requests, { roleBinding: { identityUid: "nonsense" } }]);
    expect(broken.body).toMatchObject({ code: 3 });
    expect(await platform.admin.ok("GET", `/iam/v2beta1/roleBindings?group=${group}`)).toMatchObject({
      totalCount: "0",
    });
    const { body } = await batch(requests);
    expect(body.roleBindings.map((one) => (one["identity"] as { uid: string }).uid)).toEqual(identities);
    expect((await batch(Array.from({ length: 26 }, () => requests[0] ?? {}))).body).toMatchObject({ code: 3 });
  });
});
