import { expect, it } from "vitest";
import { namespace } from "#test/node/labelled-pod.ts";
import { KubeError } from "#test/support/control-plane/kube-connection.ts";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { operatorNamespace } from "#test/node/try-out.ts";
import { differencesFromPlatform } from "#test/support/harness/comparison.ts";
import { isReady, ref } from "#test/support/harness/muster-objects.ts";
import { allReady, applyBranches, branch } from "./branch.ts";
import { describeWithMusterOnNode, type MusterOnNode, podsOf, secondsOf } from "./muster-on-node.ts";
import { report } from "./report.ts";
import { operatorDeployment } from "./scale.ts";

const podRef = (name: string) => ({ apiVersion: "v1", kind: "Pod", metadata: { name, namespace: operatorNamespace } });
const leaseRef = {
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { name: "muster-operator", namespace: operatorNamespace },
};

async function leader({ controlPlane: { admin } }: MusterOnNode): Promise<KubeObject> {
  const { holderIdentity } = (await admin.get(leaseRef))["spec"];
  const pods = await admin.list({ apiVersion: "v1", kind: "Pod" }, { namespace: operatorNamespace });
  const pod = pods.find(({ metadata }) => holderIdentity.startsWith(metadata.name));
  if (pod === undefined) throw new Error(`the Lease is held by ${holderIdentity}, which is not a pod`);
  return pod;
}

/** Evicts a pod as `kubectl drain` does: as soon as the PodDisruptionBudget permits it. */
async function evict({ controlPlane: { admin } }: MusterOnNode, pod: KubeObject): Promise<void> {
  const { name } = pod.metadata;
  const body = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name, namespace: operatorNamespace } };
  for (;;)
    try {
      await admin.request("POST", `${await admin.pathOf(pod)}/eviction`, { body });
      return;
    } catch (error) {
      if (!(error instanceof KubeError && error.code === 429)) throw error;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
}

describeWithMusterOnNode(
  "an operator with two replicas, and its platform",
  (muster) => {
    const kube = () => muster().controlPlane.admin;
    let edits = 0;

    /** Edits a group. @returns after how many seconds the platform has the edit and the object is Ready with it */
    async function secondsOfEdit(): Promise<number> {
      const description = `Edit ${++edits}`;
      const edited = ref("Group", namespace, "edited");
      return secondsOf(async () => {
        await kube().patch(edited, { spec: { description } });
        const object = await kube().waitFor(edited, isReady, { timeoutMs: 90_000 });
        expect((await muster().admin.get("groups", object?.["status"].uid)).description).toMatch(
          new RegExp(`^${description} `),
        );
      });
    }

    it("applies an edit", async () => {
      for (const object of branch("edited")) await kube().apply(object);
      await allReady(muster().controlPlane.admin, 30_000);
      report(`no fault: an edit is applied after ${await secondsOfEdit()} s`);
    });

    it.each([
      ["is deleted", 10, async () => kube().delete(podRef((await leader(muster())).metadata.name))],
      ["is killed", 25, async () => muster().cluster.faults.killContainers(await leader(muster()))],
      [
        "is drained with the other replica",
        30,
        async () => {
          for (const pod of await podsOf(muster(), "operator")) await evict(muster(), pod);
        },
      ],
      [
        "is deleted at once with the other replica",
        40,
        async () => {
          for (const { metadata } of await podsOf(muster(), "operator")) await kube().delete(podRef(metadata.name));
        },
      ],
    ])("applies an edit after the leader %s, and creates nothing twice", async (what, atMost, fault) => {
      await kube().waitFor(operatorDeployment, (object) => object?.["status"].availableReplicas === 2, {
        timeoutMs: 60_000,
      });
      const objects = branch(what.replaceAll(" ", "-"));
      const created = Promise.all(objects.map((object) => kube().apply(object)));
      await fault();
      const seconds = await secondsOfEdit();
      report(`the leader ${what}: an edit is applied after ${seconds} s`);
      await created;
      await allReady(muster().controlPlane.admin, 60_000);
      expect(await differencesFromPlatform(muster())).toEqual([]);
      expect(seconds).toBeLessThan(atMost);
    });

    it("creates 200 objects exactly once when the platform is killed meanwhile", async () => {
      const [platform] = await podsOf(muster(), "platform");
      if (platform === undefined) throw new Error("there is no pod of the platform");
      const seconds = await secondsOf(async () => {
        const applied = applyBranches(kube(), 50);
        await kube().waitFor(ref("Group", namespace, "branch-10"), isReady, { timeoutMs: 60_000 });
        await muster().cluster.faults.killContainers(platform);
        await applied;
        await allReady(muster().controlPlane.admin, 120_000);
      });
      report(`the platform was killed during 200 creations: all are Ready after ${seconds} s`);
      await kube().waitFor(
        podRef(platform.metadata.name),
        (pod) => pod?.["status"].containerStatuses[0].restartCount === 1,
      );
      expect(await differencesFromPlatform(muster())).toEqual([]);
    });

    it("deletes all of them", async () => {
      for (const kind of ["RoleBinding", "Identity", "Group"] as const)
        await kube().deleteAll({ apiVersion: "iam.muster.dev/v1beta1", kind }, namespace);
      await kube().waitUntilGone(ref("Group", namespace, "edited"), { timeoutMs: 60_000 });
      await expect.poll(() => differencesFromPlatform(muster()), { timeout: 60_000 }).toEqual([]);
    });
  },
  { replicas: 2 },
);
