import { expect, it } from "vitest";
import { ContainerCgroup } from "#test/node/container-cgroup.ts";
import { account, labelledPod, namespace } from "#test/node/labelled-pod.ts";
import { applyExamples, operatorNamespace } from "#test/node/try-out.ts";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { differencesFromPlatform } from "#test/support/harness/comparison.ts";
import { isReady, ref } from "#test/support/harness/muster-objects.ts";
import { allReady, applyBranches, branch } from "./branch.ts";
import { describeWithMusterOnNode, podsOf, secondsOf } from "./muster-on-node.ts";
import { report } from "./report.ts";
import { isReadyPod } from "./restricted-pod.ts";

const deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "muster-operator", namespace: operatorNamespace },
};

const pod = labelledPod("sleeper", { image: "muster:0.1.0", command: ["sleep", "3600"] });

/** The limits of the chart, in MiB. */
const limits = { operator: 256, platform: 512, "muster-agent": 192 };
const objects = 2000;

describeWithMusterOnNode("the memory of containers", (muster) => {
  const kube = () => muster().controlPlane.admin;
  const measure = async (of: KubeObject, container: keyof typeof limits, when: string) => {
    const cgroup = await ContainerCgroup.find(muster().cluster.isolation, await kube().get(of), container);
    const { workingSet, peak } = await cgroup.read();
    report(`memory of ${container}, ${when}: working set ${workingSet.toFixed(0)} MiB, peak ${peak.toFixed(0)} MiB`);
    expect(workingSet * 1.5).toBeLessThan(limits[container]);
  };
  const one = async (component: "operator" | "platform") => {
    const [found] = await podsOf(muster(), component);
    if (found === undefined) throw new Error(`there is no pod of the ${component}`);
    return found;
  };

  it("is below two thirds of the limits", { timeout: 400_000 }, async () => {
    await measure(await one("operator"), "operator", "without objects");
    await measure(await one("platform"), "platform", "without objects");
    await applyExamples(muster().cluster);
    await kube().apply(account);
    await kube().create(pod);
    await kube().waitFor(pod, isReadyPod, { timeoutMs: 60_000 });
    await measure(pod, "muster-agent", "after its first token");
    const seconds = await secondsOf(async () => {
      await applyBranches(kube(), objects / 4);
      await allReady(muster().controlPlane.admin, 200_000);
    });
    report(`${objects} objects are Ready after ${seconds} s`);
    await measure(await one("operator"), "operator", `with ${objects} objects`);
    await measure(await one("platform"), "platform", `with ${objects} objects`);
  });

  it("keeps the old replica while a new one has too small a limit, and says so in the pod", async () => {
    const before = await one("operator");
    const limit = async (memory: string) =>
      kube().patch(deployment, {
        spec: {
          template: {
            spec: { containers: [{ ...containers[0], resources: { requests: { memory }, limits: { memory } } }] },
          },
        },
      });
    const { containers } = (await kube().get(deployment))["spec"].template.spec;
    await limit("40Mi");
    const endOfNew = async () => {
      const pods = await podsOf(muster(), "operator");
      const others = pods.filter(({ metadata }) => metadata.uid !== before.metadata.uid);
      return others[0]?.["status"].containerStatuses?.[0]?.lastState.terminated?.reason as unknown;
    };
    await expect.poll(endOfNew, { timeout: 60_000, interval: 500 }).toBe("OOMKilled");
    for (const object of branch("edited")) await kube().apply(object);
    const edited = ref("Group", namespace, "edited");
    await kube().waitFor(edited, isReady, { timeoutMs: 30_000 });
    await kube().patch(deployment, { spec: { template: { spec: { containers } } } });
    await kube().waitFor(
      deployment,
      (object) =>
        object?.["status"].observedGeneration === object?.metadata.generation &&
        object?.["status"].unavailableReplicas === undefined,
      { timeoutMs: 60_000 },
    );
    await allReady(muster().controlPlane.admin, 60_000);
    expect(await differencesFromPlatform(muster())).toEqual([]);
  });
});
