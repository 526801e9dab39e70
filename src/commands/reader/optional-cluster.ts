import type { CommandContext } from "#src/commands/command.ts";
import { KubeClient } from "#src/kube/client.ts";
import { KubeConfigError } from "#src/kube/config.ts";
import { oneLine } from "#src/telemetry/one-line.ts";
import { systemClock as clock } from "#src/time/clock.ts";
import { seconds } from "#src/time/durations.ts";
import { clusterConnection, type ClusterValues } from "./cluster-connection.ts";
import { TooMuchToRead } from "./read-budget.ts";

const deadlineMs = seconds(10);

export interface OptionalClusterValues extends ClusterValues {
  readonly noCluster: boolean;
}

/** What was read of a cluster, or why it was not read. */
export type OptionalReading<T> =
  | { readonly read: true; readonly value: T }
  | { readonly read: false; readonly reason: string };

/**
 * Reads a cluster for a command that also works without one.
 * @param connections how many calls are made at the same time
 * @throws {KubeConfigError} if the settings name a cluster to which no connection can be configured
 * @throws {TooMuchToRead} because the cluster is there, and --no-cluster says that it is not to be read
 */
export async function readOptionalCluster<T>(
  values: OptionalClusterValues,
  { env, signal }: Pick<CommandContext, "env" | "signal">,
  connections: number,
  read: (kube: KubeClient) => Promise<T>,
): Promise<OptionalReading<T>> {
  const { context, kubeconfig, noCluster } = values;
  if (noCluster) return { read: false, reason: "--no-cluster is set" };
  const named = context !== undefined || kubeconfig !== undefined;
  try {
    const kube = new KubeClient({ connection: await clusterConnection(values, env), connections, clock, deadlineMs });
    try {
      return { read: true, value: await read(kube) };
    } finally {
      await kube.close();
    }
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof TooMuchToRead || (named && error instanceof KubeConfigError)) throw error;
    return { read: false, reason: oneLine(error instanceof Error ? error.message : String(error)) };
  }
}
