import { expect, vi } from "vitest";
import { type Cluster, startCluster } from "#test/node/cluster.ts";
import { account, namespace } from "#test/node/labelled-pod.ts";
import { applyExamples, installTryOut, operatorNamespace } from "#test/node/try-out.ts";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { isReady, ref } from "#test/support/harness/muster-objects.ts";
import { applyBranches } from "./branch.ts";
import { report } from "./report.ts";
import { buildImageWithShortLifetimes, lifetimeSeconds } from "./short-lifetimes.ts";
import { type Seen, seenByWatchers, watchers } from "./token-watcher.ts";

const image = "docker.io/library/muster:short-lifetimes";
const replicas = 2;
/** How long three renewals take, and what else the machine does. */
export const timeoutMs = lifetimeSeconds * 6_000;

/** A cluster with Muster, whose tokens live for a minute, and pods that watch theirs. */
export class ShortLivedTokens {
  readonly cluster: Cluster & { readonly image: string };
  #edits = 0;

  private constructor(cluster: Cluster) {
    this.cluster = { ...cluster, image };
  }

  /** Starts the cluster. It ends with `cluster.stop()`, or with this process. */
  static async start(): Promise<ShortLivedTokens> {
    const cluster = await startCluster({ progress: report });
    try {
      await cluster.loadImage(await buildImageWithShortLifetimes(image, { progress: report }));
      await cluster.admin.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
      await installTryOut({ ...cluster, image });
      await applyExamples(cluster);
      await applyBranches(cluster.admin, 1);
      await cluster.admin.apply(account);
      const deployment = watchers(image, replicas);
      await cluster.admin.apply(deployment);
      const ready = (seen: typeof deployment | undefined) => seen?.["status"]?.readyReplicas === replicas;
      await cluster.admin.waitFor(deployment, ready, { timeoutMs: 120_000 });
    } catch (error) {
      await cluster.stop();
      throw error;
    }
    return new ShortLivedTokens(cluster);
  }

  /** Edits a group, and waits until the object is Ready with it. */
  async edit(): Promise<void> {
    const { admin } = this.cluster;
    const edited = ref("Group", namespace, "branch-0");
    await admin.patch(edited, { spec: { description: `Edit ${++this.#edits}` } });
    await admin.waitFor(edited, isReady, { timeoutMs: 30_000 });
  }

  /** How often `edit` has succeeded. */
  get edits(): number {
    return this.#edits;
  }

  /** The pod of the operator. */
  async operator(): Promise<KubeObject> {
    const pods = await this.cluster.admin.list({ apiVersion: "v1", kind: "Pod" }, { namespace: operatorNamespace });
    const pod = pods.find(({ metadata }) => metadata.labels?.["app.kubernetes.io/component"] === "operator");
    if (pod === undefined) throw new Error("there is no pod of the operator");
    return pod;
  }

  /** How often the operator has exchanged its token, by result. */
  async exchanges(): Promise<Readonly<Record<string, number>>> {
    const { metadata } = await this.operator();
    const metrics = `${operatorNamespace}/pods/http:${metadata.name}:8080/proxy/metrics`;
    const text: string = await this.cluster.admin.request("GET", `/api/v1/namespaces/${metrics}`);
    const samples = text.matchAll(/^muster_token_exchanges_total\{.*?result="([^"]+)".*?\} (\d+)$/gm);
    return Object.fromEntries([...samples].map(([, result, count]) => [result, Number(count)]));
  }

  /** Waits until each watcher has seen something. */
  async eachHasSeen(wanted: (seen: Seen) => boolean): Promise<readonly Seen[]> {
    return vi.waitFor(
      async () => {
        const seen = await seenByWatchers(this.cluster.admin);
        expect(seen.size).toBe(replicas);
        for (const one of seen.values()) expect(one).toSatisfy(wanted);
        return [...seen.values()];
      },
      { timeout: timeoutMs, interval: 1_000 },
    );
  }

  /** Checks that each watcher has always found a token that had not expired. */
  async expectNoFault(): Promise<void> {
    for (const { faults } of (await seenByWatchers(this.cluster.admin)).values()) expect(faults).toEqual([]);
  }
}
