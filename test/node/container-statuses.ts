import type { KubeObject } from "#test/support/control-plane/kube-client.ts";

/** The statuses of all containers of a pod, those of init containers first. */
// oxlint-disable-next-line typescript/no-explicit-any
export function containerStatuses({ status }: KubeObject): readonly any[] {
  return [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
}
