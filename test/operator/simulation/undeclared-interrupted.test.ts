import { describe, expect, it } from "vitest";
import type { Status } from "#src/api/status.ts";
import { crashPoints, withEveryFault } from "./fault-points.ts";
import { auditor, grantOf } from "./memory-platform.ts";
import { type Fault, type Run, Scenario } from "./scenario.ts";
import { ci, shop, views } from "./undeclared-world.ts";

describe("a process that dies", () => {
  const declared = [shop("Remove"), ci, views];
  /** Grants are made by hand, and removed by however many processes that takes. */
  async function run(fault: Fault): Promise<Run> {
    const scenario = new Scenario(fault);
    const { kube, platform } = scenario;
    for (const manifest of declared) kube.apply(manifest);
    await scenario.until("Ready", () => scenario.differences(declared).length === 0);
    const group = (kube.find("Group", "shop")?.status as Status | undefined)?.uid ?? "";
    for (const last of ["a", "b"]) platform.set("roleBindings", grantOf(`${group}/000000000000000${last}`, auditor));
    for (let resyncs = 0; resyncs < 6; resyncs += 1) {
      await scenario.resync();
      await scenario.pass(60_000);
    }
    expect(scenario.differences(declared)).toEqual([]);
    return scenario.run;
  }

  it("removes nothing that is declared, wherever it dies, and its successor removes the rest", async () => {
    const { crashes } = await withEveryFault(run, (whole) => {
      expect(whole.calls).toBeGreaterThan(40);
      return crashPoints(whole);
    });
    console.info(`${crashes} crash points`);
  });
});
