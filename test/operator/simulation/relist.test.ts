import { describe, expect, it } from "vitest";
import { oneIn } from "#test/support/turn/in-turn.ts";
import { withEveryFault } from "./fault-points.ts";
import type { Manifest } from "./memory-kube.ts";
import type { Fault } from "./scenario.ts";
import { issuer, red, TwoTenants } from "./two-tenants.ts";

// Watches that lose what happens for a while, until everything is listed again (410 Gone).

const policy = { adoption: "Never", deletion: "Delete", drift: "Correct" };
const group: Manifest = { kind: "Group", name: "shop", spec: { parentUid: red, policy } };
const identity: Manifest = {
  kind: "Identity",
  name: "ci",
  spec: { groupRef: { name: "shop" }, claimMatch: { issuer, subject: "ci" }, policy },
};
const binding: Manifest = {
  kind: "RoleBinding",
  name: "ci-views",
  spec: {
    groupRef: { name: "shop" },
    identityRef: { name: "ci" },
    roleRef: { name: "viewer" },
    policy: { drift: "Correct" },
  },
};
const tree = [group, identity, binding];

const orders = [
  ["Tenant", "Namespace", "Group", "Identity", "RoleBinding"],
  ["RoleBinding", "Identity", "Group", "Namespace", "Tenant"],
  ["Identity", "Tenant", "RoleBinding", "Namespace", "Group"],
];

/** What happens meanwhile. @returns the objects that are declared afterwards */
interface Meanwhile {
  readonly name: string;
  readonly happens: (world: TwoTenants) => readonly Manifest[];
}

const meanwhile: readonly Meanwhile[] = [
  {
    name: "an edit",
    happens: ({ scenario: { kube } }) => {
      const edited = { ...group, spec: { ...group.spec, description: "edited" } };
      kube.apply(edited);
      return [edited, identity, binding];
    },
  },
  {
    name: "a deletion",
    happens: ({ scenario: { kube } }) => {
      kube.remove(binding);
      return [group, identity];
    },
  },
  {
    name: "a deletion, and the same again where the name is free",
    happens: ({ scenario: { kube } }) => {
      kube.remove(binding);
      if (kube.find(binding.kind, binding.name) !== undefined) return [group, identity];
      kube.apply(binding);
      return tree;
    },
  },
  {
    name: "a namespace that moves to another Tenant and back",
    happens: (world) => {
      world.assign("team", "blue");
      world.assign("team", "red");
      return tree;
    },
  },
  {
    name: "a Tenant that is re-created",
    happens: (world) => {
      const tenant = { kind: "Tenant", name: "red" } as const;
      world.scenario.kube.clearFinalizers(tenant);
      world.scenario.kube.removeCluster(tenant);
      world.tenant("red");
      return tree;
    },
  },
];

async function lose({ happens }: Meanwhile, order: readonly string[], afterMs: number, fault: Fault) {
  const world = new TwoTenants(fault);
  const { scenario } = world;
  await scenario.pass(20);
  await world.apply(tree);
  await scenario.pass(afterMs);
  const { process } = scenario;
  process.deaf = true;
  await scenario.pass(3);
  const declared = happens(world);
  await scenario.pass(40);
  const relisted = process.relist(order, 2);
  await scenario.pass(20);
  await relisted;
  const isThere = ({ kind, name }: Manifest) => scenario.kube.find(kind, name) !== undefined;
  await scenario.until("what was deleted is gone", () =>
    tree.every((one) => isThere(one) === declared.some(({ kind }) => kind === one.kind)),
  );
  await world.until("Available", declared);
  expect(world.violations()).toEqual([]);
  await world.remove(declared.toReversed());
  await world.rest();
  expect(scenario.platform.created()).toEqual([]);
  return world.run;
}

describe("watches that lose what happens", () => {
  it.each(meanwhile)("change nothing in the end, at every moment: $name", async (what) => {
    for (const order of orders)
      for (let afterMs = 0; afterMs <= 45; afterMs += 6)
        await lose(what, order, afterMs, {}).catch((error: Error) => {
          throw new Error(`after ${afterMs} ms, ${order.join()}: ${error.message}`, { cause: error });
        });
  });

  it("change nothing in the end, with every fault", async () => {
    const [, , again] = meanwhile;
    const [order = []] = orders;
    if (again === undefined) throw new Error("no such case");
    const { crashes } = await withEveryFault((fault) => lose(again, order, 12, fault));
    expect(crashes * oneIn).toBeGreaterThan(20);
  });
});
