import { describe, expect, it } from "vitest";
import { reconcileRequestedAtAnnotation } from "#src/api/annotations.ts";
import { KubeError } from "#src/kube/errors.ts";
import {
  day,
  expectHandedOver,
  inviteOf,
  type InviteWorld,
  invites,
  onCreation,
  shop,
  startWorld,
} from "./invite-world.ts";
import { root } from "./memory-platform.ts";

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
    onCreation(world, () => spoil(world));
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
    expect(ready("eve")?.message).toContain("GroupInvite ada already uses Secret ada");
    // The Secret names the invite of ada by now.
    apply(inviteOf(scenario, "bob"));
    await reported("Conflict", "bob");
    expect(ready("bob")?.message).toContain("GroupInvite ada already uses Secret ada");
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
