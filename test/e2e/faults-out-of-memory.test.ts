import { expect, it, onTestFinished, vi } from "vitest";
import { ContainerCgroup } from "#test/node/container-cgroup.ts";
import { containerStatuses } from "#test/node/container-statuses.ts";
import { account, namespace } from "#test/node/labelled-pod.ts";
import { applyExamples, imageOf } from "#test/node/try-out.ts";
import type { KubeObject, ObjectRef } from "#test/support/control-plane/kube-client.ts";
import { differencesFromPlatform } from "#test/support/harness/comparison.ts";
import { isReady, ref } from "#test/support/harness/muster-objects.ts";
import { allReady, applyBranches, branch } from "./branch.ts";
import { GroupWriters, prefix } from "./group-writers.ts";
import { describeWithMusterOnNode, podsOf, secondsOf } from "./muster-on-node.ts";
import { report } from "./report.ts";
import { isReadyPod } from "./restricted-pod.ts";
import { seenByWatchers, watcherPods, watchers } from "./token-watcher.ts";

/** The status of a container of a pod. */
const statusOf = (pod: KubeObject, container: string) => containerStatuses(pod).find(({ name }) => name === container);

describeWithMusterOnNode("a container that needs more memory than its limit", (muster) => {
  const kube = () => muster().controlPlane.admin;

  /** Waits until the kubelet has started a container again, which the kernel killed once, and the pod is Ready with it. */
  async function startedAgain(pod: ObjectRef, container: string): Promise<KubeObject> {
    const seen = await kube().waitFor(
      pod,
      (object) => object !== undefined && isReadyPod(object) && statusOf(object, container).restartCount > 0,
      { timeoutMs: 120_000 },
    );
    if (seen === undefined) throw new Error(`the pod ${pod.metadata.name} is gone`);
    const { restartCount, lastState, state } = statusOf(seen, container);
    expect(lastState.terminated).toMatchObject({ reason: "OOMKilled", exitCode: 137 });
    expect(restartCount).toBe(1);
    expect(state.running).toBeDefined();
    return seen;
  }

  it("loses no write that the platform has acknowledged, and the operator continues", async () => {
    const [platform] = await podsOf(muster(), "platform");
    const [operator] = await podsOf(muster(), "operator");
    if (platform === undefined || operator === undefined) throw new Error("a pod is missing");
    for (const object of branch("edited")) await kube().apply(object);
    await allReady(muster().controlPlane.admin, 30_000);
    const cgroup = await ContainerCgroup.find(muster().cluster.isolation, platform, "platform");

    const writers = new GroupWriters(muster().admin, 8);
    onTestFinished(() => writers.stop());
    await vi.waitFor(() => expect(writers.acknowledged.length).toBeGreaterThan(100), { timeout: 30_000 });
    const applied = applyBranches(kube(), 50);
    const { workingSet } = await cgroup.read();
    const limit = await cgroup.lowerLimit();
    report(`the platform has ${workingSet.toFixed(0)} MiB, and from now on a limit of ${limit.toFixed(1)} MiB`);
    await vi.waitFor(() => expect(writers.failed).toBeGreaterThan(0), { timeout: 60_000, interval: 20 });
    const before = writers.acknowledged.length;
    const edited = ref("Group", namespace, "edited");
    await kube().patch(edited, { spec: { description: "Edited meanwhile" } });
    const seconds = await secondsOf(async () => {
      await startedAgain(platform, "platform");
      await kube().waitFor(edited, isReady, { timeoutMs: 90_000 });
    });
    await vi.waitFor(() => expect(writers.acknowledged.length).toBeGreaterThan(before), { timeout: 30_000 });
    await writers.stop();
    report(
      `${before} writes were acknowledged until the kernel killed the platform, ${writers.acknowledged.length} in all, ` +
        `${writers.failed} failed; an edit made meanwhile is applied after ${seconds} s`,
    );

    const { uid } = (await kube().get(edited))["status"];
    expect((await muster().admin.get("groups", uid)).description).toMatch(/^Edited meanwhile /);
    await applied;
    await allReady(muster().controlPlane.admin, 90_000);
    const groups = await muster().admin.list("groups");
    const uids = new Set(groups.map((group) => group.uid));
    expect(writers.acknowledged.filter((acknowledged) => !uids.has(acknowledged))).toEqual([]);
    // What was written without an acknowledgement may be there, too.
    const written = groups.filter(({ name }) => name.startsWith(prefix));
    expect(
      await differencesFromPlatform(
        muster(),
        written.map((group) => group.uid),
      ),
    ).toEqual([]);
    const [operatorAfter] = await podsOf(muster(), "operator");
    expect(operatorAfter?.metadata.uid).toBe(operator.metadata.uid);
    expect(operatorAfter?.["status"].containerStatuses[0].restartCount).toBe(0);
  });

  it("has no effect on the application if it is the agent: the token stays valid, and is renewed", async () => {
    const { cluster } = muster();
    await applyExamples(cluster);
    await kube().apply(account);
    await kube().apply(watchers(imageOf({}), 1));
    const tokensSeen = async (atLeast: number) => {
      const [seen] = (await seenByWatchers(kube())).values();
      expect(seen?.tokens.length).toBeGreaterThanOrEqual(atLeast);
      return seen;
    };
    await vi.waitFor(() => tokensSeen(1), { timeout: 60_000, interval: 500 });
    const [found] = await watcherPods(kube());
    if (found === undefined) throw new Error("there is no pod that watches its token");
    const pod = await kube().waitFor(found, isReadyPod, { timeoutMs: 30_000 });
    if (pod === undefined) throw new Error("the pod is gone");
    const cgroup = await ContainerCgroup.find(cluster.isolation, pod, "muster-agent");

    const { workingSet } = await cgroup.read();
    let limit = 0;
    let renewals = 0;
    const seconds = await secondsOf(async () => {
      // It may find room for one renewal, and none for the next. The last signal may find it dead.
      const isKilled = async () => {
        const seen = await kube().get(found);
        if (statusOf(seen, "muster-agent").lastState.terminated !== undefined) return;
        limit = await cgroup.lowerLimit();
        await cluster.faults.signal(seen, "muster-agent", "SIGHUP");
        renewals += 1;
        throw new Error(`the agent still runs with ${limit.toFixed(1)} MiB`);
      };
      await vi.waitFor(isKilled, { timeout: 60_000, interval: 500 });
      await startedAgain(found, "muster-agent");
    });
    report(
      `the agent has ${workingSet.toFixed(0)} MiB, then a limit of ${limit.toFixed(1)} MiB: it is killed in renewal ${renewals}, and runs again after ${seconds} s`,
    );

    const tokensBefore = (await tokensSeen(1))?.tokens.length ?? 0;
    await cluster.faults.signal(await kube().get(found), "muster-agent", "SIGHUP");
    const seen = await vi.waitFor(() => tokensSeen(tokensBefore + 1), { timeout: 60_000, interval: 500 });
    expect(seen?.faults).toEqual([]);
    await vi.waitFor(async () => {
      const { tokens = [] } = (await tokensSeen(1)) ?? {};
      expect(tokens.map(({ answers }) => answers)).toEqual(tokens.map(() => ["200"]));
    }, 5_000);
    const { restartCount, containerID } = statusOf(await startedAgain(found, "muster-agent"), "app");
    expect([restartCount, containerID]).toEqual([0, statusOf(pod, "app").containerID]);
  });
});
