import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RunningPlatform } from "./running-platform.testing.ts";

let platform: RunningPlatform;
beforeAll(async () => {
  platform = await RunningPlatform.start();
});
afterAll(() => platform.stop());

const issuer = "https://issuer.example.com";
const claimMatch = { issuer, subject: "s" };
const publicKey = { kty: "OKP", crv: "Ed25519", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" };
const path = (uid: string) => `/iam/v2beta1/identities/${uid}`;

describe("identities", () => {
  it.each([
    ["no relationship", {}, "claimMatch"],
    [
      "an issuer that cannot be fetched over https",
      { claimMatch: { issuer: "http://i", subject: "s" } },
      "claimMatch.issuer",
    ],
    [
      "an issuer at a private address that the settings do not trust",
      { claimMatch: { issuer: "https://10.0.0.1", subject: "s" } },
      "claimMatch.issuer",
    ],
    [
      "an issuer with a query",
      { claimMatch: { issuer: "https://issuer.example.com?a", subject: "s" } },
      "claimMatch.issuer",
    ],
    ["two issuers", { claimMatch: { ...claimMatch, issuerPattern: ".*" } }, "claimMatch.issuerPattern"],
    [
      "a broken claim pattern",
      { claimMatch: { ...claimMatch, claimPatterns: { team: "(" } } },
      "claimMatch.claimPatterns.team",
    ],
    ["a claim that is not a string", { claimMatch: { ...claimMatch, claims: { team: 1 } } }, "claimMatch.claims.team"],
    ["an unknown nested field", { claimMatch: { ...claimMatch, nope: 1 } }, "claimMatch.nope"],
    ["two relationships", { claimMatch, awsIdentity: {} }, "awsIdentity"],
    [
      "a symmetric key",
      { staticKeys: { issuer, subject: "s", audiences: ["a"], issuerKeys: '{"keys":[{"kty":"oct","k":"c2VjcmV0"}]}' } },
      "staticKeys.issuerKeys",
    ],
    [
      "keys that can never verify a token",
      {
        staticKeys: {
          issuer,
          subject: "s",
          issuerKeys: JSON.stringify({
            keys: [
              { kty: "RSA", n: "AQAB", e: "AQAB" },
              { ...publicKey, use: "enc" },
            ],
          }),
        },
      },
      "staticKeys.issuerKeys",
    ],
  ])("reject %s", async (_, relationship, field) => {
    const response = await platform.admin.post(path(platform.root), { name: "a", ...relationship });
    expect(response.body).toMatchObject({ code: 3, details: [{}, { fieldViolations: [{ field }] }] });
  });

  it("limit the lifetime of static keys to 365 days, which is the default", async () => {
    const issuerKeys = JSON.stringify({ keys: [publicKey] });
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

  it("accept a new description and a new expiry of static keys that have expired", async () => {
    const separate = await RunningPlatform.start();
    const uid = await separate.makeIdentity(separate.root);
    separate.advance(366 * 24 * 3_600_000);
    expect(await separate.admin.ok("PATCH", path(uid), { description: "d" })).toMatchObject({ description: "d" });
    const expirationTime = new Date(separate.now + 1_000).toISOString();
    await separate.admin.ok("PATCH", path(uid), { staticKeys: { expirationTime } });
    expect((await separate.admin.patch(path(uid), { staticKeys: { issuer: "" } })).body).toMatchObject({ code: 3 });
    await separate.stop();
  });

  it("leave nothing of their refresh tokens when they are deleted", async () => {
    const uid = await platform.makeIdentity(platform.root);
    await platform.exchange(await platform.subjectToken(uid), uid);
    const database = await platform.openDatabase();
    const families = () =>
      database.read((reader) =>
        reader.query((db) => db.selectFrom("refresh_families").select("id").where("identity_uid", "=", uid)),
      );
    try {
      expect(await families()).toHaveLength(1);
      await platform.admin.ok("DELETE", path(uid));
      expect(await families()).toEqual([]);
    } finally {
      await database.close();
    }
  });

  it("are filtered by name, and by relationshipType in both spellings, as a name or a number", async () => {
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
});
