import { expect, it } from "vitest";
import { markerOf, objectHash, ownerHash, withMarker } from "#src/kinds/marker.ts";
import { oneIn } from "#test/support/turn/in-turn.ts";
import { withEveryFault } from "./fault-points.ts";
import type { Manifest } from "./memory-kube.ts";
import { grantOf, viewer } from "./memory-platform.ts";
import type { Fault } from "./scenario.ts";
import { blue, issuer, red, shared, TwoTenants } from "./two-tenants.ts";

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
      platform.set("roleBindings", grantOf(uid, ci?.uid ?? ""));
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
  expect(crashes * oneIn).toBeGreaterThan(50);
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

it("is removed once, and reported once, although the sessions of two Tenants see the group", async () => {
  const world = new TwoTenants();
  const { scenario } = world;
  const { platform } = scenario;
  const objects = [group("Remove", "team", shared), identity("team"), binding("team")];
  await world.apply(objects);
  await world.until("Available", objects);
  const [shop, ci] = objects.map((one) => world.statusOf(one)?.uid ?? "");
  const below = group("Report", "other", shop ?? "");
  await world.apply([below]);
  await world.until("Available", [below]);
  await scenario.resync();
  const others = scenario.process.undeclared.counts().get("RoleBinding");
  let deletions = 0;
  platform.fault = (call) => {
    if (call === "delete roleBindings") deletions += 1;
    return undefined;
  };
  const deleted = () => scenario.events.filter((event) => event === "Deleted shop").length;
  for (let times = 1; times <= 3; times += 1) {
    const uid = `${shop}/00000000000000e${times}`;
    platform.set("roleBindings", grantOf(uid, ci ?? ""));
    for (let resyncs = 0; resyncs < 4 && platform.has(uid); resyncs += 1) {
      await scenario.resync();
      await scenario.pass(1_000);
    }
    expect(platform.has(uid)).toBe(false);
    scenario.process.reconcileAll();
    await scenario.pass(1_000);
    expect([deletions, deleted()]).toEqual([times, times]);
    expect(scenario.process.undeclared.counts().get("RoleBinding")).toBe(others);
  }
});

it("makes the removals that an outage prevented once it ends", async () => {
  const world = new TwoTenants();
  const { scenario } = world;
  const { platform } = scenario;
  const objects = [group("Remove", "team", red), identity("team"), binding("team")];
  await world.apply(objects);
  await world.until("Available", objects);
  const [shop, ci] = objects.map((one) => world.statusOf(one)?.uid ?? "");
  const uids = Array.from({ length: 12 }, (_, index) => `${shop}/00000000000000e${index.toString(16)}`);
  for (const uid of uids) {
    platform.set("roleBindings", grantOf(uid, ci ?? ""));
  }
  await scenario.resync();
  await scenario.pass(1_000);
  let sent = 0;
  platform.fault = (call) => {
    if (call === "delete roleBindings") sent += 1;
    return sent === 0 ? undefined : { kind: "noResponse", message: "away" };
  };
  await scenario.resync();
  await scenario.pass(300_000);
  const remaining = () => uids.filter((uid) => platform.has(uid)).length;
  expect(remaining()).toBe(uids.length);
  expect(sent).toBeLessThan(6);
  const [shopObject = group("", "", "")] = objects;
  expect(world.reasonOf(shopObject)).toBe("Available");
  platform.fault = () => undefined;
  await scenario.pass(120_000);
  // Those that were sent failed: they are repeated after the next resync.
  expect(remaining()).toBe(sent);
  await scenario.resync();
  await scenario.pass(1_000);
  expect(remaining()).toBe(0);
  const access = world.statusOf(shopObject)?.conditions?.find(({ type }) => type === "AccessDeclared");
  expect(access?.status).toBe("True");
});

it("a resync reads the permissions of each session once, whatever it lists", async () => {
  const world = new TwoTenants();
  const { scenario } = world;
  const objects = [group("Remove", "other", blue), identity("other"), binding("other")];
  await world.apply(objects);
  await world.until("Available", objects);
  await scenario.resync();
  await scenario.pass(60_000);
  const calls: string[] = [];
  scenario.platform.fault = (call) => {
    calls.push(call);
    return undefined;
  };
  await scenario.resync();
  const sessions = [...scenario.process.sources.tenancy.sessions];
  expect(sessions).toHaveLength(2);
  // Roles are listed once with the permissions, and once as a kind below each group.
  const listed = sessions.flatMap(({ groups }) => groups);
  expect(calls.filter((call) => call === "list roles")).toHaveLength(sessions.length + listed.length);
});

it("a resync of many sessions takes as many passes over all objects as one of a single session", async () => {
  const world = new TwoTenants();
  const { scenario } = world;
  const objects = [group("Report", "other", blue), identity("other"), binding("other")];
  await world.apply(objects);
  await world.until("Available", objects);
  await scenario.resync();
  await scenario.pass(60_000);
  const passes = new Map<string, number>();
  for (const [kind, store] of scenario.process.sources.stores.entries()) {
    const values = store.values.bind(store);
    store.values = () => {
      passes.set(kind, (passes.get(kind) ?? 0) + 1);
      return values();
    };
  }
  await scenario.resync();
  // The assessment of the breaker, for the session of the operator, and one look at what is declared.
  expect(passes.get("RoleBinding")).toBe(2);
});

it("does not report at first what an operator of another class creates", async () => {
  const world = new TwoTenants();
  const { scenario } = world;
  const { kube, platform } = scenario;
  world.tenant("blue", { class: "blue" });
  const shop = group("Report", "team", red);
  await world.apply([shop]);
  await world.until("Available", [shop]);
  const parent = world.statusOf(shop)?.uid ?? "";
  const { spec } = identity("other");
  await world.apply([
    { ...identity("other"), spec: { ...spec, groupRef: undefined, groupUid: parent } },
    binding("other"),
  ]);
  // The other operator has created both, and its writes of the statuses are on their way.
  const marker = markerOf(ownerHash("cluster", "blue"), objectHash("Identity", "other", "ci"));
  const [ci, views, stranger] = [1, 2, 3].map((number) => `${parent}/00000000000000d${number}`) as [
    string,
    string,
    string,
  ];
  platform.set("identities", { uid: ci, name: "ci", description: withMarker("", marker) });
  platform.set("roleBindings", grantOf(views, ci, viewer));
  platform.set("identities", { uid: stranger, name: "stranger", description: "" });
  const reported = async () => {
    await scenario.resync();
    await scenario.pass(1_000);
    return (world.statusOf(shop)?.undeclared ?? []).map(({ uid }) => uid).toSorted();
  };
  expect(await reported()).toEqual([stranger]);
  kube.setStatus("Identity", "ci", { observedGeneration: 1, uid: ci }, "other");
  expect(await reported()).toEqual([views, stranger]);
  kube.setStatus("RoleBinding", "ci-views", { observedGeneration: 1, uid: views }, "other");
  expect(await reported()).toEqual([stranger]);
});
