import { describe, expect, it } from "vitest";
import type { Manifest } from "./memory-kube.ts";
import { grantOf, viewer } from "./memory-platform.ts";
import { red, shared, TwoTenants } from "./two-tenants.ts";

// An object that takes nothing keeps nothing: neither a grant that another object has to end, nor a name.

const policy = { management: "Full", drift: "Correct" };
const reader = `${red}/00000000000000f1`;
const missing = `${red}/00000000000000ff`;
const lifetimeMs = 120_000;
const expiresAt = new Date(Date.UTC(2026, 0, 1) + lifetimeMs).toISOString().replace(".000Z", "Z");

function grant(name: string, fields: object): Manifest {
  const spec = { groupUid: red, identityUid: reader, roleRef: { name: "viewer" }, policy, ...fields };
  return { kind: "RoleBinding", name, spec };
}

const ending = grant("ending", { expiresAt });

/** Objects that describe the same grant, and are ExternalGone. */
const givenUp: readonly { readonly name: string; readonly object: Manifest; readonly isLost: boolean }[] = [
  { name: "names the uid of another one", object: grant("gone", { uid: missing }), isLost: false },
  {
    name: "reports the loss of its own",
    object: grant("gone", { policy: { ...policy, drift: "Report" } }),
    isLost: true,
  },
];

async function worldWith(object: Manifest, isLost: boolean): Promise<TwoTenants> {
  const world = new TwoTenants();
  const { platform } = world.scenario;
  platform.setInitial("identities", { uid: reader, name: "reader", description: "" });
  await world.apply([object]);
  if (isLost) {
    await world.until("Available", [object]);
    platform.remove("roleBindings", world.statusOf(object)?.uid ?? "");
    await world.scenario.resync();
  }
  await world.until("ExternalGone", [object]);
  return world;
}

describe.each(givenUp)("a grant that an object describes which $name", ({ object, isLost }) => {
  it("ends with the object for which a leader created it that died before it recorded that", async () => {
    const world = await worldWith(object, isLost);
    const { scenario } = world;
    const { kube, platform } = scenario;
    scenario.process.kill();
    kube.admitsFinalizer = true;
    kube.apply(ending);
    const created = `${red}/00000000000000e8`;
    platform.set("roleBindings", grantOf(created, reader, viewer));
    await scenario.pass(2 * lifetimeMs);
    await world.until("Expired", [ending]);
    await world.rest();
    expect(platform.createdIn("roleBindings")).toEqual([]);
  });

  it("is made for another object", async () => {
    const world = await worldWith(object, isLost);
    await world.apply([ending]);
    await world.until("Available", [ending]);
  });
});

it("a role binding that equals an object with the uid of another one is undeclared", async () => {
  const world = await worldWith(grant("gone", { uid: missing }), false);
  const { scenario } = world;
  const group: Manifest = {
    kind: "Group",
    name: "shop",
    spec: { parentUid: shared, policy: { ...policy, adoption: "Never" } },
  };
  await world.apply([group]);
  await world.until("Available", [group]);
  const counted = () => scenario.process.undeclared.counts().get("RoleBinding") ?? 0;
  await scenario.resync();
  const before = counted();
  const byHand = `${red}/00000000000000e9`;
  scenario.platform.set("roleBindings", grantOf(byHand, reader, viewer));
  await scenario.resync();
  expect(counted()).toBe(before + 1);
  await world.rest([byHand]);
});
