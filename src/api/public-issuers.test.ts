import { describe, expect, it } from "vitest";
import { anyStranger, findOpenAccess, isPublicIssuer, publicIssuers } from "./public-issuers.ts";

const github = "https://token.actions.githubusercontent.com";
const google = "https://accounts.google.com";
const own = "https://issuer.example.com";

describe("findOpenAccess", () => {
  it.each([".*", ".+", "^.*$", "(.*)", "[\\s\\S]*", "(?s).*", ".{1,}", ".*|mine", "\\S+", "[^ ]+", "(?i)[A-Z].*|\\d*"])(
    "finds strangers for the pattern %s at every public issuer",
    (subjectPattern) => {
      for (const issuer of Object.keys(publicIssuers))
        expect(findOpenAccess({ issuer, subjectPattern })?.example, issuer).toBeDefined();
    },
  );

  it.each([
    [github, "repo:.*"],
    [github, "repo:[^/]+/[^:]+:ref:refs/heads/main"],
    [github, ".*:pull_request"],
    [github, ".*:environment:production"],
    ["https://gitlab.com", "project_path:.*:ref_type:branch:ref:main"],
    [google, "\\d+"],
    ["https://app.terraform.io", "organization:.*"],
  ])("has an example where the pattern names no organization: %s %s", (issuer, subjectPattern) => {
    expect(findOpenAccess({ issuer, subjectPattern })?.example).toMatch(new RegExp(`^(?:${subjectPattern})$`));
  });

  it.each([
    [github, "repo:[^a].*"],
    [github, "repo:[b-z]{3,}/.*"],
    [github, "repo:.*/shop:ref:refs/heads/main"],
    [github, ".*:environment:staging"],
    [github, ".*:ref:refs/heads/release-[0-9]+"],
    [github, "repo:acme.*"],
    [github, "repo:acme/.*|.*:environment:staging"],
    [github, "repo:(?:acme)?/.*:environment:staging"],
    [github, "job_workflow_ref:acme/.*"],
    ["https://gitlab.com", "project_path:[^a].*"],
    [google, "117\\d+"],
    [own, "[b-r].*!"],
  ])("does not take a pattern for safe because it excludes the examples: %s %s", (issuer, subjectPattern) => {
    expect(findOpenAccess({ issuer, subjectPattern }, [own])).toEqual({ example: undefined, refusal: undefined });
  });

  it.each(["(?:repo:acme/)\\Q\\E?repo:evil/.*", "(?i)repo:acme/.*", "repo:acme/.*?:x", "(", "\\Qrepo:acme/"])(
    "does not take a pattern for safe of which it is not certain what it matches: %s",
    (subjectPattern) => {
      for (const issuer of [...Object.keys(publicIssuers), own])
        expect(findOpenAccess({ issuer, subjectPattern }, [own])?.refusal, issuer).toBeDefined();
    },
  );

  it.each([
    [github, "repo:example/.*"],
    [github, "repo:(example|example-labs)/shop:.*"],
    [github, "^repo:example(-labs)?/shop:ref:refs/heads/(main|release-[0-9.]+)$"],
    [github, "repo:example/shop:pull_request|repository_owner_id:42:.*"],
    ["https://gitlab.com", "project_path:example/.*"],
    [google, "108256421937560192838|108256421937560192839"],
    [own, "team-a:.*"],
  ])("finds none where every match names an organization or an account: %s %s", (issuer, subjectPattern) => {
    expect(findOpenAccess({ issuer, subjectPattern }, [own])).toBeUndefined();
  });

  it("finds strangers without a subject", () => {
    expect(findOpenAccess({ issuer: github })?.example).toBe(anyStranger[0]);
  });

  it("finds none with an exact subject, or at another issuer", () => {
    expect(findOpenAccess({ issuer: github, subject: "repo:example/shop:pull_request" })).toBeUndefined();
    expect(findOpenAccess({ issuer: own, subjectPattern: ".*" })).toBeUndefined();
    expect(findOpenAccess({ issuer: "constructor", subjectPattern: ".*" })).toBeUndefined();
  });

  it("takes an issuer pattern for public, and its listed issuers' strangers with it", () => {
    expect(findOpenAccess({ issuerPattern: "https://issuer[.]example[.]com/.*", subjectPattern: ".*" })).toBeDefined();
    expect(findOpenAccess({ issuerPattern: `${own}|${github}`, subjectPattern: "repo:.*" })?.example).toMatch(/^repo:/);
    expect(findOpenAccess({ issuerPattern: `${own}/.*`, subjectPattern: "repo:.*" })).toBeUndefined();
    // What it matches is not certain, so it may match each listed issuer.
    expect(findOpenAccess({ issuerPattern: `(?i)${own}/.*`, subjectPattern: "repo:example/.*" })).toBeDefined();
  });

  it("takes additional issuers for public", () => {
    expect(isPublicIssuer(own)).toBe(false);
    expect(isPublicIssuer(own, [own])).toBe(true);
    expect(findOpenAccess({ issuer: own, subjectPattern: ".*" }, [own])).toBeDefined();
  });

  it.each(["https://GitLab.com", "https://gitlab.com/", "https://gitlab.com//"])("takes %s for public", (issuer) => {
    expect(isPublicIssuer(issuer)).toBe(true);
    expect(isPublicIssuer(`${own}/`, [own])).toBe(true);
    expect(findOpenAccess({ issuer, subjectPattern: "project_path:.*" })?.example).toMatch(/^project_path:/);
  });

  it("finds none where a claim is restricted", () => {
    const open = { issuer: github, subjectPattern: ".*" };
    const withClaim = (pattern: string) => findOpenAccess({ ...open, claimPatterns: { repository_owner: pattern } });
    expect(findOpenAccess({ ...open, claims: { repository_owner_id: "42" } })).toBeUndefined();
    expect(withClaim("example")).toBeUndefined();
    expect(withClaim("example-.*")).toBeUndefined();
    expect(findOpenAccess({ ...open, claims: {}, claimPatterns: {} })).toBeDefined();
    expect(findOpenAccess({ issuer: google, subjectPattern: ".*", claims: { hd: "example.com" } })).toBeUndefined();
    for (const pattern of [".+", "[b-r].*", "(?i)example", "example\\Q\\E*.*"])
      expect(withClaim(pattern), pattern).toBeDefined();
  });

  it.each([
    [github, "ref", "refs/heads/main"],
    [github, "environment", "production"],
    // A stranger's workflow can call this one.
    [github, "job_workflow_ref", "example/shop/.github/workflows/deploy.yaml@refs/heads/main"],
    ["https://gitlab.com", "ref_protected", "true"],
  ])("does not take a claim for a restriction that a stranger can have: %s %s", (issuer, claim, value) => {
    const open = { issuer, subjectPattern: ".*" };
    expect(findOpenAccess({ ...open, claims: { [claim]: value } })).toBeDefined();
    expect(findOpenAccess({ ...open, claimPatterns: { [claim]: value } })).toBeDefined();
  });

  it("takes linear time for a pattern that backtracks", () => {
    const started = performance.now();
    expect(findOpenAccess({ issuer: github, subjectPattern: "(\\w+-?)+(([a-z]+)+)+!" })?.example).toBeUndefined();
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});
