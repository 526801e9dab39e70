import { describe, expect, it } from "vitest";
import { acceptedStranger, anyStranger, isPublicIssuer, publicIssuers } from "./public-issuers.ts";

const github = "https://token.actions.githubusercontent.com";
const own = "https://issuer.example.com";

describe("acceptedStranger", () => {
  it.each([".*", ".+", "^.*$", "(.*)", "[\\s\\S]*", "(?s).*", ".{1,}", ".*|mine", "\\S+", "[^ ]+", "(?i)[A-Z].*|\\d*"])(
    "finds a stranger for the pattern %s at every public issuer",
    (subjectPattern) => {
      for (const issuer of Object.keys(publicIssuers))
        expect(acceptedStranger({ issuer, subjectPattern }), issuer).toBeDefined();
    },
  );

  it.each([
    [github, "repo:.*"],
    [github, "repo:[^/]+/[^:]+:ref:refs/heads/main"],
    [github, ".*:pull_request"],
    [github, ".*:environment:production"],
    ["https://gitlab.com", "project_path:.*:ref_type:branch:ref:main"],
    ["https://accounts.google.com", "\\d+"],
    ["https://app.terraform.io", "organization:.*"],
  ])("finds a stranger where the pattern names no organization: %s %s", (issuer, subjectPattern) => {
    expect(acceptedStranger({ issuer, subjectPattern })).toMatch(new RegExp(`^(?:${subjectPattern})$`));
  });

  it.each([
    [github, "repo:example/.*"],
    [github, "repo:(example|example-labs)/shop:.*"],
    ["https://gitlab.com", "project_path:example/.*"],
    ["https://accounts.google.com", "117\\d+"],
  ])("finds none where the pattern names an organization: %s %s", (issuer, subjectPattern) => {
    expect(acceptedStranger({ issuer, subjectPattern })).toBeUndefined();
  });

  it("finds a stranger without a subject", () => {
    expect(acceptedStranger({ issuer: github })).toBe(anyStranger[0]);
  });

  it("finds none with an exact subject, at another issuer, or for an invalid pattern", () => {
    expect(acceptedStranger({ issuer: github, subject: "repo:example/shop:pull_request" })).toBeUndefined();
    expect(acceptedStranger({ issuer: own, subjectPattern: ".*" })).toBeUndefined();
    expect(acceptedStranger({ issuer: github, subjectPattern: "(" })).toBeUndefined();
    expect(acceptedStranger({ issuer: "constructor", subjectPattern: ".*" })).toBeUndefined();
  });

  it("takes an issuer pattern for public, and its listed issuers' strangers with it", () => {
    expect(
      acceptedStranger({ issuerPattern: "https://issuer[.]example[.]com/.*", subjectPattern: ".*" }),
    ).toBeDefined();
    expect(acceptedStranger({ issuerPattern: `${own}|${github}`, subjectPattern: "repo:.*" })).toMatch(/^repo:/);
    expect(acceptedStranger({ issuerPattern: `${own}/.*`, subjectPattern: "repo:.*" })).toBeUndefined();
  });

  it("takes additional issuers for public", () => {
    expect(isPublicIssuer(own)).toBe(false);
    expect(isPublicIssuer(own, [own])).toBe(true);
    expect(acceptedStranger({ issuer: own, subjectPattern: ".*" }, [own])).toBeDefined();
  });

  it("finds none where a claim is restricted", () => {
    const open = { issuer: github, subjectPattern: ".*" };
    expect(acceptedStranger({ ...open, claims: { repository_owner_id: "42" } })).toBeUndefined();
    expect(acceptedStranger({ ...open, claimPatterns: { repository_owner: "example" } })).toBeUndefined();
    expect(acceptedStranger({ ...open, claimPatterns: { repository_owner: ".+" } })).toBeDefined();
    expect(acceptedStranger({ ...open, claims: {}, claimPatterns: {} })).toBeDefined();
  });

  it("takes linear time for a pattern that backtracks", () => {
    const started = performance.now();
    expect(acceptedStranger({ issuer: github, subjectPattern: "(\\w+-?)+(([a-z]+)+)+!" })).toBeUndefined();
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});
