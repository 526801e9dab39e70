import { describe, expect, it } from "vitest";
import type { ExternalResource } from "#src/platform-client/collection.ts";
import type { Manifest } from "./memory-kube.ts";
import { madeWrites, PlannedWorld, plannedWrites, type Change } from "./planned-world.ts";
import { auditor } from "./memory-platform.ts";
import { issuer, red } from "./two-tenants.ts";

const policy = { adoption: "Never", deletion: "Delete", drift: "Correct" };
const shop: Manifest = { kind: "Group", name: "shop", spec: { parentUid: red, description: "first", policy } };
const ci: Manifest = {
  kind: "Identity",
  name: "ci",
  spec: { groupRef: { name: "shop" }, claimMatch: { issuer, subject: "ci" }, policy },
};
const views: Manifest = {
  kind: "RoleBinding",
  name: "ci-views",
  spec: {
    groupRef: { name: "shop" },
    identityRef: { name: "ci" },
    roleRef: { name: "viewer" },
    policy: { drift: "Correct", deletion: "Delete" },
  },
};
const tree = [shop, ci, views];

/** Plans the change, makes it, and compares. */
async function planAndAct(world: PlannedWorld, change: Change) {
  const plan = await world.plan(change);
  const applied = await world.act(change);
  expect(plannedWrites(plan)).toEqual(madeWrites(applied));
  expect(world.forbidden).toEqual([]);
  return plan;
}

async function settledWorld(manifests: readonly Manifest[] = tree): Promise<PlannedWorld> {
  const world = new PlannedWorld();
  await world.act({ apply: manifests });
  return world;
}

describe("a plan is what the operator then does", () => {
  it("creates a tree, parents first, with placeholders for the uids", async () => {
    const plan = await planAndAct(new PlannedWorld(), { apply: tree });
    expect(plan.changes.map(({ action, object, condition }) => [action, object.kind, condition?.reason])).toEqual([
      ["create", "Group", "Available"],
      ["create", "Identity", "Available"],
      ["create", "RoleBinding", "Available"],
    ]);
    expect(plan.changes[2]?.resource.uid).toMatch(/\/ffffffff00000001\/ffffffff00000003$/);
    expect(plan).toMatchObject({ refusals: [], unproven: [] });
  });

  it("updates what was edited, and nothing else", async () => {
    const world = await settledWorld();
    const edited = { ...shop, spec: { ...shop.spec, description: "second" } };
    const plan = await planAndAct(world, { apply: [edited] });
    expect(plan.changes).toMatchObject([
      { action: "update", object: { name: "shop" }, fields: [{ field: "description", from: "first", to: "second" }] },
    ]);
  });

  it("does nothing if nothing changes", async () => {
    const plan = await planAndAct(await settledWorld(), { apply: tree });
    expect(plan).toEqual({ changes: [], refusals: [], unproven: [], writes: [] });
  });

  it("corrects drift, and re-creates what is gone", async () => {
    const world = await settledWorld();
    const [group, , binding] = world.scenario.platform.created();
    world.scenario.platform.set("groups", {
      ...group,
      uid: group?.uid ?? "",
      description: `other ${group?.description}`,
    });
    const isBinding = (one: ExternalResource) => "role" in one;
    const gone = world.scenario.platform.created().find(isBinding) ?? binding;
    world.scenario.platform.remove("roleBindings", gone?.uid ?? "");
    const plan = await planAndAct(world, {});
    expect(plan.changes.map(({ action, object }) => [action, object.kind])).toEqual([
      ["update", "Group"],
      ["recreate", "RoleBinding"],
    ]);
  });

  it("adopts what exists, if it may", async () => {
    const world = new PlannedWorld();
    const uid = `${red}/eeeeeeeeeeeeeeee`;
    world.scenario.platform.set("groups", { uid, name: "shop", description: "by hand" });
    const adopting = { ...shop, spec: { ...shop.spec, policy: { ...policy, adoption: "IfExists" } } };
    const plan = await planAndAct(world, { apply: [adopting] });
    expect(plan.changes).toMatchObject([{ action: "adopt", resource: { uid } }]);
    expect(plan.changes[0]?.fields.map(({ field }) => field)).toEqual(["description", "marker"]);
  });

  it("deletes a tree, children first", async () => {
    const plan = await planAndAct(await settledWorld(), { remove: tree });
    expect(plan.changes.map(({ action, object }) => [action, object.kind])).toEqual([
      ["delete", "RoleBinding"],
      ["delete", "Identity"],
      ["delete", "Group"],
    ]);
    expect(plan.refusals).toEqual([]);
  });

  it("refuses what the Tenant does not permit, with the condition that the object gets", async () => {
    const grants: Manifest = { ...views, name: "owns", spec: { ...views.spec, roleRef: { name: "owner" } } };
    const plan = await planAndAct(await settledWorld(), { apply: [grants] });
    expect(plan.changes).toEqual([]);
    expect(plan.refusals).toMatchObject([
      { object: { name: "owns" }, condition: { status: "False", reason: "TenantDenied" } },
    ]);
  });
});

it("deletes what is in a namespace that is deleted", async () => {
  const world = await settledWorld();
  const plan = await planAndAct(world, { removeCluster: [{ kind: "Namespace", name: "team" }] });
  expect(plan.changes.map(({ action, object }) => [action, object.kind])).toEqual([
    ["delete", "RoleBinding"],
    ["delete", "Identity"],
    ["delete", "Group"],
  ]);
  expect(plan.refusals).toEqual([]);
  expect(world.scenario.kube.findCluster("Namespace", "team")).toBeUndefined();
});

it("keeps a namespace that is deleted while an object in it is protected", async () => {
  const protecting = { ...shop, spec: { ...shop.spec, policy: { ...policy, deletion: "Protect" } } };
  const world = await settledWorld([protecting, ci, views]);
  const plan = await planAndAct(world, { removeCluster: [{ kind: "Namespace", name: "team" }] });
  expect(plan.changes.map(({ object }) => object.kind)).toEqual(["RoleBinding", "Identity"]);
  expect(plan.refusals).toMatchObject([{ object: { kind: "Group" }, condition: { reason: "Protected" } }]);
  expect(world.scenario.kube.findCluster("Namespace", "team")).toBeDefined();
});

it("reports what a narrower Tenant refuses, and removes nothing", async () => {
  const world = await settledWorld();
  world.tenant("red", { roles: [] });
  const plan = await planAndAct(world, {});
  expect(plan).toMatchObject({
    changes: [],
    refusals: [{ object: { kind: "RoleBinding", name: "ci-views" }, condition: { reason: "TenantDenied" } }],
  });
});

describe("what the caller may not list", () => {
  it("is unknown, and never nothing to do", async () => {
    const plan = await (await settledWorld()).plan({ apply: tree }, auditor);
    expect(plan.unproven.length).toBeGreaterThan(0);
  });
});
