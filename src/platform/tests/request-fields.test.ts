import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RunningPlatform } from "./running-platform.testing.ts";

let platform: RunningPlatform;
let group: string;
let other: string;
let identityUid: string;
let roleUid: string;
beforeAll(async () => {
  platform = await RunningPlatform.start();
  group = await platform.admin.group(platform.root);
  other = await platform.admin.group(platform.root);
  identityUid = await platform.admin.identity(platform.root);
  roleUid = await platform.admin.role("viewer");
});
afterAll(() => platform.stop());

const violation = (field: string) => ({
  status: 400,
  body: {
    code: 3,
    message: expect.stringContaining(`Invalid argument: ${field}: `),
    details: expect.arrayContaining([
      expect.objectContaining({ fieldViolations: [expect.objectContaining({ field })] }),
    ]),
  },
});

const batchCreate = "/iam/v2beta1/roleBindings:batchCreate";
const batch = () => ({ parent: group, requests: [{ roleBinding: { identityUid, roleUid } }] });
const bindingsIn = async (parent: string) =>
  (await platform.admin.ok("GET", `/iam/v2beta1/roleBindings?uidp.children_of=${parent}`))["roleBindings"];

describe("A method whose body is the whole request", () => {
  it.each(["parent", "role_uid", "roleUid", "dragons"])("refuses the query parameter %s", async (name) => {
    const response = await platform.admin.post(`${batchCreate}?${name}=${other}`, batch());
    expect(response).toMatchObject(violation(name));
    expect([await bindingsIn(group), await bindingsIn(other)]).toEqual([[], []]);
  });

  it("refuses a query parameter although the body lacks its field", async () => {
    const { requests } = batch();
    expect(await platform.admin.post(`${batchCreate}?parent=${other}`, { requests })).toMatchObject(
      violation("parent"),
    );
    expect(await bindingsIn(other)).toEqual([]);
  });

  it("refuses a body whose field differs from the one in the path", async () => {
    const put = (id: string | null) => platform.admin.send("PUT", `/iam/v1/groups/${group}`, { id, name: "group" });
    expect(await put(other)).toMatchObject(violation("id"));
    expect(await platform.admin.ok("GET", `/iam/v2beta1/groups/${other}`)).toMatchObject({ name: "group" });
    for (const id of [group, "", null]) expect(await put(id)).toMatchObject({ status: 200 });
    const revoke = `/iam/v2beta1/identities/${identityUid}:revokeTokens`;
    expect(await platform.admin.post(revoke, { uid: group })).toMatchObject(violation("uid"));
    expect(await platform.admin.post(revoke, { uid: identityUid })).toMatchObject({ status: 200 });
  });

  it("reads no form, except at the token service", async () => {
    const headers = { authorization: `Bearer ${platform.admin.token}` };
    const body = new URLSearchParams({ parent: other, role_uid: roleUid });
    const response = await fetch(platform.url + batchCreate, { method: "POST", headers, body });
    expect({ status: response.status, body: await response.json() }).toMatchObject(violation("body"));
  });

  it("names the request of a batch that has another parent or role", async () => {
    const {
      requests: [request],
    } = batch();
    const requests = [request, { ...request, parent: other }];
    expect(await platform.admin.post(batchCreate, { parent: group, requests })).toMatchObject(
      violation("requests[1].parent"),
    );
    expect(
      await platform.admin.post(batchCreate, { parent: group, roleUid: other, requests: [request] }),
    ).toMatchObject(violation("requests[0].roleBinding.roleUid"));
  });
});

describe("A method whose body is a resource", () => {
  it.each(["parent", "group", "group.name", "name"])("refuses the query parameter %s", async (name) => {
    const path = `/iam/v2beta1/groups/${group}`;
    expect(await platform.admin.post(`${path}?${name}=${other}`, { name: "a" })).toMatchObject(violation(name));
    expect(await platform.admin.patch(`${path}?${name}=${other}`, { name: "a" })).toMatchObject(violation(name));
  });

  it("refuses the parent in the body", async () => {
    for (const path of ["/iam/v2beta1/groups", "/iam/v2beta1/identities", "/iam/v2beta1/roles", "/iam/v1/groups"])
      expect(await platform.admin.post(`${path}/${group}`, { name: "a", parent: other })).toMatchObject(
        violation("parent"),
      );
  });
});

describe("A field is given once", () => {
  it.each([
    ["page_size=1&page_size=2", "page_size"],
    ["page_size=1&pageSize=1", "pageSize"],
    ["uidp.children_of=a&uidp.childrenOf=b", "uidp.childrenOf"],
    ["name=a&name=a", "name"],
  ])("in a query: %s", async (query, field) => {
    expect(await platform.admin.get(`/iam/v2beta1/groups?${query}`)).toMatchObject(violation(field));
  });

  it("in a body, in one of its spellings", async () => {
    const path = `/iam/v2beta1/roleBindings/${group}`;
    for (const body of [
      { identityUid, roleUid, role_uid: roleUid },
      { identityUid, role_uid: null, roleUid },
    ])
      expect(await platform.admin.post(path, body)).toMatchObject(violation(Object.keys(body).at(-1) ?? ""));
    const azure = { tenant_id: "t", tenantId: "u" };
    expect(await platform.admin.post(`/iam/v2beta1/accountAssociations/${group}`, { name: "a", azure })).toMatchObject(
      violation("azure.tenantId"),
    );
  });

  it("in a body, at any depth, also if both members have the same name", async () => {
    for (const body of [
      '{"name":"a","name":"b"}',
      String.raw`{"name":"a","n\u0061me":"b"}`,
      '{"name":"a","resourceLimits":{"a":1,"a":2}}',
      '{"name":"a","__proto__":1,"__proto__":2}',
    ])
      expect(await platform.admin.post(`/iam/v2beta1/groups/${group}`, body)).toMatchObject(violation("body"));
    const github = '{"name":"a","github":{"appInstallations":{"1":{},"01":{}}}}';
    expect(await platform.admin.post(`/iam/v2beta1/accountAssociations/${group}`, github)).toMatchObject(
      violation("github.appInstallations.01"),
    );
  });

  it("over Connect, too", async () => {
    const call = (method: string, body: string) => platform.admin.post(`/muster.platform.iam.v2beta1.${method}`, body);
    for (const [method, body] of [
      ["RoleBindingsService/BatchCreateRoleBindings", { ...batch(), role_uid: "a", roleUid: "b" }],
      ["GroupsService/ListGroups", { pageSize: 1, page_size: 2 }],
    ] as const)
      expect((await call(method, JSON.stringify(body))).body).toMatchObject({ code: "invalid_argument" });
    expect((await call("GroupsService/ListGroups", '{"name":"a","name":"b"}')).body).toMatchObject({
      code: "invalid_argument",
    });
    // A query cannot add to a call, either.
    const { status } = await call(
      `RoleBindingsService/BatchCreateRoleBindings?parent=${other}`,
      JSON.stringify(batch()),
    );
    expect(status).toBe(404);
    expect([await bindingsIn(group), await bindingsIn(other)]).toEqual([[], []]);
  });
});

describe("The token service takes its parameters from the query, a form or JSON, each of them once", () => {
  const exchange = async (query: string, body: URLSearchParams | string) => {
    const token = await platform.subjectToken(await assumable());
    const headers = {
      authorization: `Bearer ${token}`,
      ...(typeof body === "string" ? { "content-type": "application/json" } : {}),
    };
    const response = await fetch(`${platform.url}/sts/exchange${query}`, { method: "POST", headers, body });
    return { status: response.status, body: await response.json() };
  };
  let identity: string | undefined;
  const assumable = async () => (identity ??= await platform.makeIdentity(group));

  it("from any of them, or from the query and a form", async () => {
    const [uid, aud] = [await assumable(), platform.url];
    for (const [query, body] of [
      [`?aud=${aud}&identity=${uid}`, new URLSearchParams()],
      ["", new URLSearchParams({ aud, identity: uid })],
      [`?aud=${aud}`, new URLSearchParams({ identity: uid })],
      ["", JSON.stringify({ aud: [aud], identity: uid })],
      [`?aud=${aud}`, JSON.stringify({ identity: uid })],
    ] as const)
      expect(await exchange(query, body)).toMatchObject({ status: 200 });
  });

  it("refuses one that is in two of them", async () => {
    const [uid, aud] = [await assumable(), platform.url];
    const named = [`?aud=${aud}&identity=${uid}`, { aud, identity: uid }] as const;
    expect(await exchange(named[0], new URLSearchParams({ identity: other }))).toMatchObject(violation("identity"));
    expect(await exchange(named[0], JSON.stringify({ identity: other }))).toMatchObject(violation("identity"));
    expect(await exchange(`?scope=${group}&scope=${other}`, new URLSearchParams(named[1]))).toMatchObject(
      violation("scope"),
    );
  });
});
