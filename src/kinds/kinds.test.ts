import { describe, expect, it } from "vitest";
import { resourceDefinitions } from "#src/api/resource.ts";
import { kinds } from "./kinds.ts";

it("the kinds are in the order of their definitions", () => {
  expect(Object.values(kinds).map(({ definition }) => definition)).toEqual(resourceDefinitions);
});

describe("specPath maps a field of the platform to the spec", () => {
  it.each([
    ["Group", "name", "spec.name"],
    ["Group", "description", "spec.description"],
    ["Identity", "claim_match.issuer_pattern", "spec.claimMatch.issuerPattern"],
    ["Identity", "claimMatch.issuer", "spec.claimMatch.issuer"],
    ["Identity", "static_keys.issuer_keys", "spec.staticKeys.issuerKeys"],
    ["RoleBinding", "identity_uid", "spec.identityRef"],
    ["RoleBinding", "identityUid", "spec.identityRef"],
    ["RoleBinding", "roleUid", "spec.roleRef"],
  ] as const)("%s: %s to %s", (kind, field, path) => {
    expect(kinds[kind].specPath(field)).toBe(path);
  });
});
