import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import { type Identity, identitySpecSchema } from "#src/api/identity.ts";
import { type ExternalIdentity, externalResourceSchemas } from "#src/platform-client/external-resource.ts";
import { identityKind } from "./identity.ts";

const groupUid = "a".repeat(40);
const uid = `${groupUid}/1111111111111111`;
const identity = (spec: object): Identity => ({
  apiVersion: "iam.muster.dev/v1beta1",
  kind: "Identity",
  metadata: { name: "ci", namespace: "team" },
  spec: identitySpecSchema.parse({ groupUid, ...spec }),
});
const row = (fields: object): ExternalIdentity =>
  externalResourceSchemas.identities.parse({ uid, name: "ci", description: "", ...fields });
const desired = (spec: object) =>
  identityKind.desired(identity(spec), {}, { serviceAccountIssuer: "https://cluster.example" });

/** Whether what the platform has is what the spec says, in the relationship `field`. */
function same(field: string, spec: object, has: object): boolean {
  const wanted = desired(spec);
  return isDeepStrictEqual(identityKind.actual(row(has), wanted)[field], wanted[field]);
}

const claimMatch = { issuer: "https://issuer.example", subject: "ci" };
const jwks = '{"keys": [{"kty": "OKP", "crv": "Ed25519", "x": "abc"}]}';
const staticKeys = { issuer: "https://issuer.example", subject: "ci", issuerKeys: jwks, audiences: ["muster"] };

describe("how an identity is assumed is compared whole", () => {
  it.each<[string, string, object, object, boolean]>([
    ["the same", "claimMatch", { claimMatch }, { claimMatch }, true],
    ["another subject", "claimMatch", { claimMatch }, { claimMatch: { ...claimMatch, subject: "x" } }, false],
    [
      "one that is there besides",
      "claimMatch",
      { claimMatch },
      { claimMatch: { ...claimMatch, audience: "x" } },
      false,
    ],
    ["one that is missing", "claimMatch", { claimMatch: { ...claimMatch, audience: "x" } }, { claimMatch }, false],
    [
      "what the platform writes out empty",
      "claimMatch",
      { claimMatch },
      { claimMatch: { ...claimMatch, audience: "", claims: {}, claimPatterns: {} } },
      true,
    ],
    [
      "claims in another order",
      "claimMatch",
      { claimMatch: { ...claimMatch, claims: { a: "1", b: "2" } } },
      { claimMatch: { ...claimMatch, claims: { b: "2", a: "1" } } },
      true,
    ],
    ["another relationship", "claimMatch", { claimMatch }, { staticKeys }, false],
    [
      "an expiry that the user left to the platform",
      "staticKeys",
      { staticKeys },
      { staticKeys: { ...staticKeys, expirationTime: "2027-01-01T00:00:00.000Z" } },
      true,
    ],
    [
      "an expiry in another form",
      "staticKeys",
      { staticKeys: { ...staticKeys, expirationTime: "2027-01-01T01:00:00+01:00" } },
      { staticKeys: { ...staticKeys, expirationTime: "2027-01-01T00:00:00.000Z" } },
      true,
    ],
    [
      "another expiry",
      "staticKeys",
      { staticKeys: { ...staticKeys, expirationTime: "2027-01-01T00:00:00Z" } },
      { staticKeys: { ...staticKeys, expirationTime: "2028-01-01T00:00:00.000Z" } },
      false,
    ],
    [
      "an account of AWS",
      "awsIdentity",
      { awsIdentity: { awsAccount: "123456789012", arn: "arn:aws:sts::123456789012:assumed-role/ci/ci", userId: "u" } },
      {
        awsIdentity: {
          awsAccount: "123456789012",
          arn: "arn:aws:sts::123456789012:assumed-role/ci/ci",
          arnPattern: "",
          userId: "u",
        },
      },
      true,
    ],
  ])("%s", (_, field, spec, has, expected) => {
    expect(same(field, spec, has)).toBe(expected);
  });
});

it("issuer and subject of a service account follow from the cluster and the namespace", () => {
  expect(desired({ serviceAccountRef: { name: "ci" } })).toEqual({
    name: "ci",
    claimMatch: { issuer: "https://cluster.example", subject: "system:serviceaccount:team:ci" },
  });
});

it("only what the user set is managed", () => {
  expect(Object.keys(desired({ claimMatch }))).toEqual(["name", "claimMatch"]);
  expect(Object.keys(desired({ claimMatch, description: "" }))).toEqual(["name", "description", "claimMatch"]);
});
