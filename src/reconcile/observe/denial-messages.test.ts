import { expect, it } from "vitest";
import type { Resource } from "#src/api/custom-resource.ts";
import { groupResource, identityResource, otherRoot, root } from "#src/reconcile/policy/observed-fixture.testing.ts";
import type { Boundary } from "#src/reconcile/tenancy/boundary.ts";
import { binding, context, elsewhere, group, resolverAmong, role } from "./references-world.testing.ts";

// Editors of a namespace may not read its Tenant. What denies them something has to name it, and what it permits them.

const boundary: Boundary = {
  ...context.boundary,
  kinds: ["Group", "Identity", "Role", "RoleBinding", "AccountAssociation"],
  roles: ["viewer"],
  identityTypes: ["ClaimMatch"],
  claimIssuers: [{ issuer: "https://ours.example", subjects: ["ours"] }],
  awsAccounts: ["111111111111"],
};
const association = (spec: object): Resource => ({
  ...groupResource(),
  kind: "AccountAssociation",
  spec: spec as never,
});
const policy = groupResource().spec.policy;
const observed = { management: "Observe", adoption: "Never", drift: "Correct" };
const assumedBy = (spec: object) => identityResource({ spec });

it.each<[rule: string, resource: Resource, permitted: string]>([
  ["kinds", { ...groupResource(), kind: "GroupInvite" }, "Group, Identity, Role, RoleBinding, AccountAssociation"],
  ["groups, for a parent", groupResource({ spec: { parentUid: elsewhere } }), root],
  ["groups, for an identity", binding({ identityUid: elsewhere }), root],
  ["groups, for spec.uid", group("x", { spec: { parentRef: undefined, uid: otherRoot, policy: observed } }), root],
  ["roles", binding({ roleRef: { name: "owner" } }), "viewer"],
  ["roles, for capabilities", role("x", { spec: { capabilities: ["CAP_REPO_DELETE"] } }), "viewer"],
  ["identityTypes", assumedBy({ claimMatch: undefined, serviceAccountRef: { name: "ci" } }), "ClaimMatch"],
  ["claimIssuers", assumedBy({ claimMatch: { issuer: "https://b.example", subject: "x" } }), "https://ours.example"],
  ["claimIssuers, subjects", assumedBy({ claimMatch: { issuer: "https://ours.example", subject: "x" } }), '"ours"'],
  ["awsAccounts", association({ groupUid: root, policy, amazon: { account: "222222222222" } }), "111111111111"],
])("a denial by %s names the Tenant and what it permits, and no other Tenant", (_, resource, permitted) => {
  const found = resolverAmong([])(resource, { boundary });
  expect(found).toMatchObject({ are: "denied" });
  const message = "message" in found ? found.message : "";
  expect(message).toContain("Tenant all");
  expect(message).toContain(permitted);
  expect(message).toMatch(/^(spec|kind)[\w.]*: .*\. (Use|Remove) .*ask an administrator to add/);
  expect(message).not.toMatch(/others|breakGlass|emergenc/);
});
