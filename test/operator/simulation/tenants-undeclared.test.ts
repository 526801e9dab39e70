import { expect, it } from "vitest";
import { withEveryFault } from "./fault-points.ts";
import type { Manifest } from "./memory-kube.ts";
import { owner } from "./memory-platform.ts";
import type { Fault } from "./scenario.ts";
import { blue, issuer, red, resource, TwoTenants } from "./two-tenants.ts";

const policy = { adoption: "Never", deletion: "Delete", drift: "Correct" };
const group = (undeclared: string, namespace: string, parentUid: string): Manifest => ({
  kind: "Group",
  name: "shop",
  namespace,
  spec: { parentUid, undeclared, policy },
});
const identity = (namespace: string): Manifest => ({
  kind: "Identity",
  name: "ci",
  namespace,
  spec: { groupRef: { name: "shop" }, claimMatch: { issuer, subject: "ci" }, policy },
});
const binding = (namespace: string, expiresAt?: string): Manifest => ({
  kind: "RoleBinding",
  name: "ci-views",
  namespace,
  spec: {
    groupRef: { name: "shop" },
    identityRef: { name: "ci" },
    roleRef: { name: "viewer" },
    policy: { drift: "Correct", deletion: "Delete" },
    ...(expiresAt === undefined ? {} : { expiresAt }),
  },
});

it("undeclared grants are removed in one Tenant, reported in the other, and removed when they come back", async () => {
  const run = async (fault: Fault) => {
    const world = new TwoTenants(fault);
    const { scenario } = world;
    const { platform } = scenario;
    const objects = [
      group("Remove", "team", red),
      identity("team"),
      binding("team"),
      group("Report", "other", blue),
      identity("other"),
      binding("other"),
    ];
    await world.apply(objects);
    await world.until("Available", objects);
    let count = 0xd0;
    const grantIn = (namespace: string) => {
      const [shop, ci] = [`Group`, `Identity`].map((kind) =>
        world.statusOf({ kind, name: kind === "Group" ? "shop" : "ci", namespace }),
      );
      const uid = `${shop?.uid}/00000000000000${(count++).toString(16)}`;
      const grant = { uid, identity: { uid: ci?.uid ?? "", name: "" }, role: { uid: owner, name: "owner" } };
      platform.set("roleBindings", resource(grant));
      return uid;
    };
    const reported = grantIn("other");
    for (let times = 0; times < 2; times += 1) {
      const removed = grantIn("team");
      for (let resyncs = 0; resyncs < 5 && platform.has(removed); resyncs += 1) {
        await scenario.resync();
        await scenario.pass(20_000);
        await scenario.until("a process", () => true);
      }
      expect(platform.has(removed)).toBe(false);
    }
    expect(platform.has(reported)).toBe(true);
    await world.rest([reported]);
    expect(world.statusOf({ kind: "Group", name: "shop", namespace: "other" })?.undeclared).toHaveLength(1);
    expect(world.statusOf({ kind: "Group", name: "shop", namespace: "team" })?.undeclared).toBeUndefined();
    platform.remove("roleBindings", reported);
    await world.remove(objects);
    expect(platform.created()).toEqual([]);
    return world.run;
  };
  const { crashes, lost } = await withEveryFault(run);
  console.info(`${crashes} crash points, ${lost} lost responses`);
  expect(crashes).toBeGreaterThan(50);
});

it("a grant that expires at any moment of its creation is gone afterwards", async () => {
  let count = 0;
  // A timestamp has a resolution of a second, so that the start moves, and not the expiry.
  for (let afterMs = 0; afterMs <= 80; afterMs += 2)
    for (const fault of [
      {},
      { lose: { post: 2, how: "applied" } },
      { lose: { post: 2, how: "applied later" } },
    ] as const) {
      const world = new TwoTenants(fault);
      const { scenario } = world;
      await scenario.pass(1_000 - afterMs);
      const expiresAt = new Date(Math.ceil((scenario.clock.now() + 1) / 1_000) * 1_000).toISOString();
      const objects = [group("Report", "team", red), identity("team"), binding("team", expiresAt)];
      await world.apply(objects);
      await world.until("Expired", [binding("team")]);
      await world.until("Available", objects.slice(0, 2));
      await world.rest();
      expect(scenario.platform.createdIn("roleBindings"), `${afterMs} ms before the expiry`).toEqual([]);
      expect(world.statusOf(binding("team"))?.uid).toBeUndefined();
      scenario.kube.apply(binding("team"));
      await world.until("Available", objects);
      await world.remove(objects);
      expect(scenario.platform.created()).toEqual([]);
      count += 1;
    }
  console.info(`${count} moments and losses`);
});
