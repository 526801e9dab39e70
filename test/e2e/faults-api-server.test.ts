import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import { namespace } from "#test/node/labelled-pod.ts";
import { differencesFromPlatform } from "#test/support/harness/comparison.ts";
import { isReady, ref } from "#test/support/harness/muster-objects.ts";
import { allReady, applyBranches } from "./branch.ts";
import { describeWithMusterOnNode, podsOf, secondsOf } from "./muster-on-node.ts";
import { report } from "./report.ts";

/** A nightly run has 10,000 objects and 10 minutes. */
const branches = Number(process.env["MUSTER_E2E_OBJECTS"] ?? 200) / 4;
const awaySeconds = Number(process.env["MUSTER_E2E_AWAY_SECONDS"] ?? 40);
const timeoutMs = 120_000 + branches * 400 + awaySeconds * 1000;

describeWithMusterOnNode("an API server that is away", (muster) => {
  const kube = () => muster().controlPlane.admin;
  const cluster = () => muster().cluster;

  it("lets the operator go on where it was", { timeout: timeoutMs }, async () => {
    const created = await secondsOf(async () => {
      await applyBranches(kube(), branches);
      await allReady(muster().controlPlane.admin, timeoutMs);
    });
    report(`${branches * 4} objects are Ready after ${created} s`);
    const restarts = async () =>
      (await podsOf(muster(), "operator")).map(({ status }) => status.containerStatuses[0].restartCount as number);
    const before = await restarts();

    await cluster().faults.kill("kube-apiserver");
    await sleep(awaySeconds * 1000);
    const edited = ref("Group", namespace, "branch-0");
    const nodeReady = secondsOf(() => cluster().faults.start("kube-apiserver"));
    // It is ready before it serves custom resources: "storage is (re)initializing".
    const serves = await secondsOf(() => vi.waitFor(() => kube().get(edited), { timeout: 120_000, interval: 100 }));
    const seconds = await secondsOf(async () => {
      await kube().patch(edited, { spec: { description: "Edited" } });
      await kube().waitFor(edited, isReady, { timeoutMs: 120_000 });
    });
    report(`the API server was away for ${awaySeconds} s, and serves objects ${serves} s after its start`);
    report(`an edit is applied after ${seconds} s more; the node is Ready ${await nodeReady} s after the start`);
    report(`restarts of the operator's containers before: ${before.join()}, after: ${(await restarts()).join()}`);
    expect(await differencesFromPlatform(muster())).toEqual([]);
    expect(seconds).toBeLessThan(60);
  });
});
