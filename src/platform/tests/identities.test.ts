import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RunningPlatform } from "./running-platform.testing.ts";

let platform: RunningPlatform;
beforeAll(async () => {
  platform = await RunningPlatform.start();
});
afterAll(() => platform.stop());

const issuer = "https://issuer.example.com";
const claimMatch = { issuer, subject: "s" };
const path = (uid: string) => `/iam/v2beta1/identities/${uid}`;

describe("identities", () => {
  it("lastSeenTime is set in the create response, and is the creation's time at first", async () => {
    const made = await platform.admin.ok("POST", path(platform.root), { name: "a", claimMatch });
    expect(made).toEqual({
      uid: expect.stringContaining(platform.root),
      name: "a",
      description: "",
      claimMatch: { issuer, subject: "s", claims: {}, claimPatterns: {} },
      lastSeenTime: made.createTime,
      createTime: expect.any(String),
      updateTime: made.createTime,
    });
    expect(await platform.admin.ok("GET", path(made.uid))).toEqual(made);
  });

  it.each([
    ["no relationship", {}, "claimMatch"],
    ["no issuer", { claimMatch: { subject: "s" } }, "claimMatch.issuer"],
    [
      "an issuer that cannot be fetched over https",
      { claimMatch: { issuer: "http://i", subject: "s" } },
      "claimMatch.issuer",
    ],
    ["no subject", { claimMatch: { issuer } }, "claimMatch.subject"],
    ["two issuers", { claimMatch: { ...claimMatch, issuerPattern: ".*" } }, "claimMatch.issuerPattern"],
    ["a pattern with backtracking", { claimMatch: { issuer, subjectPattern: "(a)\\1" } }, "claimMatch.subjectPattern"],
    [
      "a broken claim pattern",
      { claimMatch: { ...claimMatch, claimPatterns: { team: "(" } } },
      "claimMatch.claimPatterns.team",
    ],
    ["a claim that is no text", { claimMatch: { ...claimMatch, claims: { team: 1 } } }, "claimMatch.claims.team"],
    ["an unknown nested field", { claimMatch: { ...claimMatch, nope: 1 } }, "claimMatch.nope"],
    ["two relationships", { claimMatch, awsIdentity: {} }, "awsIdentity"],
    ["static keys without keys", { staticKeys: { issuer, subject: "s", audiences: ["a"] } }, "staticKeys.issuerKeys"],
    [
      "a symmetric key",
      { staticKeys: { issuer, subject: "s", audiences: ["a"], issuerKeys: '{"keys":[{"kty":"oct","k":"c2VjcmV0"}]}' } },
      "staticKeys.issuerKeys",
    ],
    [
      "an account that is not 12 digits",
      { awsIdentity: { awsAccount: "1", arn: "a", userId: "u" } },
      "awsIdentity.awsAccount",
    ],
    ["an AWS identity without a user", { awsIdentity: { awsAccount: "123456789012", arn: "a" } }, "awsIdentity.userId"],
  ])("refuses %s", async (_, relationship, field) => {
    const answer = await platform.admin.post(path(platform.root), { name: "a", ...relationship });
    expect(answer.body).toMatchObject({ code: 3, details: [{}, { fieldViolations: [{ field }] }] });
  });

  it("static keys expire after 365 days by default and at most", async () => {
    const issuerKeys = JSON.stringify({ keys: [{ kty: "EC", crv: "P-256", x: "x", y: "y", kid: "1" }] });
    const staticKeys = { issuer, subject: "s", issuerKeys, audiences: ["a"] };
    const post = (keys: object) =>
      platform.admin.post(path(platform.root), { name: "a", staticKeys: { ...staticKeys, ...keys } });
    const { body } = await post({});
    const expiry = Date.parse((body["staticKeys"] as { expirationTime: string }).expirationTime);
    expect(expiry - Date.parse(body.createTime)).toBe(365 * 24 * 3_600_000);
    const day = 24 * 3_600_000;
    expect((await post({ expirationTime: new Date(platform.now + 366 * day).toISOString() })).body).toMatchObject({
      code: 3,
    });
    expect((await post({ expirationTime: new Date(platform.now - day).toISOString() })).body).toMatchObject({
      code: 3,
    });
    expect((await post({ audiences: ["a", "b"] })).body).toMatchObject({ code: 3 });
  });

  it("an identity whose static keys have expired can be described anew, and given new ones", async () => {
    const own = await RunningPlatform.start();
    const uid = await own.makeIdentity(own.root);
    own.advance(366 * 24 * 3_600_000);
    expect(await own.admin.ok("PATCH", path(uid), { description: "d" })).toMatchObject({ description: "d" });
    const expirationTime = new Date(own.now + 1_000).toISOString();
    await own.admin.ok("PATCH", path(uid), { staticKeys: { expirationTime } });
    expect((await own.admin.patch(path(uid), { staticKeys: { issuer: "" } })).body).toMatchObject({ code: 3 });
    await own.stop();
  });

  it("Update: nested fields present change, setting a member of a oneof clears its siblings, maps are replaced whole", async () => {
    const made = await platform.admin.ok("POST", path(platform.root), {
      name: "a",
      claimMatch: { ...claimMatch, claims: { a: "1", b: "2" } },
    });
    const patch = (body: object, query = "") => platform.admin.patch(path(made.uid) + query, body);
    expect((await patch({ claimMatch: { subjectPattern: "s.*" } })).body).toMatchObject({
      claimMatch: { issuer, subjectPattern: "s.*", claims: { a: "1" } },
    });
    const changed = await patch({ claimMatch: { claims: { c: "3" } } });
    expect(changed.body["claimMatch"]).toEqual({
      issuer,
      subjectPattern: "s.*",
      claims: { c: "3" },
      claimPatterns: {},
    });
    const aws = { awsIdentity: { awsAccount: "123456789012", arn: "a", userId: "u" } };
    const replaced = await patch(aws);
    expect(replaced.body).toMatchObject(aws);
    expect(replaced.body).not.toHaveProperty("claimMatch");
    expect((await patch({ claimMatch }, "?updateMask=claimMatch")).body["claimMatch"]).toMatchObject(claimMatch);
    expect((await patch({}, "?updateMask=claimMatch")).body).toMatchObject({ code: 3 });
    expect((await patch({}, "?updateMask=claimMatch.claims.a")).body).toMatchObject({ code: 3 });
  });

  it("filters by name and relationshipType, in both spellings", async () => {
    const group = await platform.admin.group(platform.root);
    await platform.admin.identity(group, "match");
    await platform.makeIdentity(group, "static");
    const list = async (query: string) =>
      (await platform.admin.ok("GET", `/iam/v2beta1/identities?uidp.childrenOf=${group}&${query}`)).identities.map(
        ({ name }) => name,
      );
    expect(await list("name=match")).toEqual(["match"]);
    for (const name of ["relationshipType", "relationship_type"]) {
      expect(await list(`${name}=RELATIONSHIP_TYPE_STATIC`)).toEqual(["static"]);
      expect(await list(`${name}=1`)).toEqual(["match"]);
    }
    expect((await platform.admin.get("/iam/v2beta1/identities?relationshipType=NOPE")).body).toMatchObject({ code: 3 });
  });

  it("lookupIdentity finds by issuer and subject what the caller may list", async () => {
    const group = await platform.admin.group(platform.root);
    const uid = await platform.admin.identity(group, "looked-up");
    const query = `/iam/v2beta1/identities:lookupIdentity?issuer=${encodeURIComponent(issuer)}&subject=looked-up`;
    expect(await platform.admin.ok("GET", query)).toEqual({ uid });
    const stranger = await platform.callerWith("owner", await platform.admin.group(platform.root));
    expect((await stranger.get(query)).body).toMatchObject({ code: 5 });
    expect((await platform.admin.get("/iam/v2beta1/identities:lookupIdentity?issuer=x")).body).toMatchObject({
      code: 3,
    });
  });
});
