import { describe, expect, it } from "vitest";
import type { Resource } from "#src/api/custom-resource.ts";
import type { RoleBindingSpec } from "#src/api/role-binding.ts";
import {
  groupResource,
  identityResource,
  otherRoot,
  parent,
  root,
} from "#src/reconcile/policy/observed-fixture.testing.ts";
import type { Boundary } from "#src/reconcile/tenancy/boundary.ts";
import { everything } from "#src/reconcile/tenancy/boundary.testing.ts";
import type { ReferenceContext } from "./references.ts";
import {
  binding,
  bindingOf,
  context,
  custom,
  elsewhere,
  group,
  identityUid,
  operatorIdentity,
  owner,
  resolverAmong,
  role,
  viewer,
} from "./references-world.testing.ts";

const resolve = resolverAmong([]);

describe("a Tenant", () => {
  const limited = (boundary: Partial<Boundary>) => ({ boundary: { ...context.boundary, ...boundary } });
  const observed = { management: "Observe", adoption: "Never", drift: "Correct" } as const;

  it.each<[string, Resource, Partial<ReferenceContext>, string]>([
    [
      "of other kinds",
      groupResource(),
      limited({ kinds: ["Identity"] }),
      "kind: Tenant all does not allow objects of the kind Group",
    ],
    [
      "with an issuer of identities",
      identityResource({ spec: { claimMatch: { issuer: "https://a.example", subject: "x" } } }),
      limited({ claimIssuers: [] }),
      "spec.claimMatch.issuer: ",
    ],
    [
      "with other groups denies an observed root group",
      group("other", { spec: { parentRef: undefined, parentUid: undefined, uid: otherRoot, policy: observed } }),
      {},
      `spec.uid: group ${otherRoot}`,
    ],
  ])("%s", (_, resource, more, message) => {
    expect(resolve(resource, more)).toMatchObject({ are: "denied", message: expect.stringContaining(message) });
  });

  it("says nothing of a uid in the spec of what has a parent: it must be directly below that", () => {
    expect(resolve(group("other", { spec: { uid: elsewhere } }))).toMatchObject({ are: "resolved" });
  });

  it("does not disclose whether an identity outside of its groups is a credential", () => {
    const other = binding({ identityUid: elsewhere });
    expect(resolve(other, { isCredential: (identity) => identity === elsewhere })).toEqual(resolve(other));
  });

  it("permits no credential to be bound, granted or not", () => {
    expect(resolve(binding(), { isCredential: (identity) => identity === identityUid })).toMatchObject({
      are: "denied",
    });
  });
});

describe("a uid", () => {
  it.each<[string, string, string]>([
    ["of a root group may be a parent", root, "resolved"],
    ["below a root group may be a parent", parent, "resolved"],
    ["below another root may not", otherRoot, "denied"],
    ["is compared by segment, never by prefix alone", `${root}0/1111111111111111`, "denied"],
  ])("%s", (_, parentUid, are) => {
    expect(resolve(groupResource({ spec: { parentUid } }))).toMatchObject({ are });
  });
});

describe("a role binding", () => {
  it.each<[string, Partial<RoleBindingSpec>]>([
    ["a role that is not allowed", { roleRef: { name: "owner" } }],
    ["an identity outside the root groups", { identityUid: elsewhere }],
    ["the operator's own identity", { identityUid: operatorIdentity }],
  ])("may not bind %s", (_, spec) => {
    expect(resolve(binding(spec))).toMatchObject({ are: "denied" });
  });

  it("takes a built-in role by uid, if its name may be bound", () => {
    expect(resolve(bindingOf(viewer.uid))).toMatchObject({ are: "resolved" });
    expect(resolve(bindingOf(owner.uid))).toMatchObject({ are: "denied" });
    const boundary = everything({ roots: [root], roles: [owner.uid], namespaces: null });
    expect(resolve(bindingOf(owner.uid), { boundary })).toMatchObject({ are: "resolved" });
    expect(resolve(bindingOf(viewer.uid), { roles: undefined })).toEqual({ are: "unread" });
  });

  it("does not take a custom role for the built-in role with the same name", () => {
    expect(resolve(bindingOf(custom))).toMatchObject({ are: "denied" });
  });
});

describe("a Role", () => {
  const declares = (...capabilities: readonly string[]) => role("new", { spec: { capabilities } });

  it("may declare the capabilities of the roles that the Tenant may bind, and no other", () => {
    expect(resolve(declares("CAP_TAG_LIST", "CAP_REPO_LIST"))).toMatchObject({
      are: "resolved",
      desired: { capabilities: ["CAP_REPO_LIST", "CAP_TAG_LIST"] },
    });
    expect(resolve(declares("CAP_REPO_LIST", "CAP_REPO_DELETE"))).toEqual({
      are: "denied",
      message:
        "spec.capabilities: Tenant all does not allow CAP_REPO_DELETE: none of the roles that it allows (viewer) has it, where roles of Role objects do not count. Remove it from the role, or ask an administrator to add a role that has it to spec.roles of the Tenant, and to the operator's setting --allowed-role.",
    });
    expect(resolve(declares("CAP_REPO_LIST"), { roles: undefined })).toEqual({ are: "unread" });
  });

  it("may not declare a capability that no role has, and learns which one was probably meant", () => {
    expect(resolve(declares("CAP_REPO_DELETE", "CAP_REPO_LISTS", "CAP_TAG_LIST"))).toEqual({
      are: "denied",
      message: "spec.capabilities: no role of the platform has CAP_REPO_LISTS. Did you mean CAP_REPO_LIST?",
    });
    expect(resolve(declares("CAP_A", "CAP_B"))).toMatchObject({
      message: "spec.capabilities: no role of the platform has CAP_A, CAP_B. Correct the name.",
    });
  });
});
