import { expect, it } from "vitest";
import { tenantComment } from "./tenant-comment.ts";

const issuer = "https://ci.example";
const folder = { name: "team", objects: [], folders: [] };

it("names each way in which a Tenant permits more than exists", () => {
  expect(
    tenantComment(
      {
        claimIssuers: [{ issuer, subjectPrefixes: ["repo:acme/shop"] }, { issuer: "https://login.example" }],
        awsAccounts: ["123456789012"],
        identityTypes: ["Aws", "ClaimMatch"],
        kinds: ["AccountAssociation", "Identity"],
      },
      folder,
    ).map((line) => /^- (\w+)/.exec(line)?.[1]),
  ).toEqual([undefined, "subjectPrefixes", undefined, "claimIssuers", "awsAccounts"]);
});

it.each([
  ["a prefix that ends with a delimiter", { claimIssuers: [{ issuer, subjectPrefixes: ["repo:acme/shop:"] }] }],
  [
    "accounts that are only linked",
    { awsAccounts: ["123456789012"], identityTypes: [], kinds: ["AccountAssociation"] },
  ],
  ["accounts of identities alone", { awsAccounts: ["123456789012"], identityTypes: ["Aws"], kinds: ["Identity"] }],
])("says nothing of %s", (_, spec) => expect(tenantComment(spec, folder)).toEqual([]));

it("names the identities whose patterns no prefix can limit, and how to write these", () => {
  const identity = (name: string, subjectPattern: string) => ({
    apiVersion: "iam.muster.dev/v1beta1" as const,
    kind: "Identity",
    metadata: { name },
    spec: { claimMatch: { issuer, subjectPattern } },
  });
  const shop = {
    name: "shop",
    objects: [identity("ci", "(?i)repo:acme/.*"), identity("cd", "repo:acme/.*")],
    folders: [],
  };
  const comment = tenantComment({ claimIssuers: [{ issuer }] }, { ...folder, folders: [shop] });
  expect(comment.slice(1)).toEqual([
    "- claimIssuers: an issuer without subjects and subjectPrefixes permits all of its subjects.",
    "  Identity ci: how matches of spec.claimMatch.subjectPattern begin is unknown, because",
    "  it contains the flag (?i) at character 1. Leave it out, and write the letters that may be upper or lower case as [Aa]. Then import again.",
  ]);
  const lines = tenantComment({ claimIssuers: [{ issuer }] }, { ...folder, objects: [identity("ci", "a\\\u2028b")] });
  expect(lines.join()).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
});
