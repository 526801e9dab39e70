import { afterAll, beforeAll } from "vitest";
import type { ChartValues } from "#test/deploy/helm.ts";
import { type Cluster, startCluster } from "#test/node/cluster.ts";
import { namespace } from "#test/node/labelled-pod.ts";
import { installTryOut, operatorNamespace } from "#test/node/try-out.ts";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { collectionOf, type ComparedSystem } from "#test/support/harness/comparison.ts";
import type { PlatformAdmin } from "#test/support/harness/platform-admin.ts";
import { describeOnNode } from "./describe-with-target.ts";
import { reachPlatform } from "./platform-on-node.ts";
import { report } from "./report.ts";

/** A node of this machine with the chart `muster-try-out`, the namespace of its Tenant, and access to its platform. */
export interface MusterOnNode extends ComparedSystem {
  readonly cluster: Cluster;
  readonly admin: PlatformAdmin;
  readonly controlPlane: Pick<Cluster, "admin">;
}

/** @returns how long it took, in seconds with one decimal */
export async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return Math.round((performance.now() - started) / 100) / 10;
}

/**
 * A suite with a node to itself, on which Muster is installed.
 * @param values of the chart `muster`
 */
export function describeWithMusterOnNode(
  name: string,
  tests: (muster: () => MusterOnNode) => void,
  values: ChartValues = {},
): void {
  describeOnNode(name, () => {
    let cluster: Cluster | undefined;
    let muster: MusterOnNode | undefined;
    beforeAll(async () => {
      cluster = await startCluster({ progress: report });
      const { admin } = cluster;
      await admin.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
      await installTryOut(cluster, values);
      const { admin: platform } = await reachPlatform(cluster);
      const collections = Object.values(collectionOf);
      const resources = (await Promise.all(collections.map((collection) => platform.list(collection)))).flat();
      const preexisting = new Set(resources.map(({ uid }) => uid));
      muster = { cluster, admin: platform, controlPlane: { admin }, preexisting };
    });
    afterAll(() => cluster?.stop());
    tests(() => {
      if (muster === undefined) throw new Error("Muster runs only while a test does: call muster() inside of it");
      return muster;
    });
  });
}

/** The pods of a component of Muster: `operator` or `platform`. */
export async function podsOf({ controlPlane: { admin } }: MusterOnNode, component: string): Promise<KubeObject[]> {
  const pods = await admin.list({ apiVersion: "v1", kind: "Pod" }, { namespace: operatorNamespace });
  return pods.filter(({ metadata }) => metadata.labels?.["app.kubernetes.io/component"] === component);
}
