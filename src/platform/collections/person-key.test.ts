import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { IdentitySchema } from "../gen/muster/platform/iam/v2beta1/identity_pb.ts";
import { personKey, personKeyOf } from "./person-key.ts";

const group = "a".repeat(40);
const claims = { issuer: "https://issuer.example.com", subject: "ada", audience: "client" };
const exact = {
  iss: { case: "issuer", value: claims.issuer },
  sub: { case: "subject", value: claims.subject },
  aud: { case: "audience", value: claims.audience },
} as const;
type Relationship = NonNullable<MessageInitShape<typeof IdentitySchema>["relationship"]>;
const keyOf = (relationship: Relationship, parent = group) =>
  personKeyOf(create(IdentitySchema, { uid: `${parent}/${"1".repeat(16)}`, relationship }));

it("is that of the group and the claims, for an identity that requires exactly these", () => {
  expect(keyOf({ case: "claimMatch", value: exact })).toBe(personKey(group, claims));
  expect(keyOf({ case: "claimMatch", value: exact }, "b".repeat(40))).not.toBe(personKey(group, claims));
  for (const changed of ["issuer", "subject", "audience"])
    expect(personKey(group, { ...claims, [changed]: "x" })).not.toBe(personKey(group, claims));
});

it.each<[string, Relationship]>([
  ["a pattern of issuers", { case: "claimMatch", value: { ...exact, iss: { case: "issuerPattern", value: ".*" } } }],
  ["a pattern of subjects", { case: "claimMatch", value: { ...exact, sub: { case: "subjectPattern", value: ".*" } } }],
  [
    "a pattern of audiences",
    { case: "claimMatch", value: { ...exact, aud: { case: "audiencePattern", value: ".*" } } },
  ],
  ["no audience", { case: "claimMatch", value: { iss: exact.iss, sub: exact.sub } }],
  ["more claims", { case: "claimMatch", value: { ...exact, claims: { email: "a" } } }],
  ["patterns of claims", { case: "claimMatch", value: { ...exact, claimPatterns: { email: ".*" } } }],
  ["static keys", { case: "staticKeys", value: { issuer: claims.issuer, subject: claims.subject } }],
])("is undefined for %s", (_, relationship) => {
  expect(keyOf(relationship)).toBeUndefined();
});
