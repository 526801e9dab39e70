import type { PodIdentity } from "./pod-identity.ts";

/** Where an operator is: its namespace, and the name of its Lease and of its service account. */
export interface OperatorPlace {
  readonly namespace: string;
  readonly name: string;
}

/** Where the operator of each class is: the class of a Tenant, or the empty text. */
export type OperatorPlaces = (operatorClass: string) => OperatorPlace;

/** @param podNamespace the namespace of this pod, which is the operator's if it has the operator's identity */
export function operatorPlaces(
  { leaseName, operatorNamespace }: Readonly<Record<"leaseName" | "operatorNamespace", string | undefined>>,
  inPod: PodIdentity | undefined,
  podNamespace: string | undefined,
): OperatorPlaces {
  const own = inPod === undefined ? undefined : podNamespace;
  const namespace = operatorNamespace ?? own ?? "muster-system";
  return (operatorClass) => ({ namespace, name: leaseName ?? operatorName(operatorClass) });
}

/** The name that an operator's Lease and service account have, unless a setting says another. */
export function operatorName(operatorClass = ""): string {
  return withClass("muster-operator", operatorClass);
}

/** The name of an operator's object: deploy/ and the chart end it with the class. */
export function withClass(name: string, operatorClass: string): string {
  return operatorClass === "" ? name : `${name}-${operatorClass}`;
}
