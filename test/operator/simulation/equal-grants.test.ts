import { describe, expect, it } from "vitest";
import { roleBindingKind } from "#src/kinds/role-binding.ts";
import type { ExternalRoleBinding } from "#src/platform-client/permission-resources.ts";
import { withEveryFault } from "./fault-points.ts";
import type { Manifest } from "./memory-kube.ts";
import { viewer } from "./memory-platform.ts";
import type { Fault } from "./scenario.ts";
import { issuer, red, TwoTenants } from "./two-tenants.ts";

// Two objects that describe the same role binding, which exists: somebody made it, or a leader did that died before it recorded it.

const byHand = `${red}/00000000000000f2`;
const policy = { management: "Full", drift: "Correct" };
const ci: Manifest = {
  kind: "Identity",
  name: "ci",
  spec: { groupUid: red, claimMatch: { issuer, subject: "ci" }, policy: { ...policy, adoption: "Never" } },
};

/** How an object refers to the identity. */
type Reference = "by name" | "by uid";

class EqualGrants extends TwoTenants {
  get identityUid(): string {
    return this.statusOf(ci)?.uid ?? "";
  }

  grant(name: string, reference: Reference, more: object = {}, namespace = "team"): Manifest {
    const identity = reference === "by name" ? { identityRef: { name: "ci" } } : { identityUid: this.identityUid };
    const spec = { groupUid: red, ...identity, roleRef: { name: "viewer" }, policy, ...more };
    return { kind: "RoleBinding", name, namespace, spec };
  }

  get grants(): readonly ExternalRoleBinding[] {
    const bindings = this.scenario.platform.createdIn("roleBindings") as readonly ExternalRoleBinding[];
    return bindings.filter(({ identity }) => identity.uid === this.identityUid);
  }

  /** What a leader has seen of the objects and recorded is lost: it dies, and another one starts. */
  async prepare(objects: (world: EqualGrants) => readonly (Manifest | (() => void))[]): Promise<void> {
    const { scenario } = this;
    const { kube, platform } = scenario;
    await this.apply([ci]);
    await this.until("Available", [ci]);
    scenario.process.kill();
    kube.admitsFinalizer = true;
    for (const one of objects(this)) {
      if (typeof one === "function") one();
      else kube.apply(one);
      // The older one comes first, by seconds.
      await scenario.pass(1_000);
    }
    platform.set("roleBindings", {
      uid: byHand,
      identity: { uid: this.identityUid, name: "" },
      role: { uid: viewer, name: "" },
    });
    await scenario.until("a new leader", () => true);
  }
}

const expired = { expiresAt: "2025-01-01T00:00:00Z" };

interface Ending {
  readonly name: string;
  /** The object, and what happens to it before a leader sees it. */
  readonly make: (world: EqualGrants, reference: Reference) => readonly (Manifest | (() => void))[];
}

const endings: readonly Ending[] = [
  { name: "has expired", make: (world, reference) => [world.grant("ending", reference, expired)] },
  {
    name: "is being deleted",
    make: (world, reference) => [
      world.grant("ending", reference),
      () => world.scenario.kube.remove({ kind: "RoleBinding", name: "ending" }),
    ],
  },
  {
    name: "observes",
    make: (world, reference) => [world.grant("ending", reference, { policy: { ...policy, management: "Observe" } })],
  },
  {
    name: "is denied",
    // Its Tenant does not have the group.
    make: (world) => [world.grant("ending", "by uid", {}, "other")],
  },
];

const references: readonly (readonly [Reference, Reference])[] = [
  ["by name", "by name"],
  ["by name", "by uid"],
  ["by uid", "by name"],
];

describe.each(endings)("a role binding that one object wants, while an equal object $name", ({ make }) => {
  it.each(
    references.flatMap(([ending, wanting]) => ["ending", "wanting"].map((first) => ({ ending, wanting, first }))),
  )("stays: ending $ending, wanting $wanting, $first is older", async ({ ending, wanting, first }) => {
    const { crashes } = await withEveryFault(async (fault: Fault) => {
      const world = new EqualGrants(fault);
      await world.prepare(() => {
        const parts = [make(world, ending), [world.grant("wanting", wanting)]];
        return (first === "ending" ? parts : parts.toReversed()).flat();
      });
      const wanted = world.grant("wanting", wanting);
      await world.until("Available", [wanted]);
      await world.rest();
      expect(world.reasonOf(wanted)).toBe("Available");
      expect(world.grants.map(({ uid }) => uid)).toEqual([byHand]);
      return world.run;
    });
    console.info(`${crashes} crash points`);
  });
});

describe("a role binding that two objects describe", () => {
  const [hasExpired, isDeleted] = endings;
  if (hasExpired === undefined || isDeleted === undefined) throw new Error("no endings");

  it.each(references)("ends once, with every fault, if both of them end: %s and %s", async (one, other) => {
    await withEveryFault(async (fault) => {
      const world = new EqualGrants(fault);
      await world.prepare(() => [
        ...hasExpired.make(world, one),
        { ...world.grant("leaving", other) },
        () => world.scenario.kube.remove({ kind: "RoleBinding", name: "leaving" }),
      ]);
      await world.until("Expired", [world.grant("ending", one)]);
      await world.rest();
      expect(world.grants).toEqual([]);
      expect(world.scenario.kube.find("RoleBinding", "leaving")).toBeUndefined();
      if (!world.run.crashed)
        expect(world.scenario.platform.applied.filter((write) => write.do === "delete")).toHaveLength(1);
      return world.run;
    });
  });

  it.each(references)(
    "goes to the one that wants it when the other one expires: %s and %s",
    async (ending, wanting) => {
      await withEveryFault(async (fault) => {
        const world = new EqualGrants(fault);
        const { scenario } = world;
        await world.apply([ci]);
        await world.until("Available", [ci]);
        const soon = new Date(scenario.clock.now() + 1_500).toISOString();
        const [first, second] = [world.grant("ending", ending, { expiresAt: soon }), world.grant("wanting", wanting)];
        await world.apply([first]);
        await scenario.pass(20);
        await world.apply([second]);
        await world.until("Expired", [first]);
        await world.until("Available", [second]);
        await world.rest();
        expect(world.grants.map(({ uid }) => uid)).toEqual([world.statusOf(second)?.uid]);
        return world.run;
      });
    },
  );
});

describe("an object that is Ready", () => {
  async function ready() {
    const world = new EqualGrants();
    await world.apply([ci]);
    await world.until("Available", [ci]);
    const grant = world.grant("wanting", "by uid");
    await world.apply([grant]);
    await world.until("Available", [grant]);
    return { world, grant };
  }

  it("has a role binding again after the next list if this process deleted it without any object noticing", async () => {
    const { world, grant } = await ready();
    const { scenario } = world;
    const { uid = "" } = world.statusOf(grant) ?? {};
    const [session] = scenario.process.sources.tenancy.sessions;
    const deleted = session?.delete(roleBindingKind.collection, uid);
    await scenario.pass(1_000);
    await deleted;
    expect(world.grants).toEqual([]);
    await scenario.resync();
    await scenario.pass(5_000);
    expect(world.grants.map((one) => one.uid)).toEqual([world.statusOf(grant)?.uid]);
    await world.rest();
  });

  it("keeps its role binding if an older object that recorded the same one is deleted", async () => {
    const { world, grant } = await ready();
    const { scenario } = world;
    const status = world.statusOf(grant);
    scenario.process.kill();
    // As from a backup.
    const twin = world.grant("twin", "by uid");
    scenario.kube.admitsFinalizer = true;
    // The older one comes first, by seconds.
    await scenario.pass(2_000);
    scenario.kube.apply(twin);
    scenario.kube.setStatus("RoleBinding", "twin", status);
    await scenario.until("a new leader", () => true);
    await world.until("Conflict", [twin]);
    scenario.kube.remove(grant);
    await world.until("Available", [twin]);
    await scenario.pass(5_000);
    expect(world.grants.map((one) => one.uid)).toEqual([status?.uid]);
    await world.rest();
  });
});
