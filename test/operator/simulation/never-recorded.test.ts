import { describe, expect, it } from "vitest";
import { abandonAnnotation } from "#src/api/annotations.ts";
import { withEveryFault } from "./fault-points.ts";
import type { Manifest } from "./memory-kube.ts";
import { viewer } from "./memory-platform.ts";
import type { Fault } from "./scenario.ts";
import { red, resource, shared, TwoTenants } from "./two-tenants.ts";

// A role binding that a process created and died before it recorded it, while nothing permits its object any more.

const reader = `${red}/00000000000000f1`;
const byHand = `${red}/00000000000000f2`;
/** A grant to an identity that no object declares. */
const reads: Manifest = {
  kind: "RoleBinding",
  name: "reads",
  spec: { groupUid: red, identityUid: reader, roleRef: { name: "viewer" }, policy: { drift: "Correct" } },
};

interface Change {
  readonly name: string;
  readonly make: (world: TwoTenants) => void;
  readonly revert: (world: TwoTenants) => void;
}

/** After each of them, no Tenant permits `reads`. */
const changes: readonly Change[] = [
  {
    name: "its namespace moves to a Tenant with credentials of its own",
    make: (world) => world.assign("team", "blue"),
    revert: (world) => world.assign("team", "red"),
  },
  {
    name: "its namespace loses its Tenant",
    make: (world) => world.assign("team", "nobody"),
    revert: (world) => world.assign("team", "red"),
  },
  {
    name: "another Tenant selects its namespace, too",
    make: (world) => world.tenant("third", { namespaces: ["team"], groups: [red] }),
    revert: ({ scenario }) => scenario.kube.removeCluster({ kind: "Tenant", name: "third" }),
  },
  {
    name: "its Tenant loses the group",
    make: (world) => world.tenant("red", { groups: [shared] }),
    revert: (world) => world.tenant("red"),
  },
  {
    name: "its Tenant loses the role",
    make: (world) => world.tenant("red", { roles: [] }),
    revert: (world) => world.tenant("red"),
  },
  {
    name: "its Tenant is removed by force",
    make: ({ scenario: { kube } }) => {
      const tenant = { kind: "Tenant", name: "red" } as const;
      kube.clearFinalizers(tenant);
      kube.removeCluster(tenant);
    },
    revert: (world) => world.tenant("red"),
  },
];

async function begin(fault: Fault, admitsFinalizer: boolean): Promise<TwoTenants> {
  const world = new TwoTenants(fault);
  const { kube, platform } = world.scenario;
  kube.admitsFinalizer = admitsFinalizer;
  platform.setInitial("identities", resource({ uid: reader, name: "reader", description: "" }));
  await world.scenario.pass(30);
  return world;
}

/** With the admission policy, more objects have a finalizer. What changes then does not depend on the change. */
const policies = [
  { policy: "without the admission policy", admitsFinalizer: false, changes },
  { policy: "with the admission policy", admitsFinalizer: true, changes: changes.slice(0, 2) },
];

describe.each(policies)("a role binding that was created and perhaps not recorded, $policy", (given) => {
  const { admitsFinalizer } = given;
  it.each(given.changes)("does not outlive its object if $name, with every fault", async ({ name, make, revert }) => {
    let held = 0;
    const { crashes } = await withEveryFault(async (fault) => {
      const world = await begin(fault, admitsFinalizer);
      const { scenario } = world;
      await world.apply([reads]);
      await scenario.pass(30);
      make(world);
      scenario.kube.remove(reads);
      const isGone = () => scenario.kube.find(reads.kind, reads.name) === undefined;
      await scenario.until("gone, or reported", () => isGone() || world.reasonOf(reads) !== undefined);
      await scenario.pass(20_000);
      await scenario.until("a process", () => true);
      if (!isGone()) {
        held += 1;
        // A process that remembers its POST waits for the Tenant that sent it, even if nothing came of it.
        if (fault.lose === undefined) expect(scenario.platform.createdIn("roleBindings")).toHaveLength(1);
        revert(world);
      }
      await scenario.until("gone", isGone);
      await scenario.pass(20_000);
      expect(scenario.platform.created()).toEqual([]);
      return world.run;
    });
    console.info(`${name}: ${crashes} crash points; ${held} times, the object stayed until it was permitted again`);
    expect(held).toBeGreaterThan(0);
  });

  it.each(given.changes)(
    "leaves an equal one of somebody else alone, as if $name, with every fault",
    async ({ make }) => {
      let held = 0;
      await withEveryFault(async (fault) => {
        const world = await begin(fault, admitsFinalizer);
        const { scenario } = world;
        const { kube, platform } = scenario;
        const grant = { uid: byHand, identity: { uid: reader, name: "" }, role: { uid: viewer, name: "" } };
        platform.setInitial("roleBindings", resource(grant));
        make(world);
        await scenario.pass(10);
        await world.apply([reads]);
        await scenario.pass(30);
        kube.remove(reads);
        const isGone = () => kube.find(reads.kind, reads.name) === undefined;
        await scenario.until("gone, or reported", () => isGone() || world.reasonOf(reads) !== undefined);
        await scenario.pass(20_000);
        await scenario.until("a process", () => true);
        if (!isGone()) {
          held += 1;
          kube.annotate(reads.kind, reads.name, { [abandonAnnotation]: "true" });
        }
        await scenario.until("gone", isGone);
        await scenario.pass(20_000);
        expect([platform.has(byHand), platform.created()]).toEqual([true, []]);
        return world.run;
      });
      // Without the policy, only an object that was about to be created has a finalizer.
      if (!admitsFinalizer) expect(held).toBe(0);
    },
  );
});
