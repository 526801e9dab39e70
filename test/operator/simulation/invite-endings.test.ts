import { describe, expect, it } from "vitest";
import { pausedAnnotation } from "#src/api/annotations.ts";
import type { Status } from "#src/api/status.ts";
import { KubeError } from "#src/kube/errors.ts";
import { expectHandedOver, day, inviteOf, type InviteWorld, invites, shop, startWorld } from "./invite-world.ts";
import type { Manifest } from "./memory-kube.ts";
import { viewer } from "./memory-platform.ts";
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

const gone = ({ scenario, kube }: InviteWorld) =>
  scenario.until("gone", () => kube.find("GroupInvite", "ada") === undefined);

/** Calls `spoil` when the operator creates an invite. */
function onCreation({ platform }: InviteWorld, spoil: () => void): void {
  platform.fault = (call) => {
    if (call === "create groupInvites") spoil();
    return undefined;
  };
}

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

/** Whether the operator still has the code of the first invite that it created. */
async function isRemembered({ kube, platform, scenario }: InviteWorld): Promise<boolean> {
  const [uid = ""] = platform.codes.keys();
  const at = { namespace: "team", name: "another", key: "code" };
  const { signal } = new AbortController();
  const { secrets, codes } = scenario.process.sources;
  kube.setSecret(at.name, {});
  const reading = secrets.read(at, signal);
  await scenario.pass(1_000);
  await reading;
  const read = secrets.lastRead(at);
  const writing = read?.is === "found" && codes.write(at, read, uid, signal);
  await scenario.pass(1_000);
  return writing;
}

describe("a pause between the creation of an invite and the write of its Secret", () => {
  async function paused(meanwhile: (world: InviteWorld) => void = () => undefined) {
    const world = startWorld();
    const { kube, apply, ada, scenario, ready } = world;
    kube.setSecret("ada", {});
    kube.refuses = ({ kind, dryRun }) => {
      if (kind !== "Secret" || dryRun === true) return undefined;
      kube.annotate("GroupInvite", "ada", { [pausedAnnotation]: "true" });
      return new KubeError({ call: "patch secrets", code: 503, reason: "ServiceUnavailable" }, "try again");
    };
    apply(shop, ada);
    await scenario.until("paused", () => ready()?.reason === "Paused");
    await scenario.pass(120_000);
    kube.refuses = () => undefined;
    meanwhile(world);
    await scenario.pass(10);
    kube.annotate("GroupInvite", "ada", {});
    return world;
  }

  it("does not lose the code", async () => {
    const world = await paused();
    await world.isReady();
    expectHandedOver(world);
  });

  it.each(["Orphan", "Protect"])("does not lose the code of one that stays: deletion %s", async (deletion) => {
    const world = await paused(({ kube, ada }) => {
      kube.apply({ ...ada, spec: { ...ada.spec, policy: { management: "Full", drift: "Report", deletion } } });
      kube.remove(ada);
    });
    const { kube, scenario, ready } = world;
    await scenario.until(
      "kept",
      () => kube.find("GroupInvite", "ada") === undefined || ready()?.reason === "Protected",
    );
    const [uid = ""] = world.existing();
    expect(kube.secretData("ada")).toEqual({ code: world.platform.codes.get(uid), uid });
  });

  it("does not keep the invite from being deleted", async () => {
    const world = await paused(({ kube, ada }) => kube.remove(ada));
    await gone(world);
    expect(world.existing()).toEqual([]);
    expect(await isRemembered(world)).toBe(false);
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

it("stays gone although the platform was restored with it, and its Group reports it", async () => {
  const { kube, platform, apply, ada, isReady, scenario, reported } = startWorld();
  kube.setSecret("ada", {});
  apply(shop, ada);
  await isReady();
  const [invite] = platform.createdIn(invites);
  platform.remove(invites, invite?.uid ?? "");
  await scenario.resync();
  await reported("ExternalGone");
  if (invite !== undefined) platform.set(invites, invite);
  for (let resyncs = 0; resyncs < 2; resyncs += 1) await scenario.resync();
  const group = () => kube.find("Group", "shop")?.status as Status | undefined;
  await scenario.until("reported", () => group()?.undeclared?.some(({ uid }) => uid === invite?.uid) === true);
  await reported("ExternalGone");
});

describe("an invite that nobody declared", () => {
  async function withStrangers(world: InviteWorld, group: Manifest = shop) {
    const { kube, platform, apply, ada, isReady, scenario } = world;
    kube.setSecret("ada", {});
    apply(group, ada);
    await isReady();
    const [invite] = platform.createdIn(invites);
    const parent = platform.createdIn("groups")[0]?.uid;
    const expirationTime = new Date(scenario.clock.now() + 1_200_000).toISOString();
    platform.set(invites, { ...invite, uid: `${parent}/00000000000000e1`, expirationTime });
    await scenario.resync();
    const groupStatus = () => kube.find("Group", "shop")?.status as Status | undefined;
    await scenario.until("reported", () => groupStatus()?.undeclared?.length === 1);
    return groupStatus;
  }

  it("is reported with the role that it grants", async () => {
    const groupStatus = await withStrangers(startWorld());
    expect(groupStatus()?.undeclared).toMatchObject([{ kind: "GroupInvite", role: viewer }]);
    const said = groupStatus()?.conditions?.find(({ type }) => type === "AccessDeclared");
    expect(said?.message).toContain("1 group invite;");
  });

  it("is never removed, also where its Group says Remove", async () => {
    const world = startWorld();
    await withStrangers(world, { ...shop, spec: { ...shop.spec, undeclared: "Remove" } });
    for (let resyncs = 0; resyncs < 3; resyncs += 1) await world.scenario.resync();
    expect(world.existing()).toHaveLength(2);
  });

  it("is reported no longer after it has expired, and grants nothing", async () => {
    const world = startWorld();
    const groupStatus = await withStrangers(world);
    await world.scenario.pass(1_200_000 + 900_000);
    await world.scenario.resync();
    await world.scenario.until("ended", () => groupStatus()?.undeclared === undefined);
    expect(world.existing()).toHaveLength(2);
  });
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

it.each([false, true])(
  "is deleted if its code cannot be written because the Secret names one of another object: deletion %s",
  async (isDeleted) => {
    const world = startWorld();
    const { kube, apply, ada, isReady, existing, status, scenario } = world;
    kube.setSecret("eve", {});
    kube.setSecret("ada", {});
    apply(shop, inviteOf(scenario, "eve", { secretRef: { name: "eve" } }));
    await isReady("eve");
    const theirs = status("eve")?.uid ?? "";
    onCreation(world, () => {
      kube.setSecret("ada", { code: "theirs", uid: theirs });
      if (isDeleted) kube.remove(ada);
    });
    apply(ada);
    await scenario.until("deleted", () => scenario.events.includes("Deleted ada"));
    expect(existing()).toEqual([theirs]);
  },
);

it.each<[string, (world: InviteWorld) => void]>([
  ["does not exist", () => undefined],
  ["is empty", ({ kube }) => kube.setSecret("ada", {})],
  ["is not empty", ({ kube }) => kube.setSecret("ada", { password: "x" })],
  ["names an invite", ({ kube }) => kube.setSecret("ada", { uid: `${"b".repeat(40)}/00000000000000e1` })],
])("says the same of every Secret that the operator may not write: one that %s", async (_, prepare) => {
  const world = startWorld();
  const { kube, apply, ada, reported, ready } = world;
  kube.forbidsSecretWrites = true;
  prepare(world);
  apply(shop, ada);
  await reported("KubernetesForbidden");
  const said = ready()?.message ?? "";
  expect(said).toContain("Run: kubectl create role -n team muster-secret-ada --verb=get,patch");
  expect(said).not.toMatch(/does not exist|not empty|e1/);
});

describe("an invite whose code was lost", () => {
  /** What the operator reports of the last invite that it creates. */
  const reportedOf = ({ seen }: InviteWorld) =>
    seen.map((text) => JSON.parse(text)[1]).findLast((step) => step.do === "create" && "ttl" in step.body)?.event;

  /** What the operator reports when it lets the object go. */
  const removalOf = ({ seen }: InviteWorld) =>
    seen.map((text) => JSON.parse(text)[1]).findLast((step) => step.do === "removeFinalizer")?.event;

  it("is named in an event after a crash, when another one is created", async () => {
    const world = startWorld();
    const { kube, apply, ada, isReady, existing, scenario, status } = world;
    kube.setSecret("ada", {});
    let kills = 1;
    onCreation(world, () => {
      if (kills-- > 0) scenario.process.kill();
    });
    apply(shop, ada);
    await isReady();
    const lost = existing().filter((uid) => uid !== status()?.uid);
    expect(lost).toHaveLength(1);
    expect(reportedOf(world)).toMatchObject({ reason: "Orphaned", note: expect.stringContaining(lost[0] ?? "") });
  });

  it.each<[string, (world: InviteWorld) => void]>([
    ["empty", () => undefined],
    ["deleted", ({ kube }) => kube.removeSecret("ada")],
    ["not empty", ({ kube }) => kube.setSecret("ada", { password: "x" })],
  ])("is named in an event after a crash, when the object is deleted: Secret %s", async (_, spoil) => {
    const world = startWorld();
    const { kube, apply, ada, existing, scenario } = world;
    kube.setSecret("ada", {});
    onCreation(world, () => {
      scenario.process.kill();
      spoil(world);
      kube.remove(ada);
    });
    apply(shop, ada);
    await gone(world);
    const [lost = ""] = existing();
    expect(removalOf(world)).toMatchObject({ reason: "Orphaned", note: expect.stringContaining(lost) });
    expect(existing()).toHaveLength(1);
  });

  it("is not reported after a crash if there is none", async () => {
    const world = startWorld();
    const { kube, apply, ada, scenario, reported } = world;
    kube.admitsFinalizer = true;
    apply(shop, ada);
    await reported("ReferenceNotFound");
    scenario.process.kill();
    kube.remove(ada);
    await gone(world);
    expect(scenario.events).not.toContain("Orphaned ada");
  });

  it("is not confused with one that another object declares, nor with one that is something else", async () => {
    const world = startWorld();
    const { kube, apply, ada, isReady, platform, scenario } = world;
    for (const name of ["ada", "eve"]) kube.setSecret(name, {});
    apply(shop, inviteOf(scenario, "eve", { secretRef: { name: "eve" } }));
    await isReady("eve");
    const [eves] = platform.createdIn(invites);
    const group = platform.createdIn("groups")[0]?.uid;
    const later = { uid: `${group}/00000000000000e1`, expirationTime: "2030-01-01T00:00:00Z" };
    platform.set(invites, { ...eves, ...later });
    platform.set(invites, { ...eves, uid: `${group}/00000000000000e2`, email: "eve@example.com" });
    kube.admitsFinalizer = true;
    scenario.process.kill();
    apply(ada);
    await isReady();
    expect(reportedOf(world)).toMatchObject({ reason: "Created" });
  });

  it.each(["applied", "applied later", "applied twice"] as const)(
    "is named in an event after a lost response, when the object is deleted: %s",
    async (how) => {
      const world = startWorld({ fault: { lose: { post: 1, how } } });
      const { kube, apply, ada, scenario, existing, platform } = world;
      kube.setSecret("ada", {});
      apply(shop, ada);
      await scenario.until("posted", () => platform.posts === 2);
      kube.remove(ada);
      await gone(world);
      expect(existing()).toHaveLength(how === "applied twice" ? 2 : 1);
      for (const lost of existing())
        expect(removalOf(world)).toMatchObject({ reason: "Orphaned", note: expect.stringContaining(lost) });
    },
  );
});
