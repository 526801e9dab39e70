import type { OperatorPlace } from "#src/commands/reader/operator-place.ts";

/** `muster doctor` where it sees the most. The Deployment has the name of the service account. */
export function doctorInPod({ name, namespace }: OperatorPlace): string {
  return `kubectl -n ${namespace} exec deployment/${name} -- muster doctor`;
}
