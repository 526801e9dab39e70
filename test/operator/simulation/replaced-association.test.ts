import { describe, expect, it } from "vitest";
import type { ExternalAccountAssociation } from "#src/kinds/account-association.ts";
import { withoutMarker } from "#src/kinds/marker.ts";
import type { PlatformProblem } from "#src/platform-client/failure.ts";
import { cloud, foreign, policy, shop, startWith, tree } from "./association-world.ts";
import { withEveryFault } from "./fault-points.ts";
import { laterMs } from "./memory-platform.ts";
import type { Scenario } from "./scenario.ts";
import { awsAccount, TwoTenants } from "./two-tenants.ts";

describe("a write without a response, which takes effect late", () => {
  const second = cloud({ name: "second" }, "second");

  it.each([
    ["DELETE", "delete accountAssociations", async () => undefined],
    ["PATCH", "update accountAssociations", (world: TwoTenants) => world.apply([cloud({ description: "changed" })])],
  ])("does not meet the next association of the group: a %s", async (_, lost, change) => {
    const { world, platform, group, association } = await startWith(...tree);
    await world.apply([second]);
    await world.until("Conflict", [second]);
    platform.fault = (call) => {
      if (call !== lost) return undefined;
      platform.fault = () => undefined;
      world.scenario.clock.setTimer(() => {
        if (lost.startsWith("delete")) platform.remove("accountAssociations", group());
        else if (association() !== undefined)
          platform.set("accountAssociations", { ...association(), name: "late" } as ExternalAccountAssociation);
      }, laterMs);
      return { kind: "noResponse", message: "the response was lost" };
    };
    await change(world);
    await world.scenario.pass(100);
    await world.remove([cloud()]);
    await world.until("Available", [second]);
    await world.scenario.pass(60_000);
    expect(association()?.name).toBe("second");
    await world.rest();
  });

  it.each(["deleted", "changed"])("does not when the process dies, either: one that is %s", async (what) => {
    await withEveryFault(async (fault) => {
      const world = new TwoTenants(fault);
      await world.apply([...tree, second]);
      await world.until("Conflict", [second]);
      if (what === "changed") await world.apply([cloud({ description: "changed" })]);
      await world.remove([cloud()]);
      await world.until("Available", [second]);
      const [created] = world.scenario.platform.createdIn("accountAssociations");
      await world.scenario.pass(60_000);
      expect(world.scenario.platform.createdIn("accountAssociations")).toEqual([created]);
      await world.rest();
      return world.run;
    });
  });
});

describe("an association that was deleted, while no Tenant permitted the object that records it", () => {
  const second = cloud({ name: "second", amazon: foreign }, "second");

  async function replacedBySecond(world: TwoTenants) {
    await world.apply(tree);
    await world.until("Available", tree);
    world.tenant("red", { awsAccounts: [foreign.account] });
    await world.until("TenantDenied", [cloud()]);
    world.scenario.platform.remove("accountAssociations", world.statusOf(shop)?.uid ?? "");
    await world.scenario.resync();
    await world.apply([second]);
    await world.until("Available", [second]);
  }

  const namesOn = ({ scenario }: TwoTenants) =>
    scenario.platform.createdIn("accountAssociations").map((one) => (one as ExternalAccountAssociation).name);

  it("is created for another object of the group, and goes with that, with every fault", async () => {
    await withEveryFault(async (fault) => {
      const world = new TwoTenants(fault);
      await replacedBySecond(world);
      await world.remove([second]);
      await world.scenario.pass(60_000);
      expect(namesOn(world)).toEqual([]);
      return world.run;
    });
  });

  it("stays when the object goes that records the earlier one", async () => {
    const world = new TwoTenants();
    await replacedBySecond(world);
    world.tenant("red", { awsAccounts: [awsAccount, foreign.account] });
    await world.until("Conflict", [cloud()]);
    expect(world.messageOf(cloud())).toContain("AccountAssociation second");
    await world.scenario.resync();
    await world.until("Available", [second]);
    await world.remove([cloud()]);
    await world.scenario.pass(60_000);
    expect(namesOn(world)).toEqual(["second"]);
    await world.rest();
  });

  it("is taken over when the object goes that records the present one", async () => {
    const world = new TwoTenants();
    await replacedBySecond(world);
    world.tenant("red", { awsAccounts: [awsAccount, foreign.account] });
    await world.until("Conflict", [cloud()]);
    await world.remove([second]);
    await world.until("Available", [cloud()]);
    expect(namesOn(world)).toEqual(["cloud"]);
    await world.rest();
  });

  it.each([
    ["before its uid is recorded", ({ kube }: Scenario) => kube.setStatus("AccountAssociation", "second", undefined)],
    ["before a new process has listed anything", (scenario: Scenario) => scenario.handOver()],
  ])("goes with its object %s", async (_, change) => {
    const world = new TwoTenants();
    await replacedBySecond(world);
    change(world.scenario);
    await world.remove([second]);
    await world.scenario.pass(60_000);
    expect(namesOn(world)).toEqual([]);
  });

  it("is an orphan if its object was abandoned", async () => {
    const world = new TwoTenants();
    await replacedBySecond(world);
    world.scenario.kube.annotate("AccountAssociation", "second", { "iam.muster.dev/abandon": "true" });
    await world.remove([second]);
    await world.scenario.resync();
    expect(world.scenario.process.orphans()).toEqual([world.statusOf(shop)?.uid]);
  });
});

describe("an association that somebody else created in place of ours", () => {
  it("is not ours: it is neither changed nor deleted", async () => {
    const { world, platform, replace, association } = await startWith(...tree);
    const count = platform.applied.length;
    replace();
    await world.scenario.resync();
    await world.until("Conflict", [cloud()]);
    expect(world.messageOf(cloud())).toContain("which Muster does not manage");
    await world.remove([cloud()]);
    await world.scenario.pass(60_000);
    expect([association()?.name, platform.applied.length]).toEqual(["by hand", count]);
  });

  it("is undeclared, and reported on its group, and never removed", async () => {
    const { world, replace, association } = await startWith(shop, cloud());
    await world.apply([{ ...shop, spec: { ...shop.spec, undeclared: "Remove" } }]);
    replace();
    for (let count = 0; count < 4; count += 1) {
      await world.scenario.resync();
      await world.scenario.pass(600_000);
    }
    expect(world.statusOf(shop)?.undeclared).toMatchObject([{ kind: "AccountAssociation", name: "by hand" }]);
    expect(association()?.amazon).toEqual(foreign);
  });

  it("is undeclared no longer as soon as it was adopted, without another list", async () => {
    const { world, replace } = await startWith(shop, cloud());
    await world.scenario.pass(60_000);
    replace();
    await world.scenario.resync();
    await world.until("Conflict", [cloud()]);
    await world.scenario.until("reported", () => world.statusOf(shop)?.undeclared?.length === 1);
    await world.apply([cloud({ policy: { ...policy, adoption: "IfExists" } })]);
    await world.scenario.until("adopted", () => world.statusOf(cloud())?.management === "Adopted");
    await world.scenario.pass(5_000);
    expect(world.statusOf(shop)?.undeclared).toBeUndefined();
  });

  it("is seen by the read before the DELETE if no list has shown it yet", async () => {
    const { world, platform, replace, association } = await startWith(...tree);
    const count = platform.applied.length;
    replace();
    await world.remove([cloud()]);
    await world.scenario.pass(60_000);
    expect([association()?.name, platform.applied.length]).toEqual(["by hand", count]);
  });

  it("is seen by the read before the PATCH if no list has shown it yet", async () => {
    const { world, platform, replace, association } = await startWith(...tree);
    const count = platform.applied.length;
    replace();
    await world.apply([cloud({ description: "changed" })]);
    await world.until("Conflict", [cloud()]);
    expect([association()?.description, platform.applied.length]).toEqual(["", count]);
  });

  it("is adopted where object and Tenant say so", async () => {
    const { world, replace, association } = await startWith(shop, cloud());
    replace();
    await world.scenario.resync();
    await world.until("Conflict", [cloud()]);
    const adopting = cloud({ policy: { ...policy, adoption: "IfExists" } });
    await world.apply([adopting]);
    await world.scenario.until("adopted", () => world.statusOf(adopting)?.management === "Adopted");
    await world.until("Available", [adopting]);
    expect(world.statusOf(adopting)?.createTime).toBe(association()?.createTime);
    expect([association()?.amazon, withoutMarker(association()?.description ?? "")]).toEqual([
      { account: awsAccount },
      "",
    ]);
    await world.rest();
  });
});

describe("an association that somebody else created in place of one that was adopted", () => {
  it("is adopted, too, however alike it is", async () => {
    const { world, replace, association } = await startWith(shop);
    replace();
    const adopting = cloud({ policy: { ...policy, adoption: "IfExists" } });
    await world.apply([adopting]);
    await world.until("Available", [adopting]);
    const createTime = "2026-06-06T00:00:00.000Z";
    replace({ createTime });
    await world.scenario.resync();
    await world.scenario.until("recorded", () => world.statusOf(adopting)?.createTime === createTime);
    await world.scenario.pass(5_000);
    expect(world.reasonOf(adopting)).toBe("Available");
    expect(association()?.amazon).toEqual({ account: awsAccount });
  });

  it("is not written if its adoption is forbidden before it carries the marker", async () => {
    const { world, platform, replace, association } = await startWith(shop);
    replace();
    const adopting = cloud({ policy: { ...policy, adoption: "IfExists" } });
    await world.apply([adopting]);
    await world.until("Available", [adopting]);
    const createTime = "2026-06-06T00:00:00.000Z";
    replace({ createTime });
    const down: PlatformProblem = { kind: "noResponse", message: "down" };
    platform.fault = (call) => (call === "update accountAssociations" ? down : undefined);
    await world.scenario.resync();
    await world.scenario.until("recorded", () => world.statusOf(adopting)?.createTime === createTime);
    world.tenant("red", { adopt: ["Group"] });
    await world.until("TenantDenied", [adopting]);
    platform.fault = () => undefined;
    await world.scenario.pass(600_000);
    await world.scenario.resync();
    expect(association()?.amazon).toEqual(foreign);
  });
});
