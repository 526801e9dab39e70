import type { PodIdentity } from "./pod-identity.ts";

/** Where an operator is: its namespace, and the name of its Lease and of its service account. */
export interface OperatorPlace {
  readonly namespace: string;
  readonly name: string;
}

/** @param podNamespace the namespace of this pod, which is the operator's if it has the operator's identity */
export function operatorPlaceOf(
  values: { readonly operatorNamespace: string | undefined; readonly leaseName: string },
  inPod: PodIdentity | undefined,
  podNamespace: string | undefined,
): OperatorPlace {
  const own = inPod === undefined ? undefined : podNamespace;
  return { namespace: values.operatorNamespace ?? own ?? "muster-system", name: values.leaseName };
}
