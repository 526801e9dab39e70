import type { KubeClient, KubeObject } from "#test/support/control-plane/kube-client.ts";
import { examples } from "#test/support/harness/examples.ts";
import type { PlatformAdmin } from "#test/support/harness/platform-admin.ts";
import type { Operator } from "#test/support/harness/operator.ts";
import { operatorAccount, System } from "#test/support/harness/system.ts";
import type { Cluster } from "#test/support/harness/cluster.ts";
import type { DemoCluster } from "./demo-cluster.ts";
import { readOperatorRbac } from "./operator-rbac.ts";
import { WatchedObjects } from "./watched-objects.ts";
import { within } from "#test/support/within.ts";

/** How often the operator lists the platform here to find drift; in life it is ten minutes. */
export const resyncSeconds = 3;

/** Counted so far. */
export interface Counts {
  readonly platformCalls: number;
  /** Those of them that made something. */
  readonly creations: number;
  /** Writes to Muster objects, as the API server counts them; undefined in a cluster that does not tell. */
  readonly objectWrites: number | undefined;
  /** All writes to Kubernetes: also events and the Lease. */
  readonly kubernetesWrites: number;
}

/** All that the chapters play with. */
export class Stage {
  readonly cluster: DemoCluster;
  readonly kube: KubeClient;
  readonly platform: PlatformAdmin;
  readonly objects: WatchedObjects;
  /** `examples/`, in the order of the files, for this namespace and platform. */
  readonly manifests: readonly KubeObject[];
  readonly system: System<Cluster>;
  readonly operator: Operator;
  readonly #signal: AbortSignal;

  constructor(
    ground: DemoCluster,
    system: System<Cluster>,
    operator: Operator,
    manifests: readonly KubeObject[],
    signal: AbortSignal,
    onFailure: (error: unknown) => void,
  ) {
    this.cluster = ground;
    this.kube = ground.cluster.admin;
    this.platform = system.admin;
    this.system = system;
    this.operator = operator;
    this.manifests = manifests;
    this.#signal = signal;
    this.objects = new WatchedObjects(this.kube, ground.namespace, signal, onFailure);
  }

  get namespace(): string {
    return this.cluster.namespace;
  }

  /** Waits for a part of the story. @throws {TookTooLong}, or why the demo ends */
  async during<T>(what: string, seconds: number, work: Promise<T>): Promise<T> {
    return within(what, seconds, work, this.#signal);
  }

  async counts(): Promise<Counts> {
    const { cluster: ground, system, operator } = this;
    const metrics = await operator.metrics();
    const sum = (pattern: RegExp) =>
      [...metrics.matchAll(pattern)].reduce((total, [, value]) => total + Number(value), 0);
    return {
      creations: sum(/^muster_platform_requests_total\{kind="(?!token)\w+",method="POST",.*\} (\d+)$/gm),
      platformCalls: sum(/^muster_platform_requests_total\{.*\} (\d+)$/gm),
      kubernetesWrites: sum(/^rest_client_requests_total\{.*method="(?:POST|PUT|PATCH|DELETE)".*\} (\d+)$/gm),
      objectWrites: await ground.writesBy(`${system.operatorNamespace}:${operatorAccount}`),
    };
  }
}

/** The platform, and what the operator needs in Kubernetes. */
export async function startSystem(
  ground: DemoCluster,
  platformPort: number | undefined,
  signal: AbortSignal,
): Promise<System<Cluster>> {
  return System.start({
    controlPlane: ground.cluster,
    namespaces: [ground.namespace],
    operatorNamespace: ground.operatorNamespace,
    rbac: await readOperatorRbac(ground.prefix),
    platformPort,
    signal,
    outside: true,
  }).catch((error: Error) => {
    if (platformPort === undefined || !error.message.includes("EADDRINUSE")) throw error;
    throw new Error(
      `port ${platformPort} of 127.0.0.1 is taken: choose another with --platform-port, or leave it out to have any free one`,
      { cause: error },
    );
  });
}

export async function startOperator(system: System<Cluster>): Promise<Operator> {
  const operator = await system.startOperator(["--resync", `${resyncSeconds}s`]);
  await operator.process.logged("leading");
  return operator;
}

export async function manifestsFor(root: string, namespace: string): Promise<KubeObject[]> {
  return (await examples(root)).map((object) => ({ ...object, metadata: { ...object.metadata, namespace } }));
}
