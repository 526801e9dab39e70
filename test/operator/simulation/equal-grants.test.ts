import { describe, expect, it } from "vitest";
import { kinds } from "#src/kinds/kinds.ts";
import { roleBindingKind } from "#src/kinds/role-binding.ts";
import type { ExternalRoleBinding } from "#src/platform-client/permission-resources.ts";
import { momentsInTurn } from "#test/support/turn/in-turn.ts";
import { withEveryFault } from "./fault-points.ts";
import type { Manifest } from "./memory-kube.ts";
import { viewer } from "./memory-platform.ts";
import { OperatorProcess } from "./operator-process.ts";
import type { Fault } from "./scenario.ts";
import { issuer, red, shared, TwoTenants } from "./two-tenants.ts";

// Two objects that describe the same role binding, which exists: somebody made it, or a leader did that died before it recorded it.

const byHand = `${red}/00000000000000f2`;
const byHandElsewhere = `${shared}/00000000000000f2`;
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

describe.each(endings)("while two leaders work at once, and an equal object $name, a role binding", ({ make }) => {
  it.each(references)("stays for the one that wants it: ending %s, wanting %s", async (ending, wanting) => {
    for (const delayMs of momentsInTurn(12, 1)) {
      const world = new EqualGrants();
      const { scenario } = world;
      const { kube, platform, clock } = scenario;
      await world.prepare(() => [...make(world, ending), world.grant("wanting", wanting)]);
      await scenario.pass(delayMs);
      // The Lease is not a fence: the first one goes on with what it has seen.
      const second = new OperatorProcess({
        kinds,
        kube,
        platform,
        clock,
        acquired: "created",
        onCall: () => -1,
        crash: undefined,
        liveTenants: true,
      });
      await world.until("Available", [world.grant("wanting", wanting)]);
      await scenario.pass(60_000);
      await Promise.all([second.resync(), scenario.pass(60_000)]);
      second.kill();
      await world.rest();
      expect(world.reasonOf(world.grant("wanting", wanting))).toBe("Available");
      expect(world.grants.map(({ uid }) => uid)).toEqual([byHand]);
    }
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

  it.each(
    [hasExpired, isDeleted].flatMap((ending) => [
      { ...ending, other: "names another uid", uid: `${red}/00000000000000f4`, adopt: ["RoleBinding"] },
      { ...ending, other: "may not adopt it", uid: byHand, adopt: [] },
    ]),
  )("ends if one of them $name, and the other one $other", async ({ make, uid, adopt }) => {
    const world = new EqualGrants();
    world.tenant("red", { adopt });
    await world.prepare(() => [...make(world, "by name"), world.grant("naming", "by name", { uid })]);
    await world.rest();
    expect(world.grants).toEqual([]);
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

describe("a role binding that objects of two Tenants describe, each of which has credentials of its own", () => {
  const reader = `${shared}/00000000000000f1`;
  const grant = (name: string, namespace: string, more: object = {}): Manifest => {
    const spec = { groupUid: shared, identityUid: reader, roleRef: { name: "viewer" }, policy, ...more };
    return { kind: "RoleBinding", name, namespace, spec };
  };
  const grants = ({ scenario: { platform } }: TwoTenants) =>
    (platform.createdIn("roleBindings") as readonly ExternalRoleBinding[]).filter(
      ({ identity }) => identity.uid === reader,
    );

  it.each(["team", "other"])("stays if the one in %s has expired, with every fault", async (namespace) => {
    const [ending, wanting] = [
      grant("ending", namespace, expired),
      grant("wanting", namespace === "team" ? "other" : "team"),
    ];
    await withEveryFault(async (fault) => {
      const world = new TwoTenants(fault);
      const { scenario } = world;
      scenario.platform.setInitial("identities", { uid: reader, name: "reader", description: "" });
      await scenario.pass(30);
      scenario.process.kill();
      scenario.kube.admitsFinalizer = true;
      await world.apply([ending, wanting]);
      const role = { uid: viewer, name: "" };
      scenario.platform.set("roleBindings", { uid: byHandElsewhere, identity: { uid: reader, name: "" }, role });
      await world.until("Available", [wanting]);
      await world.until("Expired", [ending]);
      await world.rest();
      expect(grants(world).map(({ uid }) => uid)).toEqual([byHandElsewhere]);
      return world.run;
    });
  });

  it.each([
    { response: "arrives", isLost: false },
    { response: "is lost", isLost: true },
  ])(
    "is created again at once for the one that waited for the other, which is deleted, and the response $response",
    async ({ isLost }) => {
      const world = new TwoTenants();
      const { scenario } = world;
      const { platform } = scenario;
      scenario.platform.setInitial("identities", { uid: reader, name: "reader", description: "" });
      const [first, second] = [grant("first", "team"), grant("second", "other")];
      await world.apply([first]);
      await world.until("Available", [first]);
      await scenario.pass(2_000);
      await world.apply([second]);
      await world.until("Conflict", [second]);
      // The session of the other Tenant has seen the role binding, too.
      await scenario.resync();
      const { uid: recorded = "" } = world.statusOf(first) ?? {};
      if (isLost)
        platform.fault = (call) => {
          if (call !== "delete roleBindings") return undefined;
          platform.fault = () => undefined;
          platform.remove("roleBindings", recorded);
          return { kind: "noResponse", message: "the response was lost" };
        };
      scenario.kube.remove(first);
      await world.until("Available", [second]);
      await scenario.pass(1_000);
      expect(world.reasonOf(second)).toBe("Available");
      expect(grants(world).map(({ uid }) => uid)).toEqual([world.statusOf(second)?.uid]);
      await world.rest();
    },
  );
});

describe("a role binding that is removed because nobody declares it", () => {
  it("is created again for an object that declares it at any moment of the removal", async () => {
    const shop: Manifest = {
      kind: "Group",
      name: "shop",
      spec: { parentUid: red, undeclared: "Remove", policy: { ...policy, adoption: "Never" } },
    };
    let removed = 0;
    for (let delayMs = 0; delayMs <= 30; delayMs += 1) {
      const world = new EqualGrants();
      const { scenario } = world;
      await world.apply([ci, shop]);
      await world.until("Available", [ci, shop]);
      const { uid: group = "" } = world.statusOf(shop) ?? {};
      const uid = `${group}/00000000000000f3`;
      scenario.platform.set("roleBindings", {
        uid,
        identity: { uid: world.identityUid, name: "" },
        role: { uid: viewer, name: "" },
      });
      await scenario.resync();
      await scenario.pass(60_000);
      const declared = world.grant("declared", "by uid", { groupUid: group });
      scenario.platform.travelMs = (call) => (call === "delete roleBindings" ? 12 : 1);
      scenario.clock.setTimer(() => scenario.kube.apply(declared), delayMs);
      await scenario.resync();
      await world.until("Available", [declared]);
      await scenario.pass(1_000);
      if (!scenario.platform.has(uid)) removed += 1;
      // Before any other list.
      expect([delayMs, ...world.violations()]).toEqual([delayMs]);
      await world.rest();
    }
    console.info(`removed ${removed} times of 31`);
    expect(removed).toBeGreaterThan(0);
    expect(removed).toBeLessThan(31);
  });
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

  it("keeps the identity whose uid it uses from being deleted before it", async () => {
    const { world, grant } = await ready();
    const { scenario } = world;
    scenario.kube.remove(ci);
    await world.until("ChildrenExist", [ci]);
    expect(world.reasonOf(grant)).toBe("Available");
    scenario.kube.remove(grant);
    await scenario.until("gone", () => scenario.kube.find(ci.kind, ci.name) === undefined);
    expect(scenario.platform.createdIn("roleBindings").filter(({ uid }) => uid.startsWith(red))).toEqual([]);
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
