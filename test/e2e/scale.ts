import { operatorNamespace } from "#test/node/try-out.ts";
import type { KubeClient, KubeObject, ObjectRef } from "#test/support/control-plane/kube-client.ts";

const workload = (kind: "Deployment" | "StatefulSet", name: string): ObjectRef => ({
  apiVersion: "apps/v1",
  kind,
  metadata: { name, namespace: operatorNamespace },
});
export const operatorDeployment = workload("Deployment", "muster-operator");
export const platformStatefulSet = workload("StatefulSet", "muster-platform");

/** Scales a workload of the chart `muster-try-out`, and returns when it has that many pods, all Ready. Pods that it deleted may still run. */
export async function scale(admin: KubeClient, of: ObjectRef, replicas: number): Promise<void> {
  await admin.patch(of, { spec: { replicas } });
  const isScaled = (object: KubeObject | undefined) =>
    object?.["status"].observedGeneration === object?.metadata.generation &&
    (object?.["status"].replicas ?? 0) === replicas &&
    (object?.["status"].readyReplicas ?? 0) === replicas;
  await admin.waitFor(of, isScaled, { timeoutMs: 60_000 });
}
