import { describe, expect, it } from "vitest";
import { resourceDefinitions } from "#src/api/resource.ts";
import { kinds } from "./kinds.ts";

it("every resource is a kind, under its own name", () => {
  expect(Object.keys(kinds)).toEqual(resourceDefinitions.map(({ kind }) => kind));
  for (const [name, kind] of Object.entries(kinds)) expect(kind.name).toBe(name);
});

describe("errors of the platform name the field of the spec", () => {
  it.each([
    ["Group", "name", "spec.name"],
    ["Group", "description", "spec.description"],
    ["Identity", "claim_match.issuer_pattern", "spec.claimMatch.issuerPattern"],
    ["Identity", "claimMatch.issuer", "spec.claimMatch.issuer"],
    ["Identity", "static_keys.issuer_keys", "spec.staticKeys.issuerKeys"],
    ["RoleBinding", "identity_uid", "spec.identityRef"],
    ["RoleBinding", "identityUid", "spec.identityRef"],
    ["RoleBinding", "roleUid", "spec.roleRef"],
  ] as const)("%s: %s is %s", (kind, field, path) => {
    expect(kinds[kind].specPath(field)).toBe(path);
  });
});
