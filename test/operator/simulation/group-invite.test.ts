import { describe, expect, it } from "vitest";
import { reconcileRequestedAtAnnotation } from "#src/api/annotations.ts";
import type { Status } from "#src/api/status.ts";
import { KubeError } from "#src/kube/errors.ts";
import { withEveryFault } from "./fault-points.ts";
import { day, expectHandedOver, inviteOf, type InviteWorld, invites, shop, startWorld } from "./invite-world.ts";
import { owner, rejection, root, viewer } from "./memory-platform.ts";

describe("a group invite", () => {
  it("is created once, and its code is in the Secret and nowhere else", async () => {
    const world = startWorld();
    const { kube, apply, isReady, ada, platform, rest, scenario } = world;
    kube.setSecret("ada", {});
    apply(shop, ada);
    await isReady();
    expectHandedOver(world);
    expect(platform.createdIn(invites)[0]).toMatchObject({
      role: { uid: viewer },
      email: "",
      singleUse: true,
    });
    const [{ expirationTime = "" } = {}] = platform.createdIn(invites) as readonly { expirationTime?: string }[];
    expect(Math.abs(Date.parse(expirationTime) - Date.parse(ada.spec.expiresAt))).toBeLessThan(1_000);
    await rest();
    expect(scenario.events).toContain("Created ada");
  });

  it("is found by its Secret after the status was lost", async () => {
    const world = startWorld();
    const { kube, apply, isReady, ada, scenario, rest } = world;
    kube.setSecret("ada", {});
    apply(shop, ada);
    await isReady();
    kube.setStatus("GroupInvite", "ada", undefined);
    scenario.handOver();
    await isReady();
    expectHandedOver(world);
    await rest();
  });

  it("is deleted with its object, before its group", async () => {
    const { kube, apply, isReady, ada, scenario, platform } = startWorld();
    kube.setSecret("ada", {});
    apply(shop, ada);
    await isReady();
    for (const one of [shop, ada]) kube.remove(one);
    await scenario.until("gone", () => kube.objects().length === 0);
    expect(platform.created()).toEqual([]);
    expect(platform.applied.slice(-2).map(({ collection }) => collection)).toEqual([invites, "groups"]);
  });

  it("is deleted by its Secret if the status was lost before", async () => {
    const { kube, apply, isReady, ada, scenario, existing } = startWorld();
    kube.setSecret("ada", {});
    apply(shop, ada);
    await isReady();
    scenario.process.kill();
    kube.setStatus("GroupInvite", "ada", undefined);
    kube.remove(ada);
    await scenario.until("gone", () => kube.find("GroupInvite", "ada") === undefined);
    expect(existing()).toEqual([]);
  });

  it.each([
    [true, "redeemed or deleted"],
    [false, "It was deleted"],
  ])("is not created again after it is gone: single use %s", async (singleUse, message) => {
    const { kube, apply, isReady, scenario, platform, existing, status, reported, ready, rest } = startWorld();
    kube.setSecret("ada", {});
    const invite = inviteOf(scenario, "ada", { singleUse });
    apply(shop, invite);
    await isReady();
    platform.remove(invites, existing()[0] ?? "");
    await scenario.resync();
    await reported("ExternalGone");
    expect(ready()?.message).toContain(message);
    expect(status()?.uid).toBeUndefined();
    await rest();
    scenario.handOver();
    kube.setSecret("ada", {});
    await rest();
    expect(existing()).toEqual([]);
    for (const one of [shop, invite]) kube.remove(one);
    await scenario.until("gone", () => kube.objects().length === 0);
  });

  it("ends at expiresAt, and is not created again though the clock was wrong", async () => {
    const { kube, apply, isReady, scenario, existing, status, reported, ada, rest } = startWorld();
    kube.setSecret("ada", {});
    apply(shop, ada);
    await isReady();
    await scenario.pass(day);
    await reported("Expired");
    await scenario.until("deleted", () => status()?.uid === undefined);
    expect(existing()).toEqual([]);
    // As if `expiresAt` were still to come.
    kube.apply(inviteOf(scenario));
    await reported("ExternalGone");
    await rest();
    expect(existing()).toEqual([]);
  });

  it("is not created if expiresAt has passed", async () => {
    const { kube, apply, scenario, existing, reported, ready } = startWorld();
    kube.setSecret("ada", {});
    apply(shop, inviteOf(scenario, "ada", { expiresAt: "2020-01-01T00:00:00Z" }));
    await reported("Expired");
    expect(ready()?.message).toContain("expiresAt");
    expect(existing()).toEqual([]);
  });

  it("may get its e-mail address in lower case", async () => {
    const world = startWorld();
    const { kube, apply, isReady, scenario, platform, rest } = world;
    platform.addressOf = (email) => email.toLowerCase();
    kube.setSecret("ada", {});
    apply(shop, inviteOf(scenario, "ada", { email: "Ada@Example.com" }));
    await isReady();
    expectHandedOver(world);
    expect(platform.createdIn(invites)).toMatchObject([{ email: "ada@example.com" }]);
    await rest();
    scenario.handOver();
    await rest();
  });

  it("ends with a condition if the platform gives it another e-mail address, and leaves nothing", async () => {
    const world = startWorld();
    const { kube, apply, isReady, scenario, platform, reported, ready, existing, status, rest, leaks } = world;
    platform.addressOf = (email) => email.replace(/\+.*@/, "@");
    kube.setSecret("ada", {});
    apply(shop, inviteOf(scenario, "ada", { email: "ada+shop@example.com" }));
    await reported("InvalidSpec");
    expect(ready()?.message).toContain('email is "ada@example.com" instead of "ada+shop@example.com"');
    expect(status()?.drift).toMatchObject([{ field: "email", actual: "ada@example.com" }]);
    expect([existing(), kube.secretData("ada"), leaks()]).toEqual([[], {}, []]);
    await rest();
    platform.addressOf = (email) => email;
    kube.annotate("GroupInvite", "ada", { [reconcileRequestedAtAnnotation]: "now" });
    await isReady();
    expectHandedOver(world);
  });

  it("opens no breaker when many are redeemed at once", async () => {
    const { kube, apply, isReady, scenario, platform, existing, reported, seen } = startWorld();
    const names = Array.from({ length: 25 }, (_, index) => `person-${index}`);
    apply(shop);
    for (const name of names) {
      kube.setSecret(name, {});
      apply(inviteOf(scenario, name, { secretRef: { name } }));
    }
    for (const name of names) await isReady(name);
    for (const uid of existing()) platform.remove(invites, uid);
    await scenario.resync();
    for (const name of names) await reported("ExternalGone", name);
    expect(seen.filter((text) => text.includes('"heldByBreaker":true'))).toEqual([]);
  });

  it("can be deleted though its spec is invalid", async () => {
    const { kube, apply, scenario, reported } = startWorld();
    kube.admitsFinalizer = true;
    apply({ kind: "GroupInvite", name: "ada", spec: { policy: {} } });
    await reported("InvalidSpec");
    scenario.handOver();
    kube.remove({ kind: "GroupInvite", name: "ada" });
    await scenario.until("gone", () => kube.find("GroupInvite", "ada") === undefined);
    expect(scenario.process.failures).toEqual([]);
  });

  it("names expiresAt if the platform does not allow a lifetime that long", async () => {
    const { kube, apply, platform, reported, ready, ada } = startWorld();
    kube.setSecret("ada", {});
    const { problem } = rejection("create groupInvites", "INVALID_ARGUMENT");
    platform.fault = (call) =>
      call === "create groupInvites" && problem.kind === "rejected"
        ? {
            ...problem,
            error: { ...problem.error, fieldViolations: [{ field: "ttl", description: "at most 30 days" }] },
          }
        : undefined;
    apply(shop, ada);
    await reported("InvalidSpec");
    expect(ready()?.message).toContain("spec.expiresAt: at most 30 days");
  });

  it.each([
    ["email", { email: "eve@example.com" }],
    ["singleUse", { singleUse: false }],
    ["roleUid", { role: { uid: owner, name: "owner" } }],
  ])("reports what others changed, and does not change it back: %s", async (field, changed) => {
    const { kube, apply, isReady, platform, reported, status, ada, scenario, rest } = startWorld();
    kube.setSecret("ada", {});
    apply(shop, ada);
    await isReady();
    for (const invite of platform.createdIn(invites)) platform.set(invites, { ...invite, ...changed });
    await scenario.resync();
    await reported("DriftDetected");
    expect(status()?.drift).toMatchObject([{ field }]);
    await rest();
    kube.remove(ada);
    await scenario.until("gone", () => kube.find("GroupInvite", "ada") === undefined);
    expect(platform.createdIn(invites)).toEqual([]);
  });

  it("reports that the platform lets it live longer than the spec says", async () => {
    const { kube, apply, isReady, platform, reported, status, ada, scenario } = startWorld();
    kube.setSecret("ada", {});
    apply(shop, ada);
    await isReady();
    for (const invite of platform.createdIn(invites))
      platform.set(invites, { ...invite, expirationTime: "2030-01-01T00:00:00Z" });
    await scenario.resync();
    await reported("DriftDetected");
    expect(status()?.drift).toMatchObject([{ field: "expirationTime", actual: "2030-01-01T00:00:00Z" }]);
  });
});

describe("the Secret of an invite", () => {
  it.each<[string, string, (world: InviteWorld) => void, ((world: InviteWorld) => void)?]>([
    ["ReferenceNotFound", "kubectl create secret generic -n team ada", () => undefined],
    ["Conflict", "is not empty", ({ kube }) => kube.setSecret("ada", { password: "x" })],
    [
      "KubernetesForbidden",
      "kubectl create role -n team muster-secret-ada --verb=get,patch --resource=secrets --resource-name=ada && kubectl create rolebinding -n team muster-secret-ada --role=muster-secret-ada --serviceaccount=muster-system:muster-operator",
      ({ kube }) => {
        kube.setSecret("ada", {});
        kube.forbidsSecrets = true;
      },
    ],
    [
      "KubernetesForbidden",
      "field is immutable when `immutable` is set",
      ({ kube }) => {
        kube.setSecret("ada", {});
        kube.refuses = ({ kind }) => (kind === "Secret" ? immutable : undefined);
      },
    ],
    [
      "KubernetesForbidden",
      "denied the request. Change the Secret, or what refuses the write",
      ({ kube }) => {
        kube.setSecret("ada", {});
        kube.refuses = ({ kind }) => (kind === "Secret" ? denied : undefined);
      },
    ],
  ])("is checked before anything is created: %s, %s", async (reason, message, prepare) => {
    const world = startWorld();
    const { kube, apply, ada, reported, ready, existing, isReady } = world;
    prepare(world);
    apply(shop, ada);
    await reported(reason);
    expect(ready()?.message).toContain(message);
    expect(existing()).toEqual([]);
    kube.forbidsSecrets = false;
    kube.refuses = () => undefined;
    kube.setSecret("ada", {});
    await isReady();
    expectHandedOver(world);
  });

  it.each<[string, (world: InviteWorld) => void]>([
    ["was deleted", ({ kube }) => kube.removeSecret("ada")],
    ["was filled by somebody else", ({ kube }) => kube.setSecret("ada", { code: "theirs" })],
    ["names another invite", ({ kube }) => kube.setSecret("ada", { uid: `${root}/00000000000000e1` })],
    [
      "may not be written any longer, and the refusal repeats the code",
      ({ kube }) => {
        kube.refuses = ({ kind, dryRun }) => (kind === "Secret" && dryRun === false ? repeating : undefined);
      },
    ],
  ])("the invite is deleted if the Secret %s after the check", async (_, spoil) => {
    const world = startWorld();
    const { kube, apply, ada, scenario, platform, existing, leaks, isReady } = world;
    kube.setSecret("ada", {});
    platform.fault = (call) => {
      if (call === "create groupInvites") spoil(world);
      return undefined;
    };
    apply(shop, ada);
    await scenario.until("deleted", () => scenario.events.includes("Deleted ada"));
    expect(existing()).toEqual([]);
    expect(leaks()).toEqual([]);
    platform.fault = () => undefined;
    kube.refuses = () => undefined;
    kube.setSecret("ada", {});
    await isReady();
    expectHandedOver(world);
  });

  it("that only the write itself may not change costs an invite ever more rarely, and one for each request", async () => {
    const world = startWorld();
    const { kube, apply, scenario, platform, existing, reported, ready, isReady } = world;
    kube.setSecret("ada", {});
    kube.refuses = ({ kind, dryRun }) => (kind === "Secret" && dryRun === false ? denied : undefined);
    apply(shop, inviteOf(scenario, "ada", { expiresAt: new Date(scenario.clock.now() + 30 * day).toISOString() }));
    const attempts = () =>
      platform.applied.filter(({ do: verb, collection }) => verb === "create" && collection === invites).length;
    await reported("KubernetesForbidden");
    expect(ready()?.message).toContain("set the annotation iam.muster.dev/reconcile-requested-at");
    await scenario.pass(day);
    // After 1, 2, 4 … 256 min, and then every 8 h.
    expect(attempts()).toBe(11);
    await scenario.pass(7 * day);
    expect(attempts()).toBeLessThanOrEqual(11 + 7 * 3);
    expect(existing()).toEqual([]);
    const before = attempts();
    kube.annotate("GroupInvite", "ada", { [reconcileRequestedAtAnnotation]: "now" });
    await scenario.pass(30_000);
    expect(attempts()).toBe(before + 1);
    kube.refuses = () => undefined;
    kube.annotate("GroupInvite", "ada", { [reconcileRequestedAtAnnotation]: "again" });
    await isReady();
    expectHandedOver(world);
  });

  it("that others change before each write costs an invite ever more rarely, too", async () => {
    const world = startWorld();
    const { kube, apply, ada, scenario, platform, existing, ready, isReady } = world;
    kube.setSecret("ada", {});
    let attempts = 0;
    platform.fault = (call) => {
      if (call === "create groupInvites") kube.setSecret("ada", {}, { changes: String((attempts += 1)) });
      return undefined;
    };
    apply(shop, ada);
    await scenario.pass(3_600_000);
    // After 1, 2, 4, 8, 16 and 32 min.
    expect(attempts).toBe(6);
    expect([existing(), ready()?.reason]).toEqual([[], "Conflict"]);
    expect(ready()?.message).toContain("Secret ada was changed while its code was about to be written");
    platform.fault = () => undefined;
    kube.annotate("GroupInvite", "ada", { [reconcileRequestedAtAnnotation]: "now" });
    await isReady();
    expectHandedOver(world);
  });

  it("serves the older of two objects that name it, and then no other", async () => {
    const world = startWorld();
    const { kube, apply, ada, scenario, reported, isReady, ready, existing } = world;
    kube.setSecret("ada", {});
    apply(shop, ada, inviteOf(scenario, "eve"));
    await isReady();
    await reported("Conflict", "eve");
    expect(ready("eve")?.message).toContain("GroupInvite ada names Secret ada, too");
    // The Secret names the invite of ada by now.
    apply(inviteOf(scenario, "bob"));
    await reported("Conflict", "bob");
    expect(ready("bob")?.message).toContain("GroupInvite ada names Secret ada, too");
    expectHandedOver(world);
    kube.remove(ada);
    await scenario.until("deleted", () => existing().length === 0);
    await scenario.pass(60_000);
    expect(existing()).toEqual([]);
  });

  it.each([
    [false, "Conflict", "Secret eve names a group invite in its key uid that is not of this object"],
    [true, "KubernetesForbidden", "--resource-name=eve"],
  ])(
    "is not believed if it names an invite of another object: not writable %s",
    async (isForbidden, reason, message) => {
      const { kube, apply, ada, scenario, isReady, reported, ready, existing } = startWorld();
      kube.setSecret("ada", {});
      apply(shop, ada);
      await isReady();
      kube.forbidsSecretWrites = isForbidden;
      kube.setSecret("eve", kube.secretData("ada"));
      const eve = inviteOf(scenario, "eve", { secretRef: { name: "eve" } });
      apply(eve);
      await reported(reason, "eve");
      expect(ready("eve")?.message).toContain(message);
      expect(ready("eve")?.message).not.toContain("GroupInvite ada");
      kube.remove(eve);
      await scenario.until("gone", () => kube.find("GroupInvite", "eve") === undefined);
      expect(existing()).toHaveLength(1);
      await isReady();
    },
  );

  it("is not believed if it names an invite that is something else, which is left alone", async () => {
    const { kube, apply, ada, scenario, platform, reported, existing } = startWorld();
    apply(shop);
    await scenario.until("Ready", () => platform.createdIn("groups").length === 1);
    const uid = `${platform.createdIn("groups")[0]?.uid}/00000000000000e1`;
    const role = { uid: "d".repeat(40), name: "owner" };
    platform.set(invites, { uid, role, email: "", singleUse: true });
    kube.setSecret("ada", { code: "theirs", uid });
    apply(ada);
    await reported("Conflict");
    kube.remove(ada);
    await scenario.until("gone", () => kube.find("GroupInvite", "ada") === undefined);
    expect(existing()).toEqual([uid]);
  });
});

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
    const { calls, crashed } = scenario;
    const { posts } = platform;
    for (const one of [ada, shop]) kube.remove(one);
    await scenario.until("gone", () => kube.find("GroupInvite", "ada") === undefined);
    expect(existing()).not.toContain(uid);
    expect(leaks()).toEqual([]);
    return { calls, posts, crashed };
  });
  console.info(`${points.crashes} crash points, ${points.lost} lost responses`);
  expect(points.crashes).toBeGreaterThan(5);
}, 120_000);

const immutable = new KubeError(
  { call: "patch secrets", code: 422, reason: "Invalid" },
  'Secret "ada" is invalid: data: Forbidden: field is immutable when `immutable` is set',
);
const denied = new KubeError(
  { call: "patch secrets", code: 403, reason: "Forbidden" },
  'admission webhook "secrets.example" denied the request',
);
const planted = "planted-code-18-of-an-invite";
const repeating = new KubeError(
  { call: "patch secrets", code: 422, reason: "Invalid" },
  `data: Invalid value: "${planted}" ${Buffer.from(planted).toString("base64")}`,
);
