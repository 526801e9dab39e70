import { readConnection } from "#src/kube/config.ts";
import { systemClock } from "#src/time/clock.ts";
import { startCluster } from "#test/node/cluster.ts";
import type { Target } from "#test/node/try-out.ts";
import type { BuildOptions } from "#test/support/go-program/compile.ts";
import { KubeClient } from "#test/support/control-plane/kube-client.ts";

/** The cluster that is tested: a node of this machine, or one that exists. */
export interface TestedCluster extends Target {
  /** Ends what was started. */
  stop(): Promise<void>;
}

/** The variables by which `npm run e2e` names an existing cluster and an image. */
export const contextVariable = "MUSTER_E2E_CONTEXT";
export const imageVariable = "MUSTER_E2E_IMAGE";

/** The cluster of the variables, or else a new one on this machine. @throws {NodeUnavailable} if it cannot run a node */
export async function findTarget(options: BuildOptions = {}): Promise<TestedCluster> {
  const context = process.env[contextVariable];
  if (context) return existingCluster(context, process.env[imageVariable] || undefined);
  const { admin, helmFlags, kubectlFlags, ...cluster } = await startCluster(options);
  return { admin, helmFlags, kubectlFlags, stop: () => cluster.stop() };
}

async function existingCluster(context: string, image: string | undefined): Promise<TestedCluster> {
  const connection = await readConnection({ context, env: process.env, clock: systemClock });
  const url = connection.server.href.replace(/\/$/, "");
  const admin = new KubeClient({ ...connection, url, token: () => connection.token() });
  const flags = { helmFlags: ["--kube-context", context], kubectlFlags: ["--context", context] };
  return { admin, ...flags, image, stop: () => admin.close() };
}
