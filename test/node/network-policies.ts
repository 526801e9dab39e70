import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ServerProcess } from "#test/support/control-plane/server-process.ts";
import { buildGoProgram } from "#test/support/go-program/build.ts";
import type { BuildOptions } from "#test/support/go-program/compile.ts";
import type { Cluster } from "./cluster.ts";
import { nodeName } from "./credentials.ts";
import { network } from "./network.ts";
import { checkPackages, systemPath } from "./requirements.ts";

/**
 * Enforces the network policies of a cluster from now on, by rules of iptables in the node's namespaces. A connection that no policy
 * allows is refused. Connections from the node itself, such as those of the kubelet, are always allowed. It builds the program if it
 * is not in the cache, and ends with the cluster.
 * @throws {NodeUnavailable} if this machine has no `ipset`
 */
export async function enforceNetworkPolicies(
  { isolation, kubeconfig }: Pick<Cluster, "isolation" | "kubeconfig">,
  options: BuildOptions = {},
): Promise<void> {
  await checkPackages([{ file: "ipset", package: "ipset" }]);
  const program = await buildGoProgram(
    {
      name: "kube-router",
      folder: join(import.meta.dirname, "programs/kube-router"),
      title: "the firewall of kube-router",
      module: "github.com/cloudnativelabs/kube-router/v2",
      linkedVariables: () => ({}),
    },
    options,
  );
  const flags = { kubeconfig, "hostname-override": nodeName, "service-cluster-ip-range": network.services };
  const command = isolation.inside("env", [`PATH=${systemPath}`, program]);
  const server = new ServerProcess(command, flags, join(isolation.folder, "kube-router.log"));
  while (!(await isolation.run("iptables-save", "--table", "filter")).includes("KUBE-ROUTER-FORWARD")) {
    if (!server.running) throw new Error(`kube-router ended:\n${await server.lastLogLines()}`);
    await sleep(200);
  }
}
