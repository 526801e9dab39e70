import { describe, expect, it } from "vitest";
import { momentsInTurn, oneIn } from "#test/support/turn/in-turn.ts";
import { lossPoints, withEveryFault } from "./fault-points.ts";
import type { Manifest } from "./memory-kube.ts";
import type { Fault } from "./scenario.ts";
import { blue, blueIdentity, issuer, otherBlueIdentity, red, shared, TwoTenants } from "./two-tenants.ts";

const policy = { adoption: "Never", deletion: "Delete", drift: "Correct" };

/** A group with an identity and a grant, below `parentUid`. */
function treeBelow(parentUid: string, namespace = "team"): readonly [Manifest, Manifest, Manifest] {
  return [
    { kind: "Group", name: "shop", namespace, spec: { parentUid, policy } },
    {
      kind: "Identity",
      name: "ci",
      namespace,
      spec: { groupRef: { name: "shop" }, claimMatch: { issuer, subject: "ci" }, policy },
    },
    {
      kind: "RoleBinding",
      name: "ci-views",
      namespace,
      spec: {
        groupRef: { name: "shop" },
        identityRef: { name: "ci" },
        roleRef: { name: "viewer" },
        policy: { drift: "Correct", deletion: "Delete" },
      },
    },
  ];
}

/** Every moment at which a tree is being created. */
const creationMs = 60;

async function report(
  what: string,
  points: Promise<{ readonly crashes: number; readonly lost: number }>,
): Promise<void> {
  const { crashes, lost } = await points;
  console.info(`${what}: ${crashes} crash points, ${lost} lost responses`);
  expect(crashes * oneIn).toBeGreaterThan(20);
}

describe("a namespace that moves to another Tenant during a creation", () => {
  async function move(afterMs: number, parent: string, fault: Fault) {
    const world = new TwoTenants(fault);
    const tree = treeBelow(parent);
    await world.apply(tree);
    await world.scenario.pass(afterMs);
    world.assign("team", "blue");
    if (parent === shared) await world.until("Available", tree);
    else await world.until("TenantDenied", tree.slice(0, 1));
    await world.scenario.pass(20_000);
    world.assign("team", "red");
    await world.until("Available", tree);
    expect(world.violations()).toEqual([]);
    await world.remove(tree.toReversed());
    await world.rest();
    expect(world.scenario.platform.created()).toEqual([]);
    return world.run;
  }

  it.each([
    ["which permits the group, too", shared],
    ["which does not permit the group", red],
  ])("creates everything once, at every moment: %s", async (_, parent) => {
    let count = 0;
    for (const afterMs of momentsInTurn(creationMs, 2)) {
      await move(afterMs, parent, {}).catch((error: Error) => {
        throw new Error(`moved after ${afterMs} ms: ${error.message}`, { cause: error });
      });
      count += 1;
    }
    console.info(`${count} moments`);
  });

  it.each([
    ["permitted", 6, shared],
    ["permitted", 25, shared],
    ["denied", 12, red],
  ])("with every fault: %s, after %i ms", async (_, afterMs, parent) => {
    await report(
      `moved after ${afterMs} ms`,
      withEveryFault((fault) => move(afterMs, parent, fault)),
    );
  });

  /** A grant to an identity that no object declares: it goes with nothing else. */
  const reader = `${red}/00000000000000f1`;
  const reads: Manifest = {
    kind: "RoleBinding",
    name: "reads",
    spec: { groupUid: red, identityUid: reader, roleRef: { name: "viewer" }, policy: { drift: "Correct" } },
  };

  it("leaves nothing behind if it is deleted there, at every moment and with every lost response", async () => {
    let count = 0;
    const deleteThere = async (objects: readonly Manifest[], afterMs: number, fault: Fault) => {
      const world = new TwoTenants(fault);
      world.scenario.platform.setInitial("identities", { uid: reader, name: "reader", description: "" });
      await world.apply(objects);
      await world.scenario.pass(afterMs);
      world.assign("team", "blue");
      await world.remove(objects);
      await world.scenario.pass(60_000);
      expect(world.scenario.platform.created()).toEqual([]);
      return world.run;
    };
    for (const objects of [treeBelow(shared), treeBelow(red), [reads]])
      for (let afterMs = 0; afterMs <= creationMs; afterMs += 3)
        count += (
          await withEveryFault((fault) => deleteThere(objects, afterMs, fault), lossPoints).catch((error: Error) => {
            throw new Error(`moved after ${afterMs} ms: ${error.message}`, { cause: error });
          })
        ).lost;
    console.info(`${count} losses`);
  });
});

describe("a Tenant that changes", () => {
  it("narrowed and widened: nothing is removed, and everything is Ready again, with every fault", async () => {
    await report(
      "narrowed",
      withEveryFault(async (fault) => {
        const world = new TwoTenants(fault);
        const tree = treeBelow(red);
        await world.apply(tree);
        await world.until("Available", tree);
        const existing = world.scenario.platform.created();
        world.tenant("red", { groups: [shared] });
        await world.until("TenantDenied", tree.slice(0, 1));
        await world.scenario.pass(30_000);
        await world.scenario.resync();
        expect(world.scenario.platform.created()).toEqual(existing);
        world.tenant("red");
        await world.until("Available", tree);
        expect(world.scenario.platform.created()).toEqual(existing);
        await world.rest();
        return world.run;
      }),
    );
  });

  it("deleted: it serves only deletions, and goes with the last object, with every fault", async () => {
    await report(
      "deleted",
      withEveryFault(async (fault) => {
        const world = new TwoTenants(fault);
        const { kube, platform } = world.scenario;
        const tree = treeBelow(red);
        await world.apply(tree);
        await world.until("Available", tree);
        const existing = platform.created();
        kube.removeCluster({ kind: "Tenant", name: "red" });
        await world.until("NoTenant", tree);
        expect(platform.created()).toEqual(existing);
        expect(kube.findCluster("Tenant", "red")).toBeDefined();
        await world.remove(tree);
        expect(platform.created()).toEqual([]);
        await world.scenario.until("the Tenant is gone", () => kube.findCluster("Tenant", "red") === undefined);
        // Another Tenant of the same name serves the same objects, created again.
        world.tenant("red");
        await world.apply(tree);
        await world.until("Available", tree);
        await world.rest();
        return world.run;
      }),
    );
  });

  it("re-created under its name while its objects are created, with every fault", async () => {
    const blueTenant = { kind: "Tenant", name: "blue" } as const;
    for (const afterMs of [15, 30])
      await report(
        `re-created after ${afterMs} ms`,
        withEveryFault(async (fault) => {
          const world = new TwoTenants(fault);
          const { kube, platform } = world.scenario;
          const tree = treeBelow(blue, "other");
          await world.apply(tree);
          await world.scenario.pass(afterMs);
          kube.removeCluster(blueTenant);
          await world.scenario.pass(5);
          kube.clearFinalizers(blueTenant);
          await world.scenario.pass(5);
          world.tenant("blue");
          await world.until("Available", tree);
          await world.rest();
          await world.remove(tree);
          expect(platform.created()).toEqual([]);
          return world.run;
        }),
      );
  });

  it("its credentials are replaced during a creation, with every fault", async () => {
    await report(
      "credentials replaced",
      withEveryFault(async (fault) => {
        const world = new TwoTenants(fault);
        const tree = treeBelow(blue, "other");
        await world.apply(tree);
        await world.scenario.pass(18);
        world.tenant("blue", { identityUid: otherBlueIdentity });
        await world.scenario.pass(9);
        world.tenant("blue", { identityUid: "" });
        await world.until("Available", tree);
        world.tenant("blue", { identityUid: blueIdentity });
        await world.remove(tree);
        await world.rest();
        expect(world.scenario.platform.created()).toEqual([]);
        return world.run;
      }),
    );
  });

  it("overlaps with another one for a while: nothing changes, and everything is Ready again, with every fault", async () => {
    await report(
      "overlap",
      withEveryFault(async (fault) => {
        const world = new TwoTenants(fault);
        const tree = treeBelow(red);
        await world.apply(tree);
        await world.scenario.pass(21);
        world.tenant("third", { namespaces: ["team"], groups: [red] });
        await world.until("Overlap", tree);
        await world.scenario.pass(20_000);
        world.scenario.kube.removeCluster({ kind: "Tenant", name: "third" });
        await world.until("Available", tree);
        await world.rest();
        return world.run;
      }),
    );
  });
});

describe("objects that lost their status, or got an older one", () => {
  const edited = (tree: readonly [Manifest, Manifest, Manifest]) => [
    { ...tree[0], spec: { ...tree[0].spec, description: "edited" } },
    tree[1],
    tree[2],
  ];

  it("a rebuilt cluster from the same manifests is Ready without duplicates, with every fault", async () => {
    await report(
      "rebuilt",
      withEveryFault(async (fault) => {
        const first = new TwoTenants();
        const trees = [...treeBelow(red), ...treeBelow(blue, "other")];
        await first.apply(trees);
        await first.until("Available", trees);
        const existing = first.scenario.platform.created();
        const rebuilt = new TwoTenants(fault);
        const collections = ["groups", "identities", "roleBindings"] as const;
        for (const collection of collections)
          for (const one of first.scenario.platform.createdIn(collection))
            rebuilt.scenario.platform.set(collection, one);
        await rebuilt.apply(trees.toReversed());
        await rebuilt.until("Available", trees);
        expect(rebuilt.scenario.platform.created()).toEqual(existing);
        await rebuilt.remove(trees);
        await rebuilt.rest();
        expect(rebuilt.scenario.platform.created()).toEqual([]);
        return rebuilt.run;
      }),
    );
  });

  it("a backup of every moment of a creation, restored after it", async () => {
    let count = 0;
    for (const afterMs of momentsInTurn(creationMs, 2))
      for (const removed of [false, true]) {
        const world = new TwoTenants();
        const { kube, platform } = world.scenario;
        const tree = treeBelow(red);
        await world.apply(tree);
        await world.scenario.pass(afterMs);
        const backup = tree.map((one) => [one, world.statusOf(one)] as const);
        await world.until("Available", tree);
        for (const one of edited(tree)) kube.apply(one);
        await world.until("Available", tree);
        const existing = platform.created().map(({ uid }) => uid);
        for (const [{ kind, name }, status] of backup) kube.setStatus(kind, name, status);
        await world.scenario.restart();
        if (!removed) {
          await world.until("Available", tree);
          await world.rest();
          expect(platform.created().map(({ uid }) => uid)).toEqual(existing);
        }
        await world.remove(tree);
        await world.scenario.pass(60_000);
        expect(platform.created(), `a backup after ${afterMs} ms`).toEqual([]);
        count += 1;
      }
    console.info(`${count} backups`);
  });

  it("a backup with the uids of resources that are gone, with every fault", async () => {
    await report(
      "older backup",
      withEveryFault(async (fault) => {
        const world = new TwoTenants(fault);
        const { kube } = world.scenario;
        const tree = treeBelow(red);
        await world.apply(tree);
        await world.until("Available", tree);
        const backup = tree.map((one) => [one, world.statusOf(one)] as const);
        await world.remove(tree);
        await world.apply(tree);
        await world.until("Available", tree);
        for (const [{ kind, name }, status] of backup) kube.setStatus(kind, name, status);
        await world.scenario.pass(5_000);
        await world.scenario.resync();
        await world.until("Available", tree);
        await world.remove(tree);
        await world.rest();
        expect(world.scenario.platform.created()).toEqual([]);
        return world.run;
      }),
    );
  });
});

describe("a namespace that is deleted with everything in it", () => {
  it("leaves nothing behind, in every order, with every fault", async () => {
    const tree = treeBelow(red);
    const [group, identity, binding] = tree;
    for (const order of [
      [group, identity, binding],
      [binding, group, identity],
      [identity, binding, group],
    ])
      await report(
        order.map(({ kind }) => kind).join(),
        withEveryFault(async (fault) => {
          const world = new TwoTenants(fault);
          const { kube, platform } = world.scenario;
          await world.apply(tree);
          await world.scenario.pass(33);
          for (const one of order) {
            kube.remove(one);
            await world.scenario.pass(3);
          }
          await world.scenario.until("all are gone", () => kube.objects().length === 0);
          kube.removeCluster({ kind: "Namespace", name: "team" });
          await world.scenario.pass(60_000);
          expect(platform.created()).toEqual([]);
          return world.run;
        }),
      );
  });
});
