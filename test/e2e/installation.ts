import { access, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ChartValues } from "#test/deploy/helm.ts";
import type { Cluster } from "#test/node/cluster.ts";
import { installTryOut, operatorNamespace } from "#test/node/try-out.ts";
import type { KubeClient, KubeObject, ObjectRef } from "#test/support/control-plane/kube-client.ts";
import { isReady } from "#test/support/harness/muster-objects.ts";
import { PlatformAdmin } from "#test/support/harness/platform-admin.ts";
import { sendJson } from "#test/support/harness/send-json.ts";

const nodePort = 30_080;
const workload = (kind: "Deployment" | "StatefulSet", name: string) => ({
  apiVersion: "apps/v1",
  kind,
  metadata: { name, namespace: operatorNamespace },
});
const operator = workload("Deployment", "muster-operator");
const platform = workload("StatefulSet", "muster-platform");

/** The chart `muster-try-out` on a node of this machine, with what an administrator of the platform can do. */
export class Installation {
  readonly admin: KubeClient;
  /** The folder with the files of the platform. */
  readonly platformFolder: string;
  /** Where this machine reaches the platform. */
  readonly platformUrl: string;
  readonly platform: PlatformAdmin;
  readonly #token: string;

  private constructor(admin: KubeClient, platformFolder: string, platformUrl: string, token: string) {
    this.admin = admin;
    this.platformFolder = platformFolder;
    this.platformUrl = platformUrl;
    this.platform = new PlatformAdmin(platformUrl, token);
    this.#token = token;
  }

  /** Installs the chart with values of the chart `muster`. */
  static async create(cluster: Cluster, values: ChartValues): Promise<Installation> {
    await installTryOut(cluster, values);
    const { admin, isolation } = cluster;
    const selector = { "app.kubernetes.io/name": "muster", "app.kubernetes.io/component": "platform" };
    await admin.apply({
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "from-this-machine", namespace: operatorNamespace },
      spec: { type: "NodePort", selector, ports: [{ port: 8080, targetPort: "http", nodePort }] },
    });
    const folder = await folderWith("admin-token", join(isolation.folder, "volumes"));
    const token = (await readFile(join(folder, "admin-token"), "utf8")).trim();
    return new Installation(admin, folder, `http://${isolation.address}:${nodePort}`, token);
  }

  scaleOperator = (replicas: number) => this.#scale(operator, replicas);
  scalePlatform = (replicas: number) => this.#scale(platform, replicas);

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
    await sendJson({ url: this.platformUrl, token: this.#token, method, path: "/faults", body });
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

/** The folder that has a file, of all in a folder. */
async function folderWith(file: string, parent: string): Promise<string> {
  for (const name of await readdir(parent)) {
    const folder = join(parent, name);
    if (
      await access(join(folder, file)).then(
        () => true,
        () => false,
      )
    )
      return folder;
  }
  throw new Error(`no folder in ${parent} has ${file}`);
}
