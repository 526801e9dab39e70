import type { ChartValues } from "#test/deploy/helm.ts";
import type { Cluster } from "#test/node/cluster.ts";
import { installTryOut, operatorNamespace } from "#test/node/try-out.ts";
import type { KubeClient, KubeObject, ObjectRef } from "#test/support/control-plane/kube-client.ts";
import { isReady } from "#test/support/harness/muster-objects.ts";
import { sendJson } from "#test/support/harness/send-json.ts";
import { type PlatformOnNode, reachPlatform } from "./platform-on-node.ts";

const workload = (kind: "Deployment" | "StatefulSet", name: string) => ({
  apiVersion: "apps/v1",
  kind,
  metadata: { name, namespace: operatorNamespace },
});
const operatorDeployment = workload("Deployment", "muster-operator");
const platformStatefulSet = workload("StatefulSet", "muster-platform");

/** The chart `muster-try-out` on a node of this machine, with what an administrator of the platform can do. */
export class Installation {
  readonly admin: KubeClient;
  readonly platform: PlatformOnNode;

  private constructor(admin: KubeClient, platform: PlatformOnNode) {
    this.admin = admin;
    this.platform = platform;
  }

  /** Installs the chart with values of the chart `muster`. */
  static async create(cluster: Cluster, values: ChartValues): Promise<Installation> {
    await installTryOut(cluster, values);
    return new Installation(cluster.admin, await reachPlatform(cluster));
  }

  scaleOperator = (replicas: number) => this.#scale(operatorDeployment, replicas);
  scalePlatform = (replicas: number) => this.#scale(platformStatefulSet, replicas);

  /** Adds rules of faults to the running platform. */
  async addFaults(rules: readonly string[]): Promise<void> {
    await this.#faults("POST", { rules });
  }

  async clearFaults(): Promise<void> {
    await this.#faults("DELETE");
  }

  /** Waits until objects are Ready. */
  async ready(count: number, object: (index: number) => KubeObject): Promise<void> {
    for (let index = 0; index < count; index += 1)
      await this.admin.waitFor(object(index), isReady, { timeoutMs: 60_000 });
  }

  async #faults(method: string, body?: object): Promise<void> {
    const { url, adminToken: token } = this.platform;
    await sendJson({ url, token, method, path: "/faults", body });
  }

  async #scale(of: ObjectRef, replicas: number): Promise<void> {
    await this.admin.patch(of, { spec: { replicas } });
    const isScaled = (object: KubeObject | undefined) =>
      object?.["status"].observedGeneration === object?.metadata.generation &&
      (object?.["status"].replicas ?? 0) === replicas &&
      (object?.["status"].readyReplicas ?? 0) === replicas;
    await this.admin.waitFor(of, isScaled, { timeoutMs: 60_000 });
  }
}
