import type { CommandContext } from "#src/commands/command.ts";
import { KubeClient } from "#src/kube/client.ts";
import { readConnection } from "#src/kube/config.ts";
import type { ObservedCall } from "#src/kube/transport.ts";
import type { Tracer } from "#src/telemetry/tracer.ts";
import type { Clock } from "#src/time/clock.ts";
import type { OperatorValues } from "./settings.ts";

export interface KubernetesClients {
  readonly kube: KubeClient;
  /**
   * For the Lease alone, on a connection of its own: while the API server is overloaded, it serves Leases before other
   * requests, but a renewal that waited here for one of those would be late, and the leader would end.
   */
  readonly leases: KubeClient;
  /** Creates a client whose first request makes a new connection, which a load balancer may give to another API server. */
  readonly newClient: () => KubeClient;
  /** The namespace of the pod or of the kubeconfig's context. */
  readonly namespace: string | undefined;
}

export interface ConnectOptions {
  readonly env: CommandContext["env"];
  readonly clock: Clock;
  readonly observe: (call: ObservedCall) => void;
  readonly tracer?: Tracer | undefined;
}

/** @throws {KubeConfigError} */
export async function connectKubernetes(
  {
    kubeconfig,
    context,
    serviceAccountDirectory,
    workers,
  }: Pick<OperatorValues, "kubeconfig" | "context" | "serviceAccountDirectory" | "workers">,
  { env, clock, observe, tracer }: ConnectOptions,
): Promise<KubernetesClients> {
  const connection = await readConnection({
    env,
    clock,
    serviceAccountDirectory,
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(context === undefined ? {} : { context }),
  });
  const client = (connections: number) => new KubeClient({ connection, connections, clock, observe, tracer });
  return { kube: client(workers), leases: client(1), newClient: () => client(1), namespace: connection.namespace };
}
