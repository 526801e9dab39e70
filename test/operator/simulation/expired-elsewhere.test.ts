import { describe, expect, it } from "vitest";
import { withEveryFault } from "./fault-points.ts";
import type { Manifest } from "./memory-kube.ts";
import { red, shared, TwoTenants } from "./two-tenants.ts";

// A grant ends when it expires, whoever governs the namespace of its object by then.

const reader = `${red}/00000000000000f1`;
const lifetimeMs = 120_000;
const grant: Manifest = {
  kind: "RoleBinding",
  name: "reads",
  spec: {
    groupUid: red,
    identityUid: reader,
    roleRef: { name: "viewer" },
    policy: { management: "Full", drift: "Correct" },
    expiresAt: new Date(Date.UTC(2026, 0, 1) + lifetimeMs).toISOString().replace(".000Z", "Z"),
  },
};

const deletesTenant = ({ scenario }: TwoTenants) => scenario.kube.removeCluster({ kind: "Tenant", name: "red" });

const changes: readonly { readonly name: string; readonly make: (world: TwoTenants) => void }[] = [
  { name: "no Tenant selects", make: (world) => world.assign("team", "none") },
  { name: "another Tenant selects", make: (world) => world.assign("team", "blue") },
  { name: "two Tenants select", make: (world) => world.tenant("purple", { namespaces: ["team"] }) },
  { name: "a deleted Tenant selected", make: deletesTenant },
  {
    name: "another Tenant selects, and whose first Tenant was deleted",
    make: (world) => {
      world.assign("team", "blue");
      deletesTenant(world);
    },
  },
];

async function granted(world: TwoTenants): Promise<void> {
  world.scenario.platform.setInitial("identities", { uid: reader, name: "reader", description: "" });
  await world.apply([grant]);
  await world.until("Available", [grant]);
}

describe("a grant that expires in a namespace that", () => {
  it.each(changes)("$name ends, with every fault", async ({ make }) => {
    await withEveryFault(async (fault) => {
      const world = new TwoTenants(fault);
      const { scenario } = world;
      await granted(world);
      make(world);
      await scenario.until("ended", () => scenario.platform.createdIn("roleBindings").length === 0);
      expect(scenario.clock.now()).toBeGreaterThanOrEqual(Date.UTC(2026, 0, 1) + lifetimeMs);
      await scenario.until("recorded", () => world.statusOf(grant)?.uid === undefined);
      await world.until("Expired", [grant]);
      return world.run;
    });
  });
});

it("a grant outside of the groups of its Tenant says what keeps it from ending, and ends once that is permitted", async () => {
  const world = new TwoTenants();
  const { scenario } = world;
  await granted(world);
  world.assign("team", "blue");
  world.tenant("red", { groups: [shared] });
  await scenario.pass(2 * lifetimeMs);
  expect(scenario.platform.createdIn("roleBindings")).toHaveLength(1);
  expect(world.messageOf(grant)).toMatch(/^The grant has expired .*outside of the groups of Tenant red/);
  world.tenant("red");
  await scenario.pass(30_000);
  expect(scenario.platform.createdIn("roleBindings")).toEqual([]);
  await world.rest();
});

it("a grant ends although its Tenant lost the role during the POST, and another leader ends it", async () => {
  for (const lost of ["the role", "the namespace"])
    for (let afterMs = 0; afterMs <= 1_200; afterMs += 200) {
      const world = new TwoTenants();
      const { scenario } = world;
      scenario.platform.setInitial("identities", { uid: reader, name: "reader", description: "" });
      scenario.platform.travelMs = (call) => (call === "create roleBindings" ? 1_000 : 1);
      await world.apply([grant]);
      await scenario.pass(afterMs);
      if (lost === "the role") world.tenant("red", { roles: [] });
      else world.assign("team", "blue");
      await scenario.pass(30_000);
      scenario.handOver();
      await scenario.pass(2 * lifetimeMs);
      expect(scenario.platform.createdIn("roleBindings"), `${lost} after ${afterMs} ms`).toEqual([]);
      await world.rest();
    }
});
