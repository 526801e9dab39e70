import { restrictedContainer, restrictedPod } from "#test/node/restricted.ts";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { conditionOf } from "#test/support/harness/muster-objects.ts";

/**
 * A pod with a container of its name, which satisfies the restricted Pod Security Standard and ends at once. The label `app` has its
 * name, too.
 * @param volumes of the pod, which the container's group can write
 */
export function restrictedPodNamed(
  { name, namespace }: { readonly name: string; readonly namespace: string },
  container: object,
  volumes: readonly object[] = [],
): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace, labels: { app: name } },
    spec: {
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 0,
      securityContext: { ...restrictedPod.securityContext, fsGroup: 65532 },
      containers: [{ name, ...restrictedContainer, ...container }],
      volumes,
    },
  };
}

export function isReadyPod(pod: KubeObject | undefined): boolean {
  return conditionOf(pod, "Ready")?.status === "True";
}
