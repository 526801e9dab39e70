import { describe, expect, it } from "vitest";
import { day, gone, inviteOf, invites, shop, startWorld } from "./invite-world.ts";
import type { Manifest } from "./memory-kube.ts";
import { blue, red, TwoTenants } from "./two-tenants.ts";

/** An invite that is Ready, and whose uid only the Secret knows: the status was lost, and the process is dead. */
async function lostStatus(more: object = {}) {
  const world = startWorld();
  const { kube, apply, isReady, scenario } = world;
  const ada = inviteOf(scenario, "ada", more);
  kube.setSecret("ada", {});
  apply(shop, ada);
  await isReady();
  scenario.process.kill();
  kube.setStatus("GroupInvite", "ada", undefined);
  return { ...world, ada };
}

describe("an invite that only the Secret of two objects names", () => {
  it.each([
    { how: "has expired", more: { expiresAt: "2025-01-01T00:00:00Z" } },
    { how: "is being deleted", more: {} },
  ])("stays for the object that wants it while the other one $how", async ({ how, more }) => {
    const world = await lostStatus();
    const { kube, apply, isReady, scenario, existing, status } = world;
    const [uid] = existing();
    kube.admitsFinalizer = true;
    const other = inviteOf(scenario, "an-older-one", more);
    apply(other);
    if (how === "is being deleted") kube.remove(other);
    await scenario.pass(2_000);
    await isReady();
    await scenario.pass(60_000);
    await scenario.resync();
    await scenario.pass(5_000);
    await isReady();
    expect(existing()).toEqual([uid]);
    expect(status()?.uid).toBe(uid);
    if (how === "is being deleted") expect(kube.find("GroupInvite", "an-older-one")).toBeUndefined();
  });
});

describe("a group of another Tenant whose grant is revoked", () => {
  const policy = { adoption: "Never", deletion: "Delete", drift: "Correct" };
  const lent = (allowedNamespaces: readonly string[]): Manifest => ({
    kind: "Group",
    name: "lent",
    namespace: "team",
    spec: { parentUid: red, policy, allowedNamespaces },
  });
  async function revoked() {
    const world = new TwoTenants();
    world.tenant("red", { groups: [red] });
    world.tenant("blue", { groups: [blue], identityUid: "" });
    const { scenario } = world;
    const { spec } = inviteOf(scenario, "ada", { groupRef: { name: "lent", namespace: "team" } });
    const ada: Manifest = { kind: "GroupInvite", name: "ada", namespace: "other", spec };
    scenario.kube.setSecret("ada", {});
    await world.apply([lent(["other"]), ada]);
    await world.until("Available", [ada]);
    await world.apply([lent([])]);
    await world.until("ReferenceNotGranted", [ada]);
    await scenario.restart();
    return { world, ada, existing: () => scenario.platform.createdIn(invites) };
  }

  it("keeps no invite from being deleted", async () => {
    const { world, ada, existing } = await revoked();
    await world.remove([ada]);
    expect(existing()).toEqual([]);
  });

  it("keeps no invite from expiring", async () => {
    const { world, ada, existing } = await revoked();
    await world.scenario.pass(day);
    await world.until("Expired", [ada]);
    await world.scenario.until("deleted", () => existing().length === 0);
  });

  it("lets nobody delete another invite by a forged status", async () => {
    const { world, ada, existing } = await revoked();
    const { kube, platform } = world.scenario;
    const [own] = existing();
    const theirs = `${world.statusOf(lent([]))?.uid}/00000000000000e1`;
    platform.set(invites, { ...own, uid: theirs, email: "eve@example.com" });
    const status = world.statusOf(ada);
    if (status !== undefined) kube.setStatus("GroupInvite", "ada", { ...status, uid: theirs }, "other");
    kube.remove(ada);
    await world.until("TenantDenied", [ada]);
    await world.scenario.pass(600_000);
    expect(existing().map(({ uid }) => uid)).toContain(theirs);
  });
});

describe("the deletion of an invite whose uid is in no status", () => {
  it.each(["at once", "after another process took over"])(
    "ends if the Secret names one outside of the groups of the Tenant: %s",
    async (when) => {
      const world = startWorld();
      const { kube, apply, ada, reported, ready, scenario } = world;
      kube.admitsFinalizer = true;
      const elsewhere = `${"b".repeat(40)}/00000000000000e1`;
      kube.setSecret("ada", { code: "theirs", uid: elsewhere });
      apply(shop, ada);
      await reported("Conflict");
      expect(ready()?.message).not.toContain(elsewhere);
      if (when !== "at once") scenario.handOver();
      kube.remove(ada);
      await gone(world);
      expect(scenario.events).toContain("Orphaned ada");
    },
  );

  it("deletes it although its Group is being deleted, too", async () => {
    const world = await lostStatus();
    for (const one of [shop, world.ada]) world.kube.remove(one);
    await world.scenario.until("gone", () => world.kube.objects().length === 0);
    expect(world.platform.created()).toEqual([]);
  });

  it("says so in an event if nothing proves any longer that it is of this object", async () => {
    const world = await lostStatus();
    world.kube.apply(inviteOf(world.scenario, "ada", { groupRef: { name: "deleted" } }));
    world.kube.remove(world.ada);
    await gone(world);
    expect(world.scenario.events).toContain("Orphaned ada");
  });

  it("waits for the right to read the Secret, and prints what grants it", async () => {
    const world = await lostStatus();
    const { kube, reported, ready, existing } = world;
    kube.forbidsSecrets = true;
    kube.remove(world.ada);
    await reported("KubernetesForbidden");
    expect(ready()?.message).toContain("kubectl create role -n team muster-secret-ada --verb=get,patch");
    expect(ready()?.message).toContain('iam.muster.dev/abandon: "true"');
    kube.forbidsSecrets = false;
    await gone(world);
    expect(existing()).toEqual([]);
  });
});

it("is not created again if it was redeemed before its uid was in the status", async () => {
  const { kube, platform, existing, reported, scenario, rest, status } = await lostStatus();
  platform.remove(invites, existing()[0] ?? "");
  await reported("ExternalGone");
  expect(status()).toMatchObject({ management: "Created" });
  kube.setSecret("ada", {});
  scenario.handOver();
  await rest();
  expect(existing()).toEqual([]);
});

it("is deleted at expiresAt if only the Secret knows its uid, and is not created again", async () => {
  const { kube, existing, reported, scenario, rest, status } = await lostStatus();
  await scenario.pass(day);
  await reported("Expired");
  await scenario.until("deleted", () => existing().length === 0);
  await scenario.until("recorded", () => status()?.management === "Created");
  // As if `expiresAt` were still to come.
  kube.setSecret("ada", {});
  kube.apply(inviteOf(scenario));
  await reported("ExternalGone");
  await rest();
  expect(existing()).toEqual([]);
});
