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
/** Objects of the blue Tenant below it, which name it, or its uid. */
function belowIt(uid?: string): readonly Manifest[] {
  const parent = uid === undefined ? { parentRef: there } : { parentUid: uid };
  return [
    { kind: "Group", name: "shop", namespace: "other", spec: { ...parent, policy } },
    {
      kind: "Identity",
      name: "ci",
      namespace: "other",
      spec: { ...inIt(uid), claimMatch: { issuer, subject: "ci" }, policy },
    },
  ];
}

function inIt(uid: string | undefined): { readonly groupUid: string } | { readonly groupRef: typeof there } {
  return uid === undefined ? { groupRef: there } : { groupUid: uid };
}

const below = belowIt();
/** A grant of the blue Tenant to an identity of its own, in the group of the red one. */
const reader: Manifest = {
  kind: "Identity",
  name: "reader",
  namespace: "other",
  spec: { groupUid: blue, claimMatch: { issuer, subject: "reader" }, policy },
};
function readsIn(uid?: string): Manifest {
  const spec = { ...inIt(uid), identityRef: { name: "reader" }, roleRef: { name: "viewer" }, policy: grantPolicy };
  return { kind: "RoleBinding", name: "reads", namespace: "other", spec };
}

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
  ["credentials of its own, by name", blueIdentity, "name"],
  ["the operator's credentials, by name", "", "name"],
  ["credentials of its own, by uid", blueIdentity, "uid"],
  ["the operator's credentials, by uid", "", "uid"],
])("a group of another Tenant that is granted to a Tenant with %s", (_, identity, by) => {
  /** The objects below the group, once it is lent. */
  const objectsIn = (world: TwoTenants) => {
    const uid = by === "uid" ? world.statusOf(lent())?.uid : undefined;
    return { children: belowIt(uid), reads: readsIn(uid) };
  };

  it("may be used as a parent, survives a restart and is resynced", async () => {
    const world = worldWith(identity);
    await lend(world, identity);
    const { children, reads } = objectsIn(world);
    const objects = [...children, reader, reads];
    await world.apply(objects);
    await world.until("Available", objects);
    await world.scenario.restart();
    await world.scenario.resync();
    const group = world.statusOf(children[0]!)?.uid ?? "";
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
    const { children, reads } = objectsIn(world);
    const objects = [...children, reader, reads];
    await world.apply(objects);
    await world.until("Available", objects);
    await world.apply([lent([])]);
    // Of a uid, it is not disclosed whether an object has it.
    await world.until(by === "uid" ? "TenantDenied" : "ReferenceNotGranted", [...children, reads]);
    await world.scenario.restart();
    await world.remove([reads, ...children, reader]);
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

it("lets a group that others use by its uid be deleted only after what they have in it", async () => {
  const world = worldWith("");
  await lend(world, "");
  const objects = belowIt(world.statusOf(lent())?.uid);
  await world.apply(objects);
  await world.until("Available", objects);
  world.scenario.kube.remove(lent());
  await world.until("ChildrenExist", [lent()]);
  await world.remove([...objects, lent()]);
  expect(world.scenario.platform.created()).toEqual([]);
});

it("lets no object that only names a uid in its spec grant the use of it", async () => {
  const world = worldWith("");
  await world.apply([lent([])]);
  await world.until("Available", [lent()]);
  const uid = world.statusOf(lent())?.uid ?? "";
  // In a namespace of the blue Tenant itself, of the red one in Conflict, and of no Tenant.
  const claims = ["other", "team", "nobodys"].map(
    (namespace): Manifest => ({
      kind: "Group",
      name: "claims",
      namespace,
      spec: {
        parentUid: red,
        uid,
        name: "lent",
        policy: { ...policy, adoption: "IfExists" },
        allowedNamespaces: ["other"],
      },
    }),
  );
  await world.apply([...claims, ...belowIt(uid)]);
  await world.until("TenantDenied", belowIt(uid));
  await world.until("Conflict", claims.slice(1, 2));
  await world.scenario.restart();
  await world.scenario.resync();
  await world.until("TenantDenied", belowIt(uid));
  await world.apply([lent()]);
  await world.until("Available", belowIt(uid));
});

it("deletes what was created in a granted group while the grant was revoked, at every moment of the POST", async () => {
  const shop: Manifest = { kind: "Group", name: "shop", namespace: "other", spec: { parentRef: there, policy } };
  for (let afterMs = 0; afterMs <= 1_200; afterMs += 200) {
    const world = worldWith("");
    const { scenario } = world;
    await lend(world, "");
    scenario.platform.travelMs = (call) => (call === "create groups" ? 1_000 : 1);
    await world.apply([shop]);
    await scenario.pass(afterMs);
    await world.apply([lent([])]);
    await world.until("ReferenceNotGranted", [shop]);
    await scenario.pass(60_000);
    await world.remove([shop]);
    await world.remove([lent([])]);
    expect(scenario.platform.created(), `after ${afterMs} ms`).toEqual([]);
  }
});
