import type { CommandContext } from "#src/commands/command.ts";
import { type KubeConnection, readConnection } from "#src/kube/config.ts";
import { systemClock as clock } from "#src/time/clock.ts";

export interface ClusterValues {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
}

/**
 * How to reach the cluster that a command reads: as the settings say; if they say nothing, as the pod's service account, or
 * outside of a pod as the user's kubeconfig says.
 * @throws {KubeConfigError}
 */
export async function clusterConnection(
  { kubeconfig, context }: ClusterValues,
  env: CommandContext["env"],
): Promise<KubeConnection> {
  return readConnection({
    env,
    clock,
    ...(context === undefined ? {} : { context }),
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(env["KUBERNETES_SERVICE_HOST"] ? {} : { userKubeconfig: true as const }),
  });
}
