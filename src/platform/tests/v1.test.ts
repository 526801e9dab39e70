import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Groups } from "../gen/muster/platform/iam/groups_pb.ts";
import { Identities } from "../gen/muster/platform/iam/identities_pb.ts";
import { type Json, RunningPlatform } from "./running-platform.testing.ts";

let platform: RunningPlatform;
let team: string;
beforeAll(async () => {
  platform = await RunningPlatform.start();
  team = await platform.admin.group(platform.root, "team");
});
afterAll(() => platform.stop());

const items = async (path: string, caller = platform.admin) =>
  (await caller.ok("GET", `/iam/v1/${path}`))["items"] as Json[];

describe("v1", () => {
  it("groups: items, unpaged, with id for uid and without times", async () => {
    const parent = await platform.admin.group(team, "many");
    const made = await Promise.all(Array.from({ length: 230 }, (_, n) => platform.admin.group(parent, `g${n}`)));
    const answer = await platform.admin.ok("GET", `/iam/v1/groups?uidp.children_of=${parent}`);
    expect(Object.keys(answer)).toEqual(["items"]);
    const listed = answer["items"] as Json[];
    expect(listed.map((one) => one["id"])).toEqual(made.toSorted());
    expect(await items(`groups?id=${team}`)).toEqual([
      { id: team, name: "team", description: "", resourceLimits: {}, verified: false },
    ]);
    expect(await items("groups?name=g7")).toMatchObject([{ name: "g7" }]);
  });

  it("POST makes a group; PUT is full replacement: omitted fields reset; DELETE", async () => {
    const made = await platform.admin.ok("POST", `/iam/v1/groups/${team}`, { name: "a", description: "d" });
    const id = made["id"] as string;
    expect(made).toEqual({ id, name: "a", description: "d", resourceLimits: {}, verified: false });
    const replaced = await platform.admin.ok("PUT", `/iam/v1/groups/${id}`, { id, name: "b", resourceLimits: {} });
    expect(replaced).toEqual({ id, name: "b", description: "", resourceLimits: {}, verified: false });
    expect(await platform.admin.ok("GET", `/iam/v2beta1/groups/${id}`)).toMatchObject({ name: "b", description: "" });
    expect((await platform.admin.send("PUT", `/iam/v1/groups/${id}`, {})).body).toMatchObject({
      code: 3,
      details: [{}, { fieldViolations: [{ field: "name" }] }],
    });
    expect(await platform.admin.delete(`/iam/v1/groups/${id}`)).toMatchObject({ status: 200, text: "" });
  });

  it("verified stays the admin's: a PUT that leaves it out keeps it", async () => {
    const { uid } = await platform.admin.ok("POST", `/iam/v2beta1/groups/${team}`, { name: "a", verified: true });
    const owner = await platform.callerWith("owner", team);
    expect(await owner.ok("PUT", `/iam/v1/groups/${uid}`, { name: "b" })).toMatchObject({ verified: true });
    const other = await platform.admin.group(team);
    expect((await owner.send("PUT", `/iam/v1/groups/${other}`, { name: "b", verified: true })).body).toMatchObject({
      code: 7,
    });
  });

  it("A missing id is an empty list in GET; 5 in PUT and DELETE", async () => {
    const missing = `${team}/0000000000000000`;
    for (const collection of ["groups", "identities", "roles", "rolebindings"]) {
      expect(await items(`${collection}?id=${missing}`)).toEqual([]);
      expect((await platform.admin.get(`/iam/v1/${collection}?id=nonsense`)).body).toMatchObject({ code: 3 });
    }
    expect((await platform.admin.send("PUT", `/iam/v1/groups/${missing}`, { name: "a" })).body).toMatchObject({
      code: 5,
    });
    expect((await platform.admin.delete(`/iam/v1/groups/${missing}`)).body).toMatchObject({ code: 5 });
  });

  it("identities have createdAt, updatedAt, lastSeen, and static with expiration for staticKeys", async () => {
    const group = await platform.admin.group(team);
    const matching = await platform.admin.identity(group, "matching");
    const withKeys = await platform.makeIdentity(group, "with-keys");
    const { createTime } = await platform.admin.ok("GET", `/iam/v2beta1/identities/${matching}`);
    expect(await items(`identities?id=${matching}`)).toEqual([
      {
        id: matching,
        name: "matching",
        description: "",
        createdAt: createTime,
        updatedAt: createTime,
        lastSeen: createTime,
        claimMatch: { issuer: "https://issuer.example.com", subject: "matching", claims: {}, claimPatterns: {} },
      },
    ]);
    const current = await platform.admin.ok("GET", `/iam/v2beta1/identities/${withKeys}`);
    const { expirationTime, ...keys } = current["staticKeys"] as Record<string, unknown>;
    expect(await items(`identities?uidp.children_of=${group}&name=with-keys`)).toMatchObject([
      { id: withKeys, static: { ...keys, expiration: expirationTime } },
    ]);
  });

  it("roles have no times, and capabilities by their dotted names", async () => {
    const [viewer] = await items("roles?name=registry.pull");
    expect(viewer).toEqual({
      id: await platform.admin.role("registry.pull"),
      name: "registry.pull",
      description: expect.any(String),
      capabilities: ["groups.list", "repo.list", "tag.list"],
    });
  });

  it("A binding in a list: identity (uid), group, role, claimMatchIssuer, claimMatchSubject, createdAt", async () => {
    const group = await platform.admin.group(team, "bound");
    const identity = await platform.admin.identity(team, "somebody");
    const roleUid = await platform.admin.role("viewer");
    const { uid, createTime } = await platform.admin.ok("POST", `/iam/v2beta1/roleBindings/${group}`, {
      identityUid: identity,
      roleUid,
    });
    const [role] = await items(`roles?id=${roleUid}`);
    expect(await items(`rolebindings?uidp.children_of=${group}`)).toEqual([
      {
        id: uid,
        identity,
        group: { id: group, name: "bound", description: "", resourceLimits: {}, verified: false },
        role,
        claimMatchIssuer: "https://issuer.example.com",
        claimMatchSubject: "somebody",
        createdAt: createTime,
      },
    ]);
  });

  it("identities/lookup answers the identity", async () => {
    const identity = await platform.admin.identity(team, "looked-up");
    const query = `issuer=${encodeURIComponent("https://issuer.example.com")}&subject=looked-up`;
    expect(await platform.admin.ok("GET", `/iam/v1/identities/lookup?${query}`)).toMatchObject({ id: identity });
    expect((await platform.admin.get(`/iam/v1/identities/lookup?${query}x`)).body).toMatchObject({ code: 5 });
  });

  it("gives one answer over REST, gRPC and v1: a list is cut down to what the token covers", async () => {
    const inner = await platform.admin.group(team, "inner");
    const viewer = await platform.callerWith("viewer", inner);
    expect((await items("groups", viewer)).map((one) => one["id"])).toEqual([inner]);
    const transport = createGrpcTransport({ baseUrl: platform.url });
    const bearer = { headers: { authorization: `Bearer ${viewer.token}` } };
    const listed = await createClient(Groups, transport).list({}, bearer);
    expect(listed.items.map(({ id }) => id)).toEqual([inner]);
    const identity = await platform.admin.identity(inner, "by-grpc");
    const request = { issuer: "https://issuer.example.com", subject: "by-grpc" };
    expect(await createClient(Identities, transport).lookup(request, bearer)).toMatchObject({ id: identity });
    expect((await viewer.post(`/iam/v1/groups/${inner}`, { name: "a" })).body).toMatchObject({ code: 7 });
    expect((await viewer.send("PUT", `/iam/v1/groups/${team}`, { name: "a" })).body).toMatchObject({ code: 5 });
    expect((await viewer.delete(`/iam/v1/groups/${inner}`)).body).toMatchObject({ code: 7 });
  });
});
