import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { conditionOf } from "#test/support/harness/muster-objects.ts";

/**
 * What kstatus, and so Flux and `kubectl`-like tools, make of an object: the generic rules of `status.Compute` in
 * sigs.k8s.io/cli-utils, in their order.
 */
export function kstatus(object: KubeObject): "Terminating" | "InProgress" | "Failed" | "Current" {
  const { metadata } = object;
  if (metadata.deletionTimestamp !== undefined) return "Terminating";
  const observed: number | undefined = object["status"]?.observedGeneration;
  if (observed !== undefined && observed !== metadata.generation) return "InProgress";
  if (conditionOf(object, "Reconciling")?.status === "True") return "InProgress";
  if (conditionOf(object, "Stalled")?.status === "True") return "Failed";
  const ready = conditionOf(object, "Ready");
  return ready === undefined || ready.status === "True" ? "Current" : "InProgress";
}
