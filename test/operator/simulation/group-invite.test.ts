import { describe, expect, it } from "vitest";
import { abandonAnnotation, reconcileRequestedAtAnnotation } from "#src/api/annotations.ts";
import { day, expectHandedOver, inviteOf, invites, shop, startWorld } from "./invite-world.ts";
import type { Manifest } from "./memory-kube.ts";
import { owner, rejection, viewer } from "./memory-platform.ts";

const joiner = {
  kind: "Role",
  name: "joiner",
  spec: {
    groupRef: { name: "shop" },
    capabilities: ["CAP_IAM_GROUPS_LIST"],
    policy: { adoption: "Never", deletion: "Delete", drift: "Correct" },
  },
};

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

  it.each<[string, Manifest, string, string]>([
    ["Group", shop, "ParentChanged", "is not in the group"],
    ["Role", joiner, "DriftDetected", "spec.roleRef names another role now"],
  ])("is neither moved nor changed when its %s is another one, and says so", async (kind, replaced, reason, says) => {
    const { kube, apply, isReady, platform, reported, status, ready, ada, scenario } = startWorld();
    kube.setSecret("ada", {});
    const asJoiner = { ...ada, spec: { ...ada.spec, roleRef: { kind: "Role", name: "joiner" } } };
    apply(shop, ...(kind === "Role" ? [joiner, asJoiner] : [ada]));
    await isReady();
    const { uid } = status() ?? {};
    const { name } = replaced;
    kube.annotate(kind, name, { [abandonAnnotation]: "true" });
    kube.remove({ kind, name });
    await scenario.until("abandoned", () => kube.find(kind, name) === undefined);
    const collection = kind === "Role" ? "roles" : "groups";
    for (const one of platform.createdIn(collection)) platform.set(collection, { ...one, description: "" });
    await scenario.resync();
    apply({ ...replaced, spec: { ...replaced.spec, name: "second" } });
    await reported(reason);
    expect(ready()?.message).toContain(says);
    expect(ready()?.message).toContain("is never moved, changed or created again");
    expect(ready()?.message).toContain("delete this object and its Secret, and create both again");
    expect(platform.createdIn(invites)).toMatchObject([{ uid }]);
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
