import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import { type Identity, identitySpecSchema } from "#src/api/identity.ts";
import { type ExternalIdentity, identityKind } from "./identity.ts";

const groupUid = "a".repeat(40);
const uid = `${groupUid}/1111111111111111`;
const identity = (spec: object): Identity => ({
  apiVersion: "iam.muster.dev/v1beta1",
  kind: "Identity",
  metadata: { name: "ci", namespace: "team" },
  spec: identitySpecSchema.parse({ groupUid, ...spec }),
});
const externalIdentity = (fields: object): ExternalIdentity =>
  identityKind.collection.schema.parse({ uid, name: "ci", description: "", ...fields });
const desired = (spec: object) =>
  identityKind.desired(
    identity(spec),
    { parent: groupUid },
    { serviceAccounts: { issuer: "https://cluster.example", audience: "the.default" } },
  );

/** Whether the external resource matches the spec in the authentication method `field`. */
function matches(field: string, spec: object, external: object): boolean {
  const wanted = desired(spec);
  return isDeepStrictEqual(identityKind.actual(externalIdentity(external), wanted)[field], wanted[field]);
}

const claimMatch = { issuer: "https://issuer.example", subject: "ci" };
const jwks = '{"keys": [{"kty": "OKP", "crv": "Ed25519", "x": "abc"}]}';
const withoutAudience = { issuer: "https://issuer.example", subject: "ci", issuerKeys: jwks };
const staticKeys = { ...withoutAudience, audiences: ["muster"] };

describe("the authentication method is compared as a whole", () => {
  it.each<[string, string, object, object, boolean]>([
    ["equal fields match", "claimMatch", { claimMatch }, { claimMatch }, true],
    ["another subject differs", "claimMatch", { claimMatch }, { claimMatch: { ...claimMatch, subject: "x" } }, false],
    [
      "an additional field on the platform differs",
      "claimMatch",
      { claimMatch },
      { claimMatch: { ...claimMatch, audience: "x" } },
      false,
    ],
    [
      "a field that is missing on the platform differs",
      "claimMatch",
      { claimMatch: { ...claimMatch, audience: "x" } },
      { claimMatch },
      false,
    ],
    [
      "an empty field on the platform matches an absent one",
      "claimMatch",
      { claimMatch },
      { claimMatch: { ...claimMatch, audience: "", claims: {}, claimPatterns: {} } },
      true,
    ],
    [
      "claims in another order match",
      "claimMatch",
      { claimMatch: { ...claimMatch, claims: { a: "1", b: "2" } } },
      { claimMatch: { ...claimMatch, claims: { b: "2", a: "1" } } },
      true,
    ],
    ["another authentication method differs", "claimMatch", { claimMatch }, { staticKeys }, false],
    [
      "an expiration time that only the platform set matches",
      "staticKeys",
      { staticKeys },
      { staticKeys: { ...staticKeys, expirationTime: "2027-01-01T00:00:00.000Z" } },
      true,
    ],
    [
      "an equal expiration time in another format matches",
      "staticKeys",
      { staticKeys: { ...staticKeys, expirationTime: "2027-01-01T01:00:00+01:00" } },
      { staticKeys: { ...staticKeys, expirationTime: "2027-01-01T00:00:00.000Z" } },
      true,
    ],
    [
      "static keys without an audience match",
      "staticKeys",
      { staticKeys: withoutAudience },
      { staticKeys: { ...withoutAudience, audiences: [] } },
      true,
    ],
    ["an audience that somebody added differs", "staticKeys", { staticKeys: withoutAudience }, { staticKeys }, false],
    [
      "an expiration time in lowercase matches",
      "staticKeys",
      { staticKeys: { ...staticKeys, expirationTime: "2027-01-01t00:00:00z" } },
      { staticKeys: { ...staticKeys, expirationTime: "2027-01-01T00:00:00.000Z" } },
      true,
    ],
    [
      "an expiration time that is not a time differs",
      "staticKeys",
      { staticKeys: { ...staticKeys, expirationTime: "2027-01-01T00:00:00Z" } },
      { staticKeys: { ...staticKeys, expirationTime: "never" } },
      false,
    ],
    [
      "another expiration time differs",
      "staticKeys",
      { staticKeys: { ...staticKeys, expirationTime: "2027-01-01T00:00:00Z" } },
      { staticKeys: { ...staticKeys, expirationTime: "2028-01-01T00:00:00.000Z" } },
      false,
    ],
    [
      "an AWS identity matches",
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
  ])("%s", (_, field, spec, external, expected) => {
    expect(matches(field, spec, external)).toBe(expected);
  });
});

it("derives the issuer and subject of a service account from the cluster and the namespace", () => {
  expect(desired({ serviceAccountRef: { name: "ci" } })).toEqual({
    name: "ci",
    claimMatch: {
      issuer: "https://cluster.example",
      subject: "system:serviceaccount:team:ci",
      audience: "the.default",
    },
  });
});

it("gives a service account's identity the uploaded keys of the cluster", () => {
  const uploaded = { issuerKeys: '{"keys":[]}', expirationTime: "2027-01-01T00:00:00.000Z" };
  const context = { serviceAccounts: { issuer: "https://cluster.example", audience: "the.default", uploaded } };
  const object = identity({ serviceAccountRef: { name: "ci" } });
  expect(identityKind.desired(object, { parent: groupUid }, context)).toEqual({
    name: "ci",
    staticKeys: {
      issuer: "https://cluster.example",
      subject: "system:serviceaccount:team:ci",
      audiences: ["the.default"],
      ...uploaded,
    },
  });
  expect(identityKind.specPath("static_keys.audiences", object)).toBe("spec.serviceAccountRef.audience");
  expect(identityKind.specPath("static_keys.issuer_keys", object)).toBe("spec.serviceAccountRef");
  // Keys that a user wrote into a spec change only with it.
  expect(identityKind.principal?.followsCluster("staticKeys", object)).toBe(true);
  expect(identityKind.principal?.followsCluster("staticKeys", identity({ staticKeys }))).toBe(false);
  expect(identityKind.principal?.followsCluster("name", object)).toBe(false);
});

it("manages only the fields that the user set", () => {
  expect(Object.keys(desired({ claimMatch }))).toEqual(["name", "claimMatch"]);
  expect(Object.keys(desired({ claimMatch, description: "" }))).toEqual(["name", "description", "claimMatch"]);
});

describe("what a client needs to assume an identity", () => {
  const endpoints = {
    authUrl: "https://auth.example:8443",
    platformUrl: "https://api.example",
    defaultAudience: "auth.example",
  };
  const common = {
    url: "https://auth.example:8443/sts/exchange",
    platformUrl: "https://api.example",
    apiAudience: "https://api.example",
  };
  const issuer = "https://issuer.example";
  it.each<[string, object, object]>([
    ["exact claims", { claimMatch }, { issuer, subject: "ci", audience: "auth.example" }],
    ["an audience", { claimMatch: { ...claimMatch, audience: "own" } }, { issuer, subject: "ci", audience: "own" }],
    [
      "patterns",
      { claimMatch: { issuerPattern: "https://.*", subjectPattern: "ci-.*", audiencePattern: "a|b" } },
      { issuer: "https://.*", subject: "ci-.*", audience: "a|b" },
    ],
    [
      "a service account",
      { serviceAccountRef: { name: "ci" } },
      { issuer: "https://cluster.example", subject: "system:serviceaccount:team:ci", audience: "the.default" },
    ],
    [
      "a service account with an audience",
      { serviceAccountRef: { name: "ci", audience: "own" } },
      { issuer: "https://cluster.example", subject: "system:serviceaccount:team:ci", audience: "own" },
    ],
    ["static keys", { staticKeys }, { issuer, subject: "ci", audience: "muster" }],
    [
      "static keys without an audience",
      { staticKeys: withoutAudience },
      { issuer, subject: "ci", audience: "auth.example" },
    ],
    [
      "AWS",
      { awsIdentity: { awsAccount: "123456789012", arnPattern: "arn:.*", userId: "A:b" } },
      { issuer: "https://sts.amazonaws.com", subject: "arn:.*", audience: "https://auth.example:8443" },
    ],
  ])("by %s", (_, spec, expected) => {
    expect(identityKind.principal?.isDescribed(identity(spec))).toBe(true);
    expect(identityKind.principal?.exchange(desired(spec), endpoints)).toEqual({ ...common, ...expected });
  });

  it("has the default audience for observed static keys without one", () => {
    const fields = identityKind.actual(externalIdentity({ staticKeys: { ...staticKeys, audiences: [] } }), {});
    expect(identityKind.principal?.exchange(fields, endpoints).audience).toBe("auth.example");
  });

  it("is what the platform says, if the identity is only observed", () => {
    const observed = identity({ uid, policy: { management: "Observe" } });
    expect(identityKind.principal?.isDescribed(observed)).toBe(false);
    const fields = identityKind.actual(externalIdentity({ claimMatch }), {});
    expect(identityKind.principal?.exchange(fields, endpoints)).toEqual({
      ...common,
      issuer,
      subject: "ci",
      audience: "auth.example",
    });
  });
});

it("does not keep who the person is: whoever may read objects in a namespace would see it in messages", () => {
  const person = { name: "Kate Miller", email: "kate@corp.test" };
  expect(externalIdentity({ claimMatch, person })).toEqual(externalIdentity({ claimMatch }));
});
