import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { Identity_ClaimMatchSchema, IdentitySchema } from "../gen/muster/platform/iam/v2beta1/identity_pb.ts";
import { exactMismatch, patternMismatch } from "./claim-match.ts";
import { PatternCache } from "./pattern-cache.ts";

type Relationship = NonNullable<MessageInitShape<typeof IdentitySchema>["relationship"]>;
type ClaimMatch = (Relationship & { case: "claimMatch" })["value"];

const token = {
  issuer: "https://issuer.example.com",
  subject: "repo:org/app",
  audiences: ["auth.example.com", "other"],
  claims: { team: "red", level: 3, admin: true, groups: ["a"], __proto__x: "y" },
  longNumbers: new Map<string, string>(),
};
const audience = "auth.example.com";
const patterns = new PatternCache();
const iss = { case: "issuer", value: token.issuer } as const;
const sub = { case: "subject", value: token.subject } as const;

function mismatch(value: ClaimMatch): string | undefined {
  const identity = create(IdentitySchema, { relationship: { case: "claimMatch", value } });
  return exactMismatch(identity, token, audience, patterns) ?? patternMismatch(identity, token, patterns);
}

describe("a token", () => {
  it.each<[string, ClaimMatch, string | undefined]>([
    ["issuer and subject, default audience", { iss, sub }, undefined],
    ["another issuer", { iss: { case: "issuer", value: `${token.issuer}/` }, sub }, "issuer"],
    ["another subject", { iss, sub: { case: "subject", value: "repo:org" } }, "subject"],
    ["a pattern for the whole subject", { iss, sub: { case: "subjectPattern", value: "repo:org/.*" } }, undefined],
    ["a pattern for a part of the subject", { iss, sub: { case: "subjectPattern", value: "repo:org/" } }, "subject"],
    ["an issuer pattern", { iss: { case: "issuerPattern", value: "https://[a-z]+\\.example\\.com" }, sub }, undefined],
    ["one of the audiences", { iss, sub, aud: { case: "audience", value: "other" } }, undefined],
    ["none of the audiences", { iss, sub, aud: { case: "audience", value: "third" } }, "audience"],
    ["an audience pattern", { iss, sub, aud: { case: "audiencePattern", value: "oth.*" } }, undefined],
    [
      "claims with a string, a number and a boolean",
      { iss, sub, claims: { team: "red", level: "3", admin: "true" } },
      undefined,
    ],
    ["a claim with another value", { iss, sub, claims: { team: "blue" } }, "claim team"],
    ["a claim that the token lacks", { iss, sub, claims: { toString: "x" } }, "claim toString"],
    ["a claim that is a list", { iss, sub, claims: { groups: "a" } }, "claim groups"],
    ["a claim pattern", { iss, sub, claimPatterns: { team: "r.d" } }, undefined],
    ["a claim pattern that does not match", { iss, sub, claimPatterns: { team: "r" } }, "claim team"],
    ["neither issuer nor subject", {}, "issuer"],
    [
      "an issuer pattern that is too large",
      { iss: { case: "issuerPattern", value: "(https|.{0,300}).*" }, sub },
      "issuer",
    ],
  ])("%s", (_, value, expected) => expect(mismatch(value)).toBe(expected));

  it.each([...Identity_ClaimMatchSchema.fields])("does not match because of $name alone", (field) => {
    const value = field.fieldKind === "map" ? { team: "none" } : "none";
    const condition = field.oneof
      ? { [field.oneof.localName]: { case: field.localName, value } }
      : { [field.localName]: value };
    expect(mismatch({ iss, sub, ...condition })).toBeDefined();
  });

  it("matches no token if the identity has no relationship or one of AWS", () => {
    expect(exactMismatch(create(IdentitySchema), token, audience, patterns)).toBe("type of the identity");
    const aws = create(IdentitySchema, { relationship: { case: "awsIdentity", value: {} } });
    expect(exactMismatch(aws, token, audience, patterns)).toBe("type of the identity");
  });

  it("matches patterns in linear time", () => {
    const started = performance.now();
    const slow = { iss, sub: { case: "subjectPattern", value: "(a+)+b" } } as const;
    const identity = create(IdentitySchema, { relationship: { case: "claimMatch", value: slow } });
    expect(patternMismatch(identity, { ...token, subject: "a".repeat(5_000) }, patterns)).toBe("subject");
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});
