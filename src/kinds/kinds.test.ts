import { describe, expect, it } from "vitest";
import { kinds } from "./kinds.ts";

it("each kind has the name of its definition, and its own collection", () => {
  expect(kinds.map(({ name }) => name)).toEqual(kinds.map(({ definition }) => definition.kind));
  expect(new Set(kinds.map(({ collection }) => collection.name)).size).toBe(kinds.length);
});

it("a kind refers to the kinds that it names, so that their dependents can be found", () => {
  const reference = { name: "one" };
  const spec = { parentRef: reference, groupRef: reference, identityRef: reference, roleRef: reference };
  for (const kind of kinds) {
    const found = kind
      .references({ metadata: { name: "one", namespace: "team" }, spec } as never)
      .flatMap(({ target }) => (target.by === "resource" ? [target.kind] : []));
    expect(found.toSorted()).toEqual(kind.refersTo.toSorted());
  }
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
    expect(kinds.find(({ name }) => name === kind)?.specPath(field)).toBe(path);
  });
});
