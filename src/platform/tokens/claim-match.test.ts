import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { IdentitySchema } from "../gen/muster/platform/iam/v2beta1/identity_pb.ts";
import { matchesExactly, matchesPatterns } from "./claim-match.ts";
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

function matches(value: ClaimMatch): boolean {
  const identity = create(IdentitySchema, { relationship: { case: "claimMatch", value } });
  return matchesExactly(identity, token, audience, patterns) && matchesPatterns(identity, token, patterns);
}

describe("a token", () => {
  it.each<[string, ClaimMatch, boolean]>([
    ["issuer and subject, default audience", { iss, sub }, true],
    ["another issuer", { iss: { case: "issuer", value: `${token.issuer}/` }, sub }, false],
    ["another subject", { iss, sub: { case: "subject", value: "repo:org" } }, false],
    ["a pattern for the whole subject", { iss, sub: { case: "subjectPattern", value: "repo:org/.*" } }, true],
    ["a pattern for a part of the subject", { iss, sub: { case: "subjectPattern", value: "repo:org/" } }, false],
    ["an issuer pattern", { iss: { case: "issuerPattern", value: "https://[a-z]+\\.example\\.com" }, sub }, true],
    ["one of the audiences", { iss, sub, aud: { case: "audience", value: "other" } }, true],
    ["none of the audiences", { iss, sub, aud: { case: "audience", value: "third" } }, false],
    ["an audience pattern", { iss, sub, aud: { case: "audiencePattern", value: "oth.*" } }, true],
    [
      "claims with a string, a number and a boolean",
      { iss, sub, claims: { team: "red", level: "3", admin: "true" } },
      true,
    ],
    ["a claim with another value", { iss, sub, claims: { team: "blue" } }, false],
    ["a claim that the token lacks", { iss, sub, claims: { toString: "x" } }, false],
    ["a claim that is a list", { iss, sub, claims: { groups: "a" } }, false],
    ["a claim pattern", { iss, sub, claimPatterns: { team: "r.d" } }, true],
    ["a claim pattern that does not match", { iss, sub, claimPatterns: { team: "r" } }, false],
    ["neither issuer nor subject", {}, false],
    [
      "an issuer pattern that is too large",
      { iss: { case: "issuerPattern", value: "(https|.{0,300}).*" }, sub },
      false,
    ],
  ])("%s", (_, value, expected) => expect(matches(value)).toBe(expected));

  it("matches no token if the identity has no relationship or one of AWS", () => {
    expect(matchesExactly(create(IdentitySchema), token, audience, patterns)).toBe(false);
    const aws = create(IdentitySchema, { relationship: { case: "awsIdentity", value: {} } });
    expect(matchesExactly(aws, token, audience, patterns)).toBe(false);
  });

  it("matches patterns in linear time", () => {
    const started = performance.now();
    const slow = { iss, sub: { case: "subjectPattern", value: "(a+)+b" } } as const;
    const identity = create(IdentitySchema, { relationship: { case: "claimMatch", value: slow } });
    expect(matchesPatterns(identity, { ...token, subject: "a".repeat(5_000) }, patterns)).toBe(false);
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});
