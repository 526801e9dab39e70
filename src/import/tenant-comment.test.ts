import { expect, it } from "vitest";
import { tenantComment } from "./tenant-comment.ts";

const issuer = "https://ci.example";

it("names each way in which a Tenant permits more than exists", () => {
  expect(
    tenantComment({
      claimIssuers: [{ issuer, subjectPrefixes: ["repo:acme/shop"] }, { issuer: "https://login.example" }],
      awsAccounts: ["123456789012"],
      identityTypes: ["Aws", "ClaimMatch"],
      kinds: ["AccountAssociation", "Identity"],
    }).map((line) => /^- (\w+)/.exec(line)?.[1]),
  ).toEqual([undefined, "subjectPrefixes", undefined, "claimIssuers", "awsAccounts"]);
});

it.each([
  ["a prefix that ends with a delimiter", { claimIssuers: [{ issuer, subjectPrefixes: ["repo:acme/shop:"] }] }],
  [
    "accounts that are only linked",
    { awsAccounts: ["123456789012"], identityTypes: [], kinds: ["AccountAssociation"] },
  ],
  ["accounts of identities alone", { awsAccounts: ["123456789012"], identityTypes: ["Aws"], kinds: ["Identity"] }],
])("says nothing of %s", (_, spec) => expect(tenantComment(spec)).toEqual([]));
