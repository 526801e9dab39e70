import { describe, expect, it } from "vitest";
import { pausedAnnotation } from "#src/api/annotations.ts";
import type { Status } from "#src/api/status.ts";
import { KubeError } from "#src/kube/errors.ts";
import { oneIn } from "#test/support/turn/in-turn.ts";
import { withEveryFault } from "./fault-points.ts";
import {
  expectHandedOver,
  gone,
  inviteOf,
  type InviteWorld,
  invites,
  onCreation,
  shop,
  startWorld,
} from "./invite-world.ts";

describe("a lost response", () => {
  it.each(["applied", "applied later", "not applied", "applied twice"] as const)(
    "is followed by another invite after the settle time: %s",
    async (how) => {
      const world = startWorld({ fault: { lose: { post: 1, how } } });
      const { kube, apply, ada, isReady, existing, status, scenario, leaks } = world;
      kube.setSecret("ada", {});
      const startedAt = scenario.clock.monotonic();
      apply(shop, ada);
      await isReady();
      expect(scenario.clock.monotonic() - startedAt).toBeGreaterThan(15_000);
      const lost = existing().filter((uid) => uid !== status()?.uid);
      expect(lost).toHaveLength({ applied: 1, "applied later": 1, "not applied": 0, "applied twice": 2 }[how]);
      expect(kube.secretData("ada")["uid"]).toBe(status()?.uid);
      expect(scenario.events).toContain("Orphaned ada");
      await scenario.resync();
      await scenario.resync();
      const group = () => kube.find("Group", "shop")?.status as Status | undefined;
      await scenario.until("reported", () => (group()?.undeclared ?? []).length === lost.length);
      expect((group()?.undeclared ?? []).map(({ uid }) => uid).toSorted()).toEqual(lost.toSorted());
      expect(leaks()).toEqual([]);
    },
  );
});

it("never leaves a code in no Secret, nor two invites with a known code, whatever fails", async () => {
  const points = await withEveryFault(async (fault) => {
    const world = startWorld({ fault });
    const { kube, apply, ada, isReady, existing, status, scenario, platform, leaks } = world;
    kube.setSecret("ada", {});
    apply(shop, ada);
    await isReady();
    const uid = status()?.uid ?? "";
    expect(kube.secretData("ada")).toEqual({ code: platform.codes.get(uid), uid });
    expect(existing()).toContain(uid);
    const { run } = scenario;
    for (const one of [ada, shop]) kube.remove(one);
    await scenario.until("gone", () => kube.find("GroupInvite", "ada") === undefined);
    expect(existing()).not.toContain(uid);
    expect(leaks()).toEqual([]);
    return run;
  });
  console.info(`${points.crashes} crash points, ${points.lost} lost responses`);
  expect(points.crashes * oneIn).toBeGreaterThan(15);
}, 120_000);

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

describe("an invite whose code was lost", () => {
  /** What the operator reports of the last invite that it creates. */
  const reportedOf = ({ seen }: InviteWorld) =>
    seen.map((text) => JSON.parse(text)[1]).findLast((step) => step.do === "create" && "ttl" in step.body)?.event;

  /** What the operator reports when it lets the object go. */
  const removalOf = ({ seen }: InviteWorld) =>
    seen.map((text) => JSON.parse(text)[1]).findLast((step) => step.do === "report")?.event;

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
