import { expect, it } from "vitest";
import { apiVersion, type Resource } from "#src/api/custom-resource.ts";
import { accountAssociationKind } from "#src/kinds/account-association.ts";
import { groupKind } from "#src/kinds/group.ts";
import { groupInviteKind } from "#src/kinds/group-invite.ts";
import { identityKind } from "#src/kinds/identity.ts";
import type { Kind } from "#src/kinds/kind.ts";
import { roleBindingKind } from "#src/kinds/role-binding.ts";
import type { ClusterObjects } from "./declared-resources.ts";
import type { ExistingTree } from "./existing-tree.ts";
import type { ImportOptions } from "./import-options.ts";
import { binding, ci, exceptionsOf, imported, objectsOf, shop, specOf } from "./imported.testing.ts";

interface Fields {
  readonly namespace?: string;
  readonly spec?: object;
  readonly uid?: string;
  readonly created?: string;
}

function object({ name: kind, definition }: Kind, name: string, fields: Fields): Resource {
  const { namespace = "shop", spec = {}, uid, created = "2026-01-01T00:00:00Z" } = fields;
  const status = uid === undefined ? {} : { status: { uid } };
  const read = { apiVersion, kind, metadata: { name, namespace, creationTimestamp: created }, spec, ...status };
  expect(definition.kind).toBe(kind);
  return read as unknown as Resource;
}

/** The import of the tree with the given objects in the cluster. */
function importedWith(
  cluster: readonly (readonly [Kind, readonly Resource[]])[],
  tree: Partial<ExistingTree> = {},
  options: Partial<ImportOptions> = {},
) {
  const read: readonly ClusterObjects[] = cluster.map(([kind, objects]) => ({ kind, objects }));
  return imported(tree, { cluster: read, ...options });
}

const byName = {
  groupRef: { name: "web" },
  identityRef: { name: "ci", namespace: "ids" },
  roleRef: { name: "viewer" },
};
const groupWeb = object(groupKind, "web", { uid: shop, spec: { policy: { management: "Observe" } } });
const identityCi = object(identityKind, "ci", {
  namespace: "ids",
  spec: { uid: ci, policy: { management: "Observe" } },
});

it("recognizes a role binding by what its object describes, until that records one", () => {
  const described = object(roleBindingKind, "reads", { spec: byName });
  const known = [
    [groupKind, [groupWeb]],
    [identityKind, [identityCi]],
  ] as const;
  const listed = (tree: ReturnType<typeof imported>) =>
    exceptionsOf(tree).filter((text) => text.startsWith("role binding"));
  const declared = ["role binding left out: declared by shop/reads"];
  expect(listed(importedWith([...known, [roleBindingKind, [described]]]))).toEqual(declared);
  expect(listed(importedWith([[roleBindingKind, [described]]]))).toEqual([]);
  const other = object(roleBindingKind, "reads", { spec: { ...byName, roleRef: { name: "editor" } } });
  expect(listed(importedWith([...known, [roleBindingKind, [other]]]))).toEqual([]);
  // What no schema accepts describes nothing.
  const invalid = object(roleBindingKind, "reads", { spec: { ...byName, identityRef: {} } });
  expect(listed(importedWith([...known, [roleBindingKind, [invalid]]]))).toEqual([]);
});

it("leaves out all role bindings that grant what an object declares", () => {
  const equal = { ...binding, uid: `${shop}/00000000000000e9` };
  const recorded = object(roleBindingKind, "reads", {
    spec: { groupUid: shop, identityUid: ci, roleUid: binding.role.uid },
    uid: equal.uid,
  });
  const tree = importedWith([[roleBindingKind, [recorded]]], { roleBindings: [binding, equal] });
  expect(exceptionsOf(tree)).toEqual([
    "role binding left out: declared by shop/reads",
    "role binding left out: declared by shop/reads",
  ]);
});

it("leaves out what objects record or name, and refers to it by name in its own namespace only", () => {
  const here = object(groupKind, "web", { namespace: "team", spec: { name: "shop" }, uid: shop });
  const tree = importedWith([[groupKind, [here]]]);
  expect(exceptionsOf(tree)).toEqual(["group left out: declared by team/web"]);
  expect(specOf(tree, "Identity")).toMatchObject({ groupRef: { name: "web" } });
  const elsewhere = object(groupKind, "web", { spec: { uid: shop } });
  const other = importedWith([[groupKind, [elsewhere]]]);
  expect(exceptionsOf(other)).toEqual(["group left out: declared by shop/web"]);
  expect(specOf(other, "Identity")).toMatchObject({ groupUid: shop });
});

it("permits nothing for what another object declares", () => {
  const identity = object(identityKind, "robot", { uid: ci });
  const reads = object(roleBindingKind, "reads", { uid: binding.uid });
  const cluster = [
    [identityKind, [identity]],
    [roleBindingKind, [reads]],
  ] as const;
  const { tenant } = importedWith(cluster);
  expect(tenant.spec).not.toHaveProperty("claimIssuers");
  expect(tenant.spec).not.toHaveProperty("roles");
  // Whoever adopts an identity must be permitted to bind what it holds.
  const adopting = importedWith([[roleBindingKind, [reads]]]);
  expect(adopting.tenant.spec).toMatchObject({ roles: ["viewer"] });
  expect(exceptionsOf(adopting)).toEqual(["role binding left out: declared by shop/reads"]);
});

it("gives a resource to the object that records it, and otherwise to the oldest", () => {
  const old = object(identityKind, "old", { spec: { uid: ci } });
  const young = (fields: Fields) => object(identityKind, "young", { created: "2026-02-01T00:00:00Z", ...fields });
  const reasons = (...objects: readonly Resource[]) => exceptionsOf(importedWith([[identityKind, objects]]))[0];
  expect(reasons(young({ spec: { uid: ci } }), old)).toBe("identity left out: declared by shop/old");
  expect(reasons(old, young({ uid: ci }))).toBe("identity left out: declared by shop/young");
});

it("keeps its own objects, unless the resource is another object's", () => {
  const [own] = objectsOf(imported({})).filter(({ kind }) => kind === "RoleBinding");
  const spec = { groupUid: shop, identityUid: ci, roleUid: binding.role.uid };
  const applied = object(roleBindingKind, own?.metadata.name ?? "", { namespace: "team", spec });
  const tree = importedWith([[roleBindingKind, [applied]]]);
  expect(objectsOf(tree)).toContainEqual(own);
  const winner = object(roleBindingKind, "reads", { spec, uid: binding.uid });
  expect(exceptionsOf(importedWith([[roleBindingKind, [applied, winner]]]))).toEqual([
    "role binding left out: declared by shop/reads",
  ]);
});

it("recognizes the account association of a group, and invites", () => {
  const linked = object(accountAssociationKind, "cloud", {
    spec: { groupUid: shop, name: "cloud", amazon: { account: "123456789012" } },
  });
  const invited = object(groupInviteKind, "ada", { uid: `${shop}/00000000000000f1` });
  const association = accountAssociationKind.collection.schema.parse({
    uid: shop,
    name: "cloud",
    amazon: { account: "123456789012" },
  });
  const tree = importedWith(
    [
      [accountAssociationKind, [linked]],
      [groupInviteKind, [invited]],
    ],
    {
      accountAssociations: [association],
      others: [{ kind: "GroupInvite", noun: "group invite", uid: `${shop}/00000000000000f1`, reason: "unknown" }],
    },
  );
  expect(exceptionsOf(tree)).toEqual([
    "account association left out: declared by shop/cloud",
    "group invite left out: declared by shop/ada",
  ]);
  expect(tree.tenant.spec).not.toHaveProperty("awsAccounts");
});
