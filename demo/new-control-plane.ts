import { countRequests } from "#test/support/control-plane/audit.ts";
import { startControlPlane } from "#test/support/control-plane/control-plane.ts";
import type { DemoCluster } from "./demo-cluster.ts";

/** A control plane for the demo: a real API server and etcd on loopback. It is removed afterwards. */
export async function newControlPlane(signal: AbortSignal, progress: (line: string) => void): Promise<DemoCluster> {
  const controlPlane = await startControlPlane({ audit: true, progress, signal });
  const { gitVersion } = await controlPlane.admin.request("GET", "/version");
  return {
    cluster: controlPlane,
    title: `Kubernetes ${gitVersion}, a real API server with etcd, at ${controlPlane.url}`,
    namespace: "shop",
    operatorNamespace: "muster-system",
    prefix: "demo",
    kubeconfigCommands: [`export KUBECONFIG=${controlPlane.kubeconfigFile}`],
    kubectl: "kubectl -n shop",
    writesBy: async (serviceAccount) =>
      countRequests(
        await controlPlane.requestCounts(),
        ({ user, resource }, isWrite) =>
          isWrite && user === `system:serviceaccount:${serviceAccount}` && resource.endsWith(".iam.muster.dev"),
      ),
    cleanUp: async () => {
      await controlPlane.admin.close();
      await controlPlane.stop();
    },
  };
}
