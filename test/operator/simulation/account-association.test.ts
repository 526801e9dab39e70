import { describe, expect, it } from "vitest";
import type { ExternalAccountAssociation } from "#src/kinds/account-association.ts";
import { cloud, foreign, policy, shop, startWith, tree } from "./association-world.ts";
import { withEveryFault } from "./fault-points.ts";
import { expectSurvived } from "./edited-tree.ts";
import type { Manifest } from "./memory-kube.ts";
import { root } from "./memory-platform.ts";
import { awsAccount, red, TwoTenants } from "./two-tenants.ts";

describe("an AccountAssociation", () => {
  it.each([
    ["the group first", tree],
    ["the group last", tree.toReversed()],
  ])("is made, changed, and deleted before its group, with every fault: %s", async (_, manifests) => {
    await expectSurvived(manifests, cloud({ name: "other", description: "changed" }));
  });

  it("has the uid of its group, and goes before it", async () => {
    const { world, platform, group, association } = await startWith(...tree);
    expect(world.statusOf(cloud())).toMatchObject({
      uid: group(),
      parentUid: group(),
      createTime: association()?.createTime,
      management: "Created",
    });
    const count = platform.applied.length;
    await world.remove(tree);
    expect(world.writesAfter(count)).toEqual(["delete accountAssociations", "delete groups"]);
  });

  it.each([
    ["the Tenant's own group", red],
    ["a root group, which itself is never written", root],
  ])("is of %s, too", async (_, group) => {
    const { world, platform } = await startWith(shop);
    world.tenant("red", { groups: [group] });
    const own = cloud({ groupRef: undefined, groupUid: group });
    await world.apply([own]);
    await world.until("Available", [own]);
    expect(world.statusOf(own)).toMatchObject({ uid: group });
    await world.remove([own]);
    expect(platform.applied.at(-1)).toMatchObject({ do: "delete", collection: "accountAssociations", uid: group });
  });

  it("is not declared where the Tenant does not list the kind, or the account", async () => {
    const { world, platform } = await startWith(shop);
    await world.apply([cloud({ amazon: foreign })]);
    await world.until("TenantDenied", [cloud()]);
    expect(world.messageOf(cloud())).toBe(
      `spec.amazon.account: Tenant red does not allow the AWS account ${foreign.account}. Use one of ${awsAccount}, or ask an administrator to add it to spec.awsAccounts of the Tenant.`,
    );
    world.tenant("red", { kinds: ["Group"] });
    await world.apply([cloud()]);
    await world.scenario.until("denied", () => world.messageOf(cloud())?.includes("spec.kinds") === true);
    expect(platform.createdIn("accountAssociations")).toEqual([]);
  });

  it("stays as it is when the Tenant is narrowed", async () => {
    const { world, platform, association } = await startWith(...tree);
    const count = platform.applied.length;
    world.tenant("red", { awsAccounts: [] });
    await world.until("TenantDenied", [cloud()]);
    await world.scenario.resync();
    expect([association()?.amazon, platform.applied.length]).toEqual([{ account: awsAccount }, count]);
  });

  it("is known by its marker if the platform does not say when it was created", async () => {
    const { world, replace, association } = await startWith(...tree);
    replace({ ...association(), createTime: "", description: association()?.description ?? "" });
    await world.scenario.resync();
    await world.rest();
    await world.remove(tree);
    expect(association()).toBeUndefined();
  });

  it("loses an account that somebody else added", async () => {
    const { world, platform, association } = await startWith(...tree);
    const { uid, ...others } = association() as ExternalAccountAssociation;
    const azure = { tenantId: "theirs", clientIds: {} };
    platform.set("accountAssociations", { uid, ...others, azure });
    await world.scenario.resync();
    await world.scenario.until("corrected", () => association()?.azure === null);
    expect(association()?.amazon).toEqual({ account: awsAccount });
  });
});

describe("of two AccountAssociations of a group", () => {
  const second = cloud({ name: "second" }, "second");

  it("the older one has it, whatever their names, and the other one takes its place", async () => {
    const { world, association } = await startWith(...tree);
    await world.apply([second]);
    await world.until("Conflict", [second]);
    expect(world.messageOf(second)).toContain(
      "AccountAssociation cloud already declares the same resource of the group",
    );
    expect(association()?.name).toBe("cloud");
    await world.remove([cloud()]);
    await world.until("Available", [second]);
    expect(association()?.name).toBe("second");
    await world.rest();
  });
});

describe("an existing association of the group", () => {
  it("is a Conflict, whatever its name", async () => {
    const { world, replace, association } = await startWith(shop);
    replace();
    await world.apply([cloud()]);
    await world.until("Conflict", [cloud()]);
    expect(world.messageOf(cloud())).toContain(
      'has the account association "by hand", which Muster does not manage. A group has at most one.',
    );
    await world.remove([cloud()]);
    expect(association()?.amazon).toEqual(foreign);
  });

  it("is adopted where object and Tenant say so, with every fault, and kept", async () => {
    const adopting = cloud({ policy: { ...policy, adoption: "IfExists" } });
    await withEveryFault(async (fault) => {
      const world = new TwoTenants(fault);
      const { platform } = world.scenario;
      await world.apply([shop]);
      await world.until("Available", [shop]);
      const uid = world.statusOf(shop)?.uid ?? "";
      const existing = { uid, name: "by hand", description: "theirs", createTime: "2026-05-05T00:00:00.000Z" };
      platform.set("accountAssociations", { ...existing, amazon: foreign });
      await world.apply([adopting]);
      await world.until("Available", [adopting]);
      expect(world.statusOf(adopting)).toMatchObject({ management: "Adopted", createTime: existing.createTime });
      await world.rest();
      await world.remove([adopting]);
      await world.scenario.pass(60_000);
      const [kept] = platform.createdIn("accountAssociations") as readonly ExternalAccountAssociation[];
      expect(kept).toMatchObject({ name: "cloud", description: "theirs", amazon: { account: awsAccount } });
      return world.run;
    });
  });

  it("is not adopted if the platform does not say when it was created", async () => {
    const { world, replace, association } = await startWith(shop);
    replace({ createTime: "" });
    const adopting = cloud({ policy: { ...policy, adoption: "IfExists" } });
    await world.apply([adopting]);
    await world.until("Conflict", [adopting]);
    expect(world.messageOf(adopting)).toContain("does not say when it created");
    expect(world.statusOf(adopting)?.management).toBeUndefined();
    await world.remove([adopting]);
    expect(association()?.amazon).toEqual(foreign);
  });

  it("is observed even if the platform does not say when it was created", async () => {
    const { world, replace } = await startWith(shop);
    await world.scenario.pass(60_000);
    replace({ createTime: "" });
    const observing = cloud({ amazon: undefined, name: "by hand", policy: { ...policy, management: "Observe" } });
    await world.apply([observing]);
    await world.until("Available", [observing]);
    await world.rest([world.statusOf(shop)?.uid ?? ""]);
  });

  it("is not adopted where the Tenant does not list the kind", async () => {
    const { world, replace, association } = await startWith(shop);
    replace();
    world.tenant("red", { adopt: ["Group"] });
    const adopting = cloud({ policy: { ...policy, adoption: "IfExists" } });
    await world.apply([adopting]);
    await world.until("TenantDenied", [adopting]);
    expect(association()?.amazon).toEqual(foreign);
  });

  it("is observed, whatever its name, and its accounts are compared if the spec names one", async () => {
    const { world, replace, association } = await startWith(shop);
    // What a group contains that was created within the last minute is not listed.
    await world.scenario.pass(60_000);
    replace();
    const observing = cloud({ amazon: undefined, name: "by hand", policy: { ...policy, management: "Observe" } });
    await world.apply([observing]);
    await world.until("Available", [observing]);
    await world.apply([cloud({ name: "by hand", policy: { ...policy, management: "Observe" } })]);
    await world.until("DriftDetected", [observing]);
    expect(world.statusOf(observing)?.drift).toEqual([
      { field: "amazon", expected: JSON.stringify({ account: awsAccount }), actual: JSON.stringify(foreign) },
    ]);
    expect(association()?.amazon).toEqual(foreign);
  });
});

it("an association that was deleted is created again, and reported with drift Report", async () => {
  const { world, platform, association, group } = await startWith(...tree);
  const before = association()?.createTime;
  platform.remove("accountAssociations", group());
  await world.scenario.resync();
  await world.scenario.until("created again", () => association() !== undefined);
  await world.until("Available", [cloud()]);
  await world.rest();
  expect(association()?.createTime).not.toBe(before);
  expect(world.statusOf(cloud())).toMatchObject({ management: "Created", createTime: association()?.createTime });
  await world.apply([cloud({ policy: { ...policy, drift: "Report" } })]);
  await world.until("Available", [cloud()]);
  platform.remove("accountAssociations", group());
  await world.scenario.resync();
  await world.until("ExternalGone", [cloud()]);
  expect(association()).toBeUndefined();
});

it("an adopted association that was deleted is created again as one of ours", async () => {
  const { world, platform, replace, group, association } = await startWith(shop);
  replace();
  const adopting = cloud({ policy: { ...policy, adoption: "IfExists" } });
  await world.apply([adopting]);
  await world.until("Available", [adopting]);
  platform.remove("accountAssociations", group());
  await world.scenario.resync();
  await world.scenario.until("created again", () => world.statusOf(adopting)?.management === "Created");
  await world.rest();
  await world.remove([adopting]);
  await world.scenario.until("deleted", () => association() === undefined);
});

it("associations that disappear at once are not created again before a person confirms it", async () => {
  const names = Array.from({ length: 20 }, (_, index) => `team-${index}`);
  const groups = names.map((name): Manifest => ({ ...shop, name }));
  const associations = names.map((name) => cloud({ groupRef: { name } }, name));
  const { world, platform, kube } = await startWith(...groups, ...associations);
  for (const { name } of groups) platform.remove("accountAssociations", world.statusOf({ ...shop, name })?.uid ?? "");
  await world.scenario.resync();
  await world.until("HeldByBreaker", associations);
  const { breakers } = world.scenario.process.sources;
  const { id = "" } = breakers.open("red").get("AccountAssociation") ?? {};
  const count = platform.applied.length;
  breakers.confirm("red", id);
  for (const { kind, name, spec } of associations) kube.apply({ kind, name, spec: { ...spec, description: "again" } });
  await world.until("Available", associations);
  expect(platform.applied.slice(count).map((write) => write.do)).toEqual(names.map(() => "create"));
  expect(breakers.open("red").size).toBe(0);
  await world.rest();
});

it("an association with our marker and without an object is an orphan, which is reported and stays", async () => {
  const { world, platform, kube, group, association } = await startWith(...tree);
  kube.annotate("AccountAssociation", "cloud", { "iam.muster.dev/abandon": "true" });
  await world.remove([cloud()]);
  await world.scenario.resync();
  expect(world.scenario.process.orphans()).toEqual([group()]);
  const count = platform.applied.length;
  await world.scenario.resync();
  expect([association()?.name, platform.applied.length]).toEqual(["cloud", count]);
});
