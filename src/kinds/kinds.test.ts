import { describe, expect, it } from "vitest";
import type { Resource } from "#src/api/custom-resource.ts";
import type { Kind } from "./kind.ts";
import { kinds } from "./kinds.ts";

it("each kind has the name of its definition, and its own collection", () => {
  expect(kinds.map(({ name }) => name)).toEqual(kinds.map(({ definition }) => definition.kind));
  expect(new Set(kinds.map(({ collection }) => collection.name)).size).toBe(kinds.length);
});

it("a kind refers to the kinds that it names, so that their dependents can be found", () => {
  const reference = { name: "one" };
  const spec = {
    parentRef: reference,
    groupRef: reference,
    identityRef: reference,
    roleRef: { kind: "Role", ...reference },
  };
  for (const kind of kinds) {
    const found = kind
      .references({ metadata: { name: "one", namespace: "team" }, spec } as never)
      .flatMap(({ target }) => (target.by === "resource" ? [target.kind] : []));
    expect(found.toSorted()).toEqual(kind.refersTo.toSorted());
  }
});

describe("specPath maps a field of the platform to the spec", () => {
  it.each<[string, string, string, object?]>([
    ["Group", "name", "spec.name"],
    ["Group", "description", "spec.description"],
    ["Identity", "claim_match.issuer_pattern", "spec.claimMatch.issuerPattern"],
    ["Identity", "claimMatch.issuer", "spec.claimMatch.issuer"],
    ["Identity", "static_keys.issuer_keys", "spec.staticKeys.issuerKeys"],
    ["Role", "capabilities", "spec.capabilities"],
    ["RoleBinding", "identity_uid", "spec.identityRef"],
    ["RoleBinding", "identityUid", "spec.identityRef"],
    ["RoleBinding", "roleUid", "spec.roleRef"],
    ["RoleBinding", "identity_uid", "spec.identityUid", { identityUid: "uid" }],
    ["RoleBinding", "roleUid", "spec.roleUid", { roleUid: "uid" }],
    ["Identity", "claim_match.audience", "spec.serviceAccountRef.audience", { serviceAccountRef: { name: "ci" } }],
    ["Identity", "claim_match.subject", "spec.serviceAccountRef", { serviceAccountRef: { name: "ci" } }],
  ])("%s: %s to %s", (kind, field, path, spec?: object) => {
    const described: Kind | undefined = kinds.find(({ name }) => name === kind);
    expect(described?.specPath(field, { spec: spec ?? {} } as Resource)).toBe(path);
  });
});
