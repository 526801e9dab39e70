import type { ChartValues } from "#test/deploy/helm.ts";
import type { Cluster } from "#test/node/cluster.ts";
import { installTryOut } from "#test/node/try-out.ts";
import type { KubeClient, KubeObject } from "#test/support/control-plane/kube-client.ts";
import { isReady } from "#test/support/harness/muster-objects.ts";
import { sendJson } from "#test/support/harness/send-json.ts";
import { type PlatformOnNode, reachPlatform } from "./platform-on-node.ts";
import { operatorDeployment, platformStatefulSet, scale } from "./scale.ts";

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

  scaleOperator = (replicas: number) => scale(this.admin, operatorDeployment, replicas);
  scalePlatform = (replicas: number) => scale(this.admin, platformStatefulSet, replicas);

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
}
