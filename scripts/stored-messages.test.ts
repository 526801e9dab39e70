import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { changedMeanings } from "./stored-messages.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "muster-stored-messages-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What the check reports after texts of a file of the contract are replaced. */
function changesAfter(file: string, replacements: Readonly<Record<string, string>>): string {
  cpSync("proto", join(folder, "proto"), { recursive: true });
  const path = join(folder, "proto/muster", file);
  let text = readFileSync(path, "utf8");
  for (const [from, to] of Object.entries(replacements)) {
    expect(text).toContain(from);
    text = text.replace(from, to);
  }
  writeFileSync(path, text);
  return changedMeanings(folder, "proto/stored-messages.yaml");
}

const identity = "platform/iam/v2beta1/identity.proto";
const repo = "platform/registry/v2beta1/repo.proto";

it("accepts the contract as it is", () => {
  expect(changedMeanings(".", "proto/stored-messages.yaml")).toBe("");
});

it("accepts a new field, and one that is removed and reserved", () => {
  expect(changesAfter(repo, { "string name = 2": "string owner = 102; string name = 2" })).toBe("");
  expect(changesAfter(repo, { "repeated string bundles = 5;": 'reserved 5; reserved "bundles";' })).toBe("");
});

it.each([
  [
    "two fields that swap their numbers",
    identity,
    { "string arn = 2;": "string arn = 3;", "string arn_pattern = 3;": "string arn_pattern = 2;" },
    'Field "2" on message "AWSIdentity" changed name from "arn" to "arn_pattern"',
  ],
  ["a field with another number", identity, { "string arn = 2;": "string arn = 6;" }, '"arn"'],
  ["a field with another type", repo, { "repeated string aliases": "repeated bytes aliases" }, '"aliases"'],
  ["a field with another name", repo, { "string description": "string summary" }, '"description"'],
  [
    "a field that leaves its oneof",
    identity,
    {
      "    ClaimMatch claim_match = 20;\n": "",
      "  oneof relationship {": "  ClaimMatch claim_match = 20;\n  oneof relationship {",
    },
    '"claim_match"',
  ],
  [
    "values of an enum that swap their numbers",
    repo,
    { "CATALOG_TIER_BASE = 2": "CATALOG_TIER_BASE = 3", "CATALOG_TIER_FIPS = 3": "CATALOG_TIER_FIPS = 2" },
    '"CATALOG_TIER_BASE"',
  ],
  [
    "a value of an enum that is only in a column",
    identity,
    { "RELATIONSHIP_TYPE_STATIC = 2": "RELATIONSHIP_TYPE_STATIC = 4" },
    '"RELATIONSHIP_TYPE_STATIC"',
  ],
  [
    "a capability with another number",
    "capabilities/capabilities.proto",
    { "CAP_REPO_LIST = 1605": "CAP_REPO_LIST = 1607" },
    '"CAP_REPO_LIST"',
  ],
])("reports %s", (_, file, replacements, expected) => {
  expect(changesAfter(file, replacements)).toContain(expected);
});
