import { describe, expect, it } from "vitest";
import type { Authentication } from "#src/api/identity.ts";
import type { TenantSpec } from "#src/api/tenant.ts";
import { boundaryOf } from "./boundary.ts";
import { findIdentityDenial, findIssuerDenial } from "./permits-identity.ts";

const github = "https://token.actions.githubusercontent.com";
const own = "https://issuer.example.com";
const cluster = "https://cluster.example";
const open = "https://open.example";
const pattern = "https://[a-z]+[.]example[.]org";
const keys = { issuerKeys: '{"keys":[]}', audiences: ["muster"] };
const aws = { arnPattern: ".*", userIdPattern: ".*" };

const tenant: TenantSpec = {
  namespaces: ["team"],
  identityTypes: ["ServiceAccount", "ClaimMatch", "StaticKeys", "Aws"],
  awsAccounts: ["123456789012"],
  claimIssuers: [
    { issuer: own },
    { issuer: github, subjectPrefixes: ["repo:acme/", "repo:acme-labs/"] },
    { issuer: open },
    { issuer: `${open}/` },
    { issuerPattern: pattern },
  ],
  undeclared: "Report",
  allowOrphan: false,
  credentials: { type: "Operator" },
  class: "",
};

function denialOf(...args: Parameters<typeof findDenial>): string | undefined {
  return findDenial(...args)?.path;
}

function findDenial(
  authentication: Authentication,
  spec: Partial<TenantSpec> = {},
  publicIssuers = [open],
  uploadsKeys = false,
) {
  const boundary = boundaryOf({ ...tenant, ...spec }, { roots: [], roles: [], namespaces: null });
  return findIdentityDenial(authentication, boundary, {
    namespace: "team",
    clusterIssuer: cluster,
    publicIssuers,
    uploadsKeys,
  });
}

it("says what the Tenant permits, and which of its fields an administrator can change", () => {
  const message = (...args: Parameters<typeof findDenial>) => findDenial(...args)?.message;
  const other = { claimMatch: { issuer: "https://other.example", subject: "x" } };
  const refused = "the Tenant does not allow the issuer https://other.example.";
  expect(message(other, { claimIssuers: [{ issuer: own }] })).toBe(
    `${refused} Use one of ${own}, or ask an administrator to add it to spec.claimIssuers of the Tenant.`,
  );
  expect(message(other, { claimIssuers: [] })).toBe(
    `${refused} Ask an administrator to add it to spec.claimIssuers of the Tenant.`,
  );
  expect(message(other, { identityTypes: ["ServiceAccount"] })).toBe(
    "the Tenant does not allow identities of the type ClaimMatch. Use one of ServiceAccount, or ask an administrator to add it to spec.identityTypes of the Tenant.",
  );
  expect(message({ claimMatch: { issuer: github, subject: "repo:other/x" } })).toBe(
    'the Tenant allows only subjects that begin with "repo:acme/" or "repo:acme-labs/". Use such a subject, or ask an administrator to add it to subjects, or a prefix of it to subjectPrefixes, in spec.claimIssuers of the Tenant.',
  );
  const exact = { claimIssuers: [{ issuer: own, subjects: ["a", "b"] }] };
  expect(message({ claimMatch: { issuer: own, subject: "c" } }, exact)).toMatch(
    /^the Tenant allows only "a" or "b"\. Use /,
  );
  expect(message({ claimMatch: { issuer: own, subjectPattern: "a" } }, exact)).toMatch(
    /^the Tenant allows no patterns of subjects at this issuer, only "a" or "b"\. Use spec\.claimMatch\.subject, /,
  );
  const both = { claimIssuers: [{ issuer: own, subjects: ["a"], subjectPrefixes: ["b/"] }] };
  expect(message({ claimMatch: { issuer: own, subject: "c" } }, both)).toMatch(
    /^the Tenant allows only "a", and subjects that begin with "b\/"\. Use /,
  );
  expect(message({ awsIdentity: { awsAccount: "210987654321", ...aws } })).toBe(
    "the Tenant does not allow the AWS account 210987654321. Use one of 123456789012, or ask an administrator to add it to spec.awsAccounts of the Tenant.",
  );
});

describe("the denial of a pattern of subjects says how to write it", () => {
  const limited = 'the Tenant requires that every match of the pattern begins with "repo:acme/" or "repo:acme-labs/".';
  const literal = "Begin each alternative of the pattern with one of the prefixes as literal text.";
  it.each([
    [
      "repo:evil/.*",
      `This pattern can match a subject that begins with "repo:evil/" but with none of these. ${literal}`,
    ],
    ["repo:acme/.*|.*", `This pattern can match any subject. ${literal}`],
    ["repo:acme.*", `This pattern can match a subject that begins with "repo:acme" but with none of these. ${literal}`],
    [
      "(?:repo:acme/)\\Q\\E?repo:evil/.*",
      "How matches of this pattern begin is unknown, because it contains \\Q...\\E quoting at character 15. Write the text without \\Q and \\E, with a backslash before punctuation.",
    ],
    [
      "(?i)repo:acme/.*",
      "How matches of this pattern begin is unknown, because it contains the flag (?i) at character 1. Leave it out, and write the letters that may be upper or lower case as [Aa].",
    ],
  ])("%s", (subjectPattern, text) => {
    expect(findDenial({ claimMatch: { issuer: github, subjectPattern } })).toEqual({
      path: "spec.claimMatch.subjectPattern",
      message: `${limited} ${text}`,
    });
  });

  it("at an issuer where it needs prefixes, too", () => {
    const message = (subjectPattern: string) => findDenial({ claimMatch: { issuer: open, subjectPattern } })?.message;
    expect(message("mine.*")).toMatch(/ask an administrator to add prefixes\.$/);
    expect(message("mine\\b.*")).toMatch(
      / No prefix allows this pattern, because it contains the word boundary \\b at character 5\. /,
    );
  });
});

describe("an issuer with a list of subjects", () => {
  const main = "repo:acme/shop:ref:refs/heads/main";
  it.each<[string, { readonly subject?: string; readonly subjectPattern?: string }, object, string | undefined]>([
    ["permits one of them", { subject: main }, {}, undefined],
    ["denies what is longer", { subject: `${main}2` }, {}, "subject"],
    ["denies what is shorter", { subject: "repo:acme/shop" }, {}, "subject"],
    ["denies another case", { subject: main.toUpperCase() }, {}, "subject"],
    ["denies a pattern, even of one of them", { subjectPattern: main }, {}, "subjectPattern"],
    ["permits other subjects by a prefix", { subject: "repo:labs/x" }, { subjectPrefixes: ["repo:labs/"] }, undefined],
    ["permits it next to a prefix", { subject: main }, { subjectPrefixes: ["repo:labs/"] }, undefined],
    [
      "permits patterns by a prefix",
      { subjectPattern: "repo:labs/.*" },
      { subjectPrefixes: ["repo:labs/"] },
      undefined,
    ],
    ["denies a pattern of one", { subjectPattern: `${main}.*` }, { subjectPrefixes: ["repo:labs/"] }, "subjectPattern"],
  ])("%s", (_, claims, entry, field) => {
    for (const issuer of [own, open, cluster]) {
      const spec = { claimIssuers: [{ issuer, subjects: [main], ...entry }] };
      expect(denialOf({ claimMatch: { issuer, ...claims } }, spec)).toBe(field && `spec.claimMatch.${field}`);
    }
  });
});

describe("an identity provider, which lets everybody in, is permitted by a Tenant", () => {
  const [limited, prefixed] = [
    { issuer: own, subjects: ["x"] },
    { issuer: own, subjectPrefixes: ["x"] },
  ];
  it.each<[string, TenantSpec["claimIssuers"] | null, string | undefined]>([
    ["without limits", null, undefined],
    ["that lists the issuer", [{ issuer: github }, { issuer: own }], undefined],
    ["that lists the issuer, in one of several entries", [limited, { issuer: own }], undefined],
    ["not with subjects only", [limited], "lets everybody in"],
    ["not with prefixes of subjects only", [prefixed], "lets everybody in"],
    [
      "not under another issuer, of which the message names those without subjects",
      [{ issuer: github, subjects: ["x"] }, { issuer: open }, { issuerPattern: ".*" }],
      `the Tenant does not allow the issuer ${own}. Use one of ${open}, or ask`,
    ],
    ["not if it lists none", [], `the Tenant does not allow the issuer ${own}. Ask an administrator`],
  ])("%s", (_, claimIssuers, message) => {
    const boundary = boundaryOf(tenant, { roots: [], roles: [], namespaces: null });
    const denial = findIssuerDenial("spec.issuer", own, { ...boundary, claimIssuers: claimIssuers ?? null });
    if (message === undefined) expect(denial).toBeUndefined();
    else expect(denial).toEqual({ path: "spec.issuer", message: expect.stringContaining(message) });
  });
});

it("requires the type StaticKeys for a service account whose keys are uploaded", () => {
  const account = { serviceAccountRef: { name: "ci" } };
  const identityTypes = ["ServiceAccount" as const];
  expect(denialOf(account, { identityTypes }, [], true)).toBe("spec.serviceAccountRef");
  expect(denialOf(account, { identityTypes: ["ServiceAccount", "StaticKeys"] }, [], true)).toBeUndefined();
  expect(denialOf(account, { identityTypes }, [], false)).toBeUndefined();
});

describe("a Tenant with every type of identity permits and denies", () => {
  it.each<[string, Authentication, string | undefined]>([
    ["a service account", { serviceAccountRef: { name: "ci" } }, undefined],
    ["any subject of a listed issuer", { claimMatch: { issuer: own, subject: "x" } }, undefined],
    ["any pattern of a listed issuer", { claimMatch: { issuer: own, subjectPattern: ".*" } }, undefined],
    ["an unlisted issuer", { claimMatch: { issuer: "https://other.example", subject: "x" } }, "spec.claimMatch.issuer"],
    ["a look-alike with a slash", { claimMatch: { issuer: `${own}/`, subject: "x" } }, "spec.claimMatch.issuer"],
    ["a look-alike that is longer", { claimMatch: { issuer: `${own}.evil`, subject: "x" } }, "spec.claimMatch.issuer"],
    [
      "a look-alike in capitals",
      { claimMatch: { issuer: "https://ISSUER.example.com", subject: "x" } },
      "spec.claimMatch.issuer",
    ],
    ["http for https", { claimMatch: { issuer: "http://issuer.example.com", subject: "x" } }, "spec.claimMatch.issuer"],
    [
      "a listed issuer as a pattern",
      { claimMatch: { issuerPattern: own, subject: "x" } },
      "spec.claimMatch.issuerPattern",
    ],
    ["a listed pattern as an issuer", { claimMatch: { issuer: pattern, subject: "x" } }, "spec.claimMatch.issuer"],
    [
      "an issuer that a listed pattern matches",
      { claimMatch: { issuer: "https://a.example.org", subject: "x" } },
      "spec.claimMatch.issuer",
    ],
    ["a listed pattern", { claimMatch: { issuerPattern: pattern, subject: "x" } }, undefined],
    [
      "a wider pattern",
      { claimMatch: { issuerPattern: `${pattern}|.*`, subject: "x" } },
      "spec.claimMatch.issuerPattern",
    ],
    [
      "a subject pattern with a pattern of issuers",
      { claimMatch: { issuerPattern: pattern, subjectPattern: "x.*" } },
      "spec.claimMatch.subjectPattern",
    ],
    [
      "a subject with a prefix",
      { claimMatch: { issuer: github, subject: "repo:acme/shop:ref:refs/heads/main" } },
      undefined,
    ],
    ["a subject with the other prefix", { claimMatch: { issuer: github, subject: "repo:acme-labs/x" } }, undefined],
    [
      "a subject of a look-alike organization",
      { claimMatch: { issuer: github, subject: "repo:acme-evil/shop" } },
      "spec.claimMatch.subject",
    ],
    [
      "a subject with the prefix in capitals",
      { claimMatch: { issuer: github, subject: "repo:ACME/shop" } },
      "spec.claimMatch.subject",
    ],
    ["a pattern with a prefix", { claimMatch: { issuer: github, subjectPattern: "repo:acme/.*" } }, undefined],
    [
      "a pattern of both prefixes",
      { claimMatch: { issuer: github, subjectPattern: "repo:acme(-labs)?/.*" } },
      undefined,
    ],
    [
      "a pattern that matches everything",
      { claimMatch: { issuer: github, subjectPattern: ".*" } },
      "spec.claimMatch.subjectPattern",
    ],
    [
      "a pattern with one stray alternative",
      { claimMatch: { issuer: github, subjectPattern: "repo:acme/.*|repo:evil/.*" } },
      "spec.claimMatch.subjectPattern",
    ],
    [
      "a pattern whose prefix is optional",
      { claimMatch: { issuer: github, subjectPattern: "(repo:acme/)?.*" } },
      "spec.claimMatch.subjectPattern",
    ],
    [
      "a pattern that ignores the case",
      { claimMatch: { issuer: github, subjectPattern: "(?i)repo:acme/.*" } },
      "spec.claimMatch.subjectPattern",
    ],
    [
      "a pattern with an empty quote before a quantifier, which makes the prefix optional",
      { claimMatch: { issuer: github, subjectPattern: "(?:repo:acme/)\\Q\\E?repo:evil/.*" } },
      "spec.claimMatch.subjectPattern",
    ],
    [
      "a pattern whose dot is a wildcard",
      { claimMatch: { issuer: github, subjectPattern: "repo.acme/.*" } },
      "spec.claimMatch.subjectPattern",
    ],
    [
      "a pattern at a public issuer without prefixes",
      { claimMatch: { issuer: open, subjectPattern: "mine-.*" } },
      "spec.claimMatch.subjectPattern",
    ],
    ["a subject at a public issuer without prefixes", { claimMatch: { issuer: open, subject: "mine" } }, undefined],
    [
      "the cluster's issuer",
      { claimMatch: { issuer: cluster, subject: "system:serviceaccount:team:ci" } },
      "spec.claimMatch.issuer",
    ],
    [
      "the cluster's issuer with another's service account",
      { claimMatch: { issuer: cluster, subject: "system:serviceaccount:other:ci" } },
      "spec.claimMatch.issuer",
    ],
    ["static keys under a listed issuer", { staticKeys: { issuer: own, subject: "x", ...keys } }, undefined],
    [
      "static keys under an unlisted issuer",
      { staticKeys: { issuer: "https://x.example", subject: "x", ...keys } },
      "spec.staticKeys.issuer",
    ],
    [
      "static keys with a stranger's subject",
      { staticKeys: { issuer: github, subject: "repo:evil/x", ...keys } },
      "spec.staticKeys.subject",
    ],
    [
      "a pattern at a public issuer with a slash at the end",
      { claimMatch: { issuer: `${open}/`, subjectPattern: "mine-.*" } },
      "spec.claimMatch.subjectPattern",
    ],
    [
      "static keys for the cluster's issuer",
      { staticKeys: { issuer: cluster, subject: "system:serviceaccount:team:ci", ...keys } },
      "spec.staticKeys.issuer",
    ],
    ["a listed AWS account", { awsIdentity: { awsAccount: "123456789012", ...aws } }, undefined],
    ["another AWS account", { awsIdentity: { awsAccount: "999999999999", ...aws } }, "spec.awsIdentity.awsAccount"],
    ["an observed identity without a method", {}, undefined],
  ])("%s", (_, authentication, path) => {
    expect(denialOf(authentication)).toBe(path);
  });
});

describe("a Tenant that lists the cluster's issuer", () => {
  const listing = (entry: object) => ({ claimIssuers: [{ issuer: cluster, ...entry }] });
  it.each<[string, object, Authentication, string | undefined]>([
    [
      "permits service accounts of the namespace",
      {},
      { claimMatch: { issuer: cluster, subject: "system:serviceaccount:team:ci" } },
      undefined,
    ],
    [
      "permits a pattern of them",
      {},
      { claimMatch: { issuer: cluster, subjectPattern: "system:serviceaccount:team:.*" } },
      undefined,
    ],
    [
      "denies another namespace",
      {},
      { claimMatch: { issuer: cluster, subject: "system:serviceaccount:other:ci" } },
      "spec.claimMatch.subject",
    ],
    [
      "denies a namespace that begins alike",
      {},
      { claimMatch: { issuer: cluster, subject: "system:serviceaccount:team-b:ci" } },
      "spec.claimMatch.subject",
    ],
    [
      "denies a pattern of other namespaces",
      {},
      { claimMatch: { issuer: cluster, subjectPattern: "system:serviceaccount:team.*" } },
      "spec.claimMatch.subjectPattern",
    ],
    [
      "permits another namespace with a prefix",
      { subjectPrefixes: ["system:serviceaccount:other:"] },
      { claimMatch: { issuer: cluster, subject: "system:serviceaccount:other:ci" } },
      undefined,
    ],
    [
      "denies a third one",
      { subjectPrefixes: ["system:serviceaccount:other:"] },
      { claimMatch: { issuer: cluster, subject: "system:serviceaccount:third:ci" } },
      "spec.claimMatch.subject",
    ],
    [
      "denies static keys all the same",
      {},
      { staticKeys: { issuer: cluster, subject: "system:serviceaccount:team:ci", ...keys } },
      "spec.staticKeys.issuer",
    ],
  ])("%s", (_, entry, authentication, path) => {
    expect(denialOf(authentication, listing(entry))).toBe(path);
  });

  it("with a slash at the end denies other namespaces, too", () => {
    const issuer = `${cluster}/`;
    const claim = (namespace: string) => ({
      claimMatch: { issuer, subject: `system:serviceaccount:${namespace}:ci` },
    });
    expect(denialOf(claim("team"), { claimIssuers: [{ issuer }] })).toBeUndefined();
    const staticKeys = { issuer, subject: "system:serviceaccount:team:ci", ...keys };
    expect(denialOf({ staticKeys }, { claimIssuers: [{ issuer }] })).toBe("spec.staticKeys.issuer");
    expect(findDenial(claim("other"), { claimIssuers: [{ issuer }] })?.message).toContain(
      "The issuer may be this cluster's own, which is limited to the namespace.",
    );
  });

  it.each([
    ["a pattern of issuers", "https://.*[.]example"],
    ["a pattern that another implementation may read in another way", "https://\\pL+[.]other"],
  ])("by %s denies other namespaces, too", (_, issuerPattern) => {
    const spec = { claimIssuers: [{ issuerPattern }] };
    const claim = (namespace: string) => ({
      claimMatch: { issuerPattern, subject: `system:serviceaccount:${namespace}:ci` },
    });
    expect(denialOf(claim("team"), spec)).toBeUndefined();
    expect(denialOf(claim("other"), spec)).toBe("spec.claimMatch.subject");
  });
});

describe("an absent list permits nothing", () => {
  it.each<[string, Partial<TenantSpec>, Authentication, string]>([
    ["types", { identityTypes: [] }, { serviceAccountRef: { name: "ci" } }, "spec.serviceAccountRef"],
    [
      "claim matches",
      { identityTypes: ["StaticKeys"] },
      { claimMatch: { issuer: own, subject: "x" } },
      "spec.claimMatch",
    ],
    [
      "static keys",
      { identityTypes: ["ClaimMatch"] },
      { staticKeys: { issuer: own, subject: "x", ...keys } },
      "spec.staticKeys",
    ],
    [
      "AWS",
      { identityTypes: ["ClaimMatch"] },
      { awsIdentity: { awsAccount: "123456789012", ...aws } },
      "spec.awsIdentity",
    ],
    ["issuers", { claimIssuers: [] }, { claimMatch: { issuer: own, subject: "x" } }, "spec.claimMatch.issuer"],
    [
      "AWS accounts",
      { awsAccounts: [] },
      { awsIdentity: { awsAccount: "123456789012", ...aws } },
      "spec.awsIdentity.awsAccount",
    ],
  ])("of %s", (_, spec, authentication, path) => {
    expect(denialOf(authentication, spec)).toBe(path);
  });
});

it("one of several entries for an issuer is enough", () => {
  const claimIssuers = [
    { issuer: own, subjectPrefixes: ["a:"] },
    { issuer: own, subjectPrefixes: ["b:"] },
  ];
  expect(denialOf({ claimMatch: { issuer: own, subject: "b:x" } }, { claimIssuers })).toBeUndefined();
  expect(denialOf({ claimMatch: { issuer: own, subject: "c:x" } }, { claimIssuers })).toBe("spec.claimMatch.subject");
});
