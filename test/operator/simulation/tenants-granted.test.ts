import { describe, expect, it } from "vitest";
import type { Manifest } from "./memory-kube.ts";
import { owner } from "./memory-platform.ts";
import { blue, blueIdentity, issuer, red, TwoTenants } from "./two-tenants.ts";

const policy = { adoption: "Never", deletion: "Delete", drift: "Correct" };
const grantPolicy = { deletion: "Delete", drift: "Correct" };

/** A group of the red Tenant that grants its use to the namespace of the blue one. */
function lent(allowedNamespaces: readonly string[] = ["other"]): Manifest {
  return { kind: "Group", name: "lent", namespace: "team", spec: { parentUid: red, policy, allowedNamespaces } };
}

const there = { name: "lent", namespace: "team" };
/** Objects of the blue Tenant below it. */
const below: readonly Manifest[] = [
  { kind: "Group", name: "shop", namespace: "other", spec: { parentRef: there, policy } },
  {
    kind: "Identity",
    name: "ci",
    namespace: "other",
    spec: { groupRef: there, claimMatch: { issuer, subject: "ci" }, policy },
  },
];
/** A grant of the blue Tenant to an identity of its own, in the group of the red one. */
const reader: Manifest = {
  kind: "Identity",
  name: "reader",
  namespace: "other",
  spec: { groupUid: blue, claimMatch: { issuer, subject: "reader" }, policy },
};
const reads: Manifest = {
  kind: "RoleBinding",
  name: "reads",
  namespace: "other",
  spec: { groupRef: there, identityRef: { name: "reader" }, roleRef: { name: "viewer" }, policy: grantPolicy },
};

/** @param identity of the blue Tenant; empty: that of the operator. */
function worldWith(identity: string): TwoTenants {
  const world = new TwoTenants();
  world.tenant("red", { groups: [red] });
  world.tenant("blue", { groups: [blue], identityUid: identity });
  return world;
}

/** Binds a role to the identity of the blue Tenant in the group that is lent to it. @returns the uid of the role binding. */
function bindBlueIdentity(world: TwoTenants): string {
  const group = world.statusOf(lent())?.uid ?? "";
  const uid = `${group}/00000000000000e1`;
  const binding = { uid, identity: { uid: blueIdentity, name: "" }, role: { uid: owner, name: "owner" } };
  world.scenario.platform.setInitial("roleBindings", binding);
  return uid;
}

async function lend(world: TwoTenants, identity: string): Promise<void> {
  await world.apply([lent()]);
  await world.until("Available", [lent()]);
  if (identity !== "") bindBlueIdentity(world);
}

describe.each([
  ["credentials of its own", blueIdentity],
  ["the operator's credentials", ""],
])("a group of another Tenant that is granted to a Tenant with %s", (_, identity) => {
  it("may be used as a parent, survives a restart and is resynced", async () => {
    const world = worldWith(identity);
    await lend(world, identity);
    const objects = [...below, reader, reads];
    await world.apply(objects);
    await world.until("Available", objects);
    await world.scenario.restart();
    await world.scenario.resync();
    const group = world.statusOf(below[0]!)?.uid ?? "";
    world.scenario.platform.set("groups", { uid: group, name: "renamed", description: "" });
    await world.scenario.resync();
    await world.scenario.until("the drift is corrected", () =>
      world.scenario.platform
        .createdIn("groups")
        .some(({ uid, ...rest }) => uid === group && "name" in rest && rest.name === "shop"),
    );
    expect(world.violations()).toEqual([]);
  });

  it("keeps letting what was created below be deleted after the grant was revoked", async () => {
    const world = worldWith(identity);
    await lend(world, identity);
    const objects = [...below, reader, reads];
    await world.apply(objects);
    await world.until("Available", objects);
    await world.apply([lent([])]);
    await world.until("ReferenceNotGranted", [...below, reads]);
    await world.scenario.restart();
    await world.remove([reads, ...below, reader]);
    world.scenario.platform.remove("roleBindings", `${world.statusOf(lent())?.uid}/00000000000000e1`);
    await world.remove([lent()]);
    expect(world.scenario.platform.created()).toEqual([]);
  });
});

it("names the group and the missing role if the Tenant's own identity has none in the granted group", async () => {
  const world = worldWith(blueIdentity);
  await world.apply([lent()]);
  await world.until("Available", [lent()]);
  await world.apply(below);
  await world.until("PermissionDenied", below);
  const [group] = below;
  const ready = world.statusOf(group!)?.conditions?.find(({ type }) => type === "Ready");
  expect(ready?.message).toContain(`lacks CAP_IAM_GROUPS_LIST in group ${world.statusOf(lent())?.uid}`);
  expect(ready?.message).toContain("Bind a role with this capability");
  bindBlueIdentity(world);
  await world.until("Available", below);
});

it("forgets the granted group once no object uses it", async () => {
  const world = worldWith(blueIdentity);
  await lend(world, blueIdentity);
  await world.apply(below);
  await world.until("Available", below);
  const groups = () => [...world.scenario.process.sources.tenancy.sessions].at(-1)?.groups;
  const group = world.statusOf(lent())?.uid;
  await world.scenario.resync();
  expect(groups()).toEqual([blue, group]);
  await world.remove(below);
  await world.scenario.resync();
  expect(groups()).toEqual([blue]);
});
