import { create, fromJson, type JsonObject } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { type Identity, IdentitySchema } from "../gen/muster/platform/iam/v2beta1/identity_pb.ts";
import { assumptionChange } from "./assumption-change.ts";

const key = (kid: string, x = kid) => ({ kty: "EC", crv: "P-256", x, y: "y", kid });
const jwks = (...keys: object[]) => JSON.stringify({ keys });
const identity = (json: JsonObject): Identity => fromJson(IdentitySchema, json);
const staticKeys = (changes: JsonObject = {}) =>
  identity({
    staticKeys: {
      issuer: "https://i.example.com",
      subject: "s",
      issuerKeys: jwks(key("1"), key("2")),
      audiences: ["a"],
      expirationTime: "2027-01-01T00:00:00Z",
      ...changes,
    },
  });
const claimMatch = (changes: JsonObject = {}) =>
  identity({ claimMatch: { issuer: "https://i.example.com", subject: "s", claims: { a: "1", b: "2" }, ...changes } });
const aws = (changes: JsonObject = {}) =>
  identity({ awsIdentity: { awsAccount: "123456789012", arn: "a", userId: "u", ...changes } });

describe("assumptionChange", () => {
  it.each([
    ["the same static keys", staticKeys(), staticKeys(), "none"],
    [
      "members and keys in another order",
      staticKeys(),
      staticKeys({ issuerKeys: jwks(reversed("2"), reversed("1")) }),
      "none",
    ],
    ["another name", staticKeys(), Object.assign(staticKeys(), { name: "other" }), "none"],
    ["an additional key", staticKeys(), staticKeys({ issuerKeys: jwks(key("1"), key("2"), key("3")) }), "keys +1 -0"],
    ["a later expiry", staticKeys(), staticKeys({ expirationTime: "2027-01-02T00:00:00Z" }), "keys +0 -0"],
    ["the default expiry", staticKeys(), staticKeys({ expirationTime: null }), "keys +0 -0"],
    ["an earlier expiry", staticKeys(), staticKeys({ expirationTime: "2026-12-31T00:00:00Z" }), "replaced"],
    ["a removed key", staticKeys(), staticKeys({ issuerKeys: jwks(key("1")) }), "keys +0 -1"],
    [
      "a key with another value",
      staticKeys(),
      staticKeys({ issuerKeys: jwks(key("1"), key("2", "other")) }),
      "keys +1 -1",
    ],
    [
      "a removed key and a later expiry",
      staticKeys(),
      staticKeys({ issuerKeys: jwks(key("1")), expirationTime: "2027-02-01T00:00:00Z" }),
      "keys +0 -1",
    ],
    [
      "an additional private key",
      staticKeys(),
      staticKeys({ issuerKeys: jwks(key("1"), key("2"), { ...key("3"), d: "d" }) }),
      "replaced",
    ],
    ["keys that are not a JWKS document", staticKeys(), staticKeys({ issuerKeys: "none" }), "replaced"],
    ["another subject", staticKeys(), staticKeys({ subject: "t" }), "replaced"],
    ["another issuer", staticKeys(), staticKeys({ issuer: "https://j.example.com" }), "replaced"],
    ["another audience", staticKeys(), staticKeys({ audiences: ["b"] }), "replaced"],
    ["the same claims", claimMatch(), claimMatch(), "none"],
    ["claims in another order", claimMatch(), claimMatch({ claims: { b: "2", a: "1" } }), "none"],
    ["one claim more", claimMatch(), claimMatch({ claims: { a: "1", b: "2", c: "3" } }), "replaced"],
    ["one claim less", claimMatch(), claimMatch({ claims: { a: "1" } }), "replaced"],
    ["another claim", claimMatch(), claimMatch({ claims: { a: "1", b: "3" } }), "replaced"],
    ["a claim pattern", claimMatch(), claimMatch({ claimPatterns: { c: ".*" } }), "replaced"],
    ["an audience", claimMatch(), claimMatch({ audience: "a" }), "replaced"],
    ["claims instead of keys", staticKeys(), claimMatch(), "replaced"],
    ["no relationship", staticKeys(), create(IdentitySchema), "replaced"],
    ["the same AWS identity", aws(), aws(), "none"],
    ["another AWS user", aws(), aws({ userId: "v" }), "replaced"],
  ] as const)("%s", (_, before, after, expected) => {
    const change = assumptionChange(before, after);
    const keys = change.kind === "keys" ? ` +${change.added.length} -${change.removed.length}` : "";
    expect(change.kind + keys).toBe(expected);
  });
});

function reversed(kid: string): object {
  return Object.fromEntries(Object.entries(key(kid)).toReversed());
}
