import { describe, expect, it } from "vitest";
import { abandonAnnotation } from "#src/api/annotations.ts";
import { markerOf, objectHash, ownerHash, withMarker } from "#src/kinds/marker.ts";
import { runsAll } from "#test/support/turn/in-turn.ts";
import { withEveryFault } from "./fault-points.ts";
import type { Manifest } from "./memory-kube.ts";
import { viewer } from "./memory-platform.ts";
import type { Fault } from "./scenario.ts";
import { issuer, red, shared, TwoTenants } from "./two-tenants.ts";

// What a process created and died before it recorded it, while nothing permits its object any more.

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

/** After each of them, no Tenant permits the objects. */
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
    name: "its Tenant is removed by force",
    make: ({ scenario: { kube } }) => {
      const tenant = { kind: "Tenant", name: "red" } as const;
      kube.clearFinalizers(tenant);
      kube.removeCluster(tenant);
    },
    revert: (world) => world.tenant("red"),
  },
];
/** They concern role bindings only. */
const changesOfRoles: readonly Change[] = [
  {
    name: "its Tenant loses the role",
    make: (world) => world.tenant("red", { roles: [] }),
    revert: (world) => world.tenant("red"),
  },
];

async function begin(fault: Fault, admitsFinalizer: boolean): Promise<TwoTenants> {
  const world = new TwoTenants(fault);
  const { kube, platform } = world.scenario;
  kube.admitsFinalizer = admitsFinalizer;
  platform.setInitial("identities", { uid: reader, name: "reader", description: "" });
  await world.scenario.pass(30);
  return world;
}

/** With the admission policy, more objects have a finalizer. What changes then does not depend on the change. */
const policies = [
  { policy: "without the admission policy", admitsFinalizer: false, changes: [...changes, ...changesOfRoles] },
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
    if (runsAll) expect(held).toBeGreaterThan(0);
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
        platform.setInitial("roleBindings", grant);
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

describe("after a namespace moved", () => {
  const [move] = changes;
  if (move === undefined) throw new Error("no changes");
  it("an expired grant is not reported as ended while it may exist, and ends once it is permitted", async () => {
    let existed = 0;
    await withEveryFault(async (fault) => {
      const world = await begin(fault, false);
      const { scenario } = world;
      const expiring = { ...reads, spec: { ...reads.spec, expiresAt: "2026-01-01T00:00:01Z" } };
      await world.apply([expiring]);
      await scenario.pass(30);
      move.make(world);
      await world.until("Expired", [expiring]);
      await scenario.pass(30_000);
      await world.until("Expired", [expiring]);
      const message = world.statusOf(expiring)?.conditions?.find(({ type }) => type === "Ready")?.message ?? "";
      if (scenario.platform.createdIn("roleBindings").length > 0) {
        existed += 1;
        expect(message).not.toContain("has no role binding");
      }
      move.revert(world);
      await scenario.until("ended", () => scenario.platform.createdIn("roleBindings").length === 0);
      return world.run;
    });
    if (runsAll) expect(existed).toBeGreaterThan(0);
  });
});

const policy = { adoption: "Never", deletion: "Delete", drift: "Correct" };
const claimMatch = { issuer, subject: "ci" };
/** Each refers to the one before it. */
const tree: readonly Manifest[] = [
  { kind: "Group", name: "shop", spec: { parentUid: red, policy } },
  { kind: "Identity", name: "ci", spec: { groupRef: { name: "shop" }, claimMatch, policy } },
  {
    kind: "RoleBinding",
    name: "ci-views",
    spec: {
      groupRef: { name: "shop" },
      identityRef: { name: "ci" },
      roleRef: { name: "viewer" },
      policy: { drift: "Correct" },
    },
  },
];
/** None refers to another. */
const apart: readonly Manifest[] = [
  { kind: "Group", name: "shop", spec: { parentUid: red, policy } },
  { kind: "Identity", name: "ci", spec: { groupUid: red, claimMatch, policy } },
];
/** Resources of somebody else. */
const copies = [
  { kind: "Group", name: "shop", collection: "groups", uid: `${red}/00000000000000f3` },
  { kind: "Identity", name: "ci", collection: "identities", uid: `${red}/00000000000000f4` },
] as const;

describe.each([
  { what: "a tree", objects: tree, admitsFinalizer: false },
  { what: "a group and an identity", objects: apart, admitsFinalizer: false },
  { what: "a group and an identity, with the admission policy", objects: apart, admitsFinalizer: true },
])("$what that was created and perhaps not recorded", ({ objects, admitsFinalizer }) => {
  it.each(changes)("does not outlive its objects if $name, with every fault", async ({ name, make, revert }) => {
    let held = 0;
    const { crashes } = await withEveryFault(async (fault) => {
      const world = await begin(fault, admitsFinalizer);
      const { scenario } = world;
      await world.apply(objects);
      await scenario.pass(60);
      make(world);
      for (const one of objects) scenario.kube.remove(one);
      const areGone = () => objects.every((one) => scenario.kube.find(one.kind, one.name) === undefined);
      await scenario.pass(20_000);
      await scenario.until("a process", () => true);
      await scenario.pass(40_000);
      scenario.process.reconcileAll();
      await scenario.pass(20_000);
      if (!areGone()) {
        held += 1;
        // A process that remembers its POST waits for the Tenant that sent it, even if nothing came of it.
        if (fault.lose === undefined) expect(scenario.platform.created()).not.toEqual([]);
        revert(world);
      }
      await scenario.until("gone", areGone);
      await scenario.pass(20_000);
      expect(scenario.platform.created()).toEqual([]);
      return world.run;
    });
    console.info(`${name}: ${crashes} crash points; ${held} times, objects stayed until they were permitted again`);
    if (runsAll) expect(held).toBeGreaterThan(0);
  });

  it.each(changes)("leaves resources with copied markers alone, as if $name, with every fault", async ({ make }) => {
    let held = 0;
    await withEveryFault(async (fault) => {
      const world = await begin(fault, admitsFinalizer);
      const { scenario } = world;
      const { kube, platform } = scenario;
      for (const { kind, name, uid, collection } of copies) {
        const marker = markerOf(ownerHash("cluster"), objectHash(kind, "team", name));
        platform.setInitial(collection, { uid, name: "theirs", description: withMarker("", marker) });
      }
      make(world);
      await scenario.pass(10);
      await world.apply(objects);
      await scenario.pass(30);
      for (const { kind, name } of objects) kube.remove({ kind, name });
      const remaining = () => objects.filter(({ kind, name }) => kube.find(kind, name) !== undefined);
      await scenario.pass(20_000);
      await scenario.until("a process", () => true);
      await scenario.pass(40_000);
      held += remaining().length;
      for (const { kind, name } of remaining()) kube.annotate(kind, name, { [abandonAnnotation]: "true" });
      await scenario.until("gone", () => remaining().length === 0);
      await scenario.pass(20_000);
      expect(copies.map(({ uid }) => platform.has(uid))).toEqual(copies.map(() => true));
      expect(platform.created()).toEqual([]);
      return world.run;
    });
    if (!admitsFinalizer) expect(held).toBe(0);
    else if (objects === apart && runsAll) expect(held).toBeGreaterThan(0);
  });
});
