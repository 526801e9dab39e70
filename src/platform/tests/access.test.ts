import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RunningPlatform } from "./running-platform.testing.ts";

let platform: RunningPlatform;
let team: string;
let inner: string;
let viewer: string;

beforeAll(async () => {
  platform = await RunningPlatform.start();
  team = await platform.admin.group(platform.root, "team");
  inner = await platform.admin.group(team, "inner");
  viewer = await platform.admin.role("viewer");
});
afterAll(() => platform.stop());

describe("authentication", () => {
  it.each([undefined, "", "nonsense", "muster-admin-nonsense", "a.b.c"])(
    "rejects the token %j with 16 and a challenge, and does not repeat it",
    async (token) => {
      const response = await platform.as(token).get("/iam/v2beta1/groups");
      expect(response).toMatchObject({ status: 401, body: { code: 16, details: [{ reason: "UNAUTHENTICATED" }] } });
      expect(response.headers.get("www-authenticate")).toBe("Bearer");
      if (token !== undefined && token !== "") expect(response.text).not.toContain(token);
    },
  );

  it("rejects an API token after one hour", async () => {
    const separate = await RunningPlatform.start();
    const caller = await separate.callerWith("viewer", separate.root);
    separate.advance(3_590_000);
    expect((await caller.get("/iam/v2beta1/groups")).status).toBe(200);
    separate.advance(15_000);
    expect((await caller.get("/iam/v2beta1/groups")).body).toMatchObject({ code: 16 });
    await separate.stop();
  });
});

it("checks the permission before the body", async () => {
  const caller = await platform.callerWith("viewer", team);
  expect(await caller.post(`/iam/v2beta1/identities/${team}`, {})).toMatchObject({
    status: 403,
    body: { code: 7, details: [{ reason: "PERMISSION_DENIED" }] },
  });
});

describe("role bindings", () => {
  it("reject the uid of a root as the identity with 3: an identity has a parent", async () => {
    const body = { identityUid: "0".repeat(40), roleUid: viewer };
    const response = await platform.admin.post(`/iam/v2beta1/roleBindings/${team}`, body);
    expect(response.body).toMatchObject({ code: 3, details: [{}, { fieldViolations: [{ field: "identityUid" }] }] });
  });

  it("return 5 with the ResourceInfo of a missing identity or role, and 3 for another resource type", async () => {
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
});
