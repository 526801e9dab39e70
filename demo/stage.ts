import type { KubeClient, KubeObject } from "#test/support/control-plane/kube-client.ts";
import { examples } from "#test/support/harness/examples.ts";
import type { PlatformAdmin } from "#test/support/harness/platform-admin.ts";
import type { Operator } from "#test/support/harness/operator.ts";
import { allowedRoles, operatorAccount, System } from "#test/support/harness/system.ts";
import type { Cluster } from "#test/support/harness/cluster.ts";
import { permissiveTenant } from "#test/support/harness/tenants.ts";
import type { DemoCluster } from "./demo-cluster.ts";
import { readOperatorRbac } from "./operator-rbac.ts";
import { WatchedObjects } from "./watched-objects.ts";
import { within } from "#test/support/within.ts";

/** The operator's resync interval in the demo; the default is ten minutes. */
export const resyncSeconds = 3;

/** The operator's calls and writes since its start. */
export interface Counts {
  readonly platformCalls: number;
  /** The calls that created a resource. */
  readonly creations: number;
  /** Writes to Muster objects, counted by the API server; undefined in a user's cluster. */
  readonly objectWrites: number | undefined;
  /** All writes to Kubernetes, including events and the Lease. */
  readonly kubernetesWrites: number;
}

/** What the chapters use: the cluster, the platform, the operator and the objects. */
export class Stage {
  readonly cluster: DemoCluster;
  readonly kube: KubeClient;
  readonly platform: PlatformAdmin;
  readonly objects: WatchedObjects;
  /** The objects of `examples/` in the order of the files, for this namespace and platform. */
  readonly manifests: readonly KubeObject[];
  readonly system: System<Cluster>;
  readonly operator: Operator;
  readonly #signal: AbortSignal;

  constructor(
    demoCluster: DemoCluster,
    system: System<Cluster>,
    operator: Operator,
    manifests: readonly KubeObject[],
    signal: AbortSignal,
    onFailure: (error: unknown) => void,
  ) {
    this.cluster = demoCluster;
    this.kube = demoCluster.cluster.admin;
    this.platform = system.admin;
    this.system = system;
    this.operator = operator;
    this.manifests = manifests;
    this.#signal = signal;
    this.objects = new WatchedObjects(this.kube, demoCluster.namespace, signal, onFailure);
  }

  get namespace(): string {
    return this.cluster.namespace;
  }

  /** Waits for a step. @throws {TimeoutError} after the deadline, or the reason of the signal */
  async during<T>(what: string, seconds: number, work: Promise<T>): Promise<T> {
    return within(what, seconds, work, this.#signal);
  }

  async counts(): Promise<Counts> {
    const { cluster: demoCluster, system, operator } = this;
    const metrics = await operator.metrics();
    const sum = (pattern: RegExp) =>
      [...metrics.matchAll(pattern)].reduce((total, [, value]) => total + Number(value), 0);
    return {
      creations: sum(/^muster_platform_requests_total\{kind="(?!token)\w+",method="POST",.*\} (\d+)$/gm),
      platformCalls: sum(/^muster_platform_requests_total\{.*\} (\d+)$/gm),
      kubernetesWrites: sum(/^rest_client_requests_total\{.*method="(?:POST|PUT|PATCH|DELETE)".*\} (\d+)$/gm),
      objectWrites: await demoCluster.writesBy(`${system.operatorNamespace}:${operatorAccount}`),
    };
  }
}

/** Starts the platform, and prepares the cluster for the operator. */
export async function startSystem(
  demoCluster: DemoCluster,
  platformPort: number | undefined,
  signal: AbortSignal,
): Promise<System<Cluster>> {
  return System.start({
    controlPlane: demoCluster.cluster,
    namespaces: [demoCluster.namespace],
    operatorNamespace: demoCluster.operatorNamespace,
    rbac: await readOperatorRbac(demoCluster.prefix),
    operatorClass: demoCluster.prefix,
    tenants: (root) => [demoTenant(demoCluster, root)],
    platformPort,
    signal,
    outside: true,
  }).catch((error: Error) => {
    if (platformPort === undefined || !error.message.includes("another process serves")) throw error;
    throw new Error(
      `--platform-port: port ${platformPort} of 127.0.0.1 is in use; set another port, or omit the flag to use any free port`,
      { cause: error },
    );
  });
}

/** The demo has a class, so that an operator that the cluster may have serves neither this Tenant nor its objects. */
function demoTenant({ prefix, namespace }: DemoCluster, root: string): KubeObject {
  const { spec, ...tenant } = permissiveTenant(prefix, {
    namespaces: [namespace],
    groups: [root],
    roles: allowedRoles,
  });
  return { ...tenant, spec: { ...spec, class: prefix } };
}

export async function startOperator(system: System<Cluster>): Promise<Operator> {
  const operator = await system.startOperator(["--resync", `${resyncSeconds}s`]);
  await operator.process.logged("leading");
  return operator;
}

export async function manifestsFor(root: string, namespace: string): Promise<KubeObject[]> {
  return (await examples(root)).map((object) => ({ ...object, metadata: { ...object.metadata, namespace } }));
}
