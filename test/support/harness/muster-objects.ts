import type { KubeObject, ObjectRef } from "#test/support/control-plane/kube-client.ts";

const apiVersion = "iam.muster.dev/v1beta1";

/** The kinds that the Tenants of most tests permit. */
export type MusterKind = "Group" | "Identity" | "Role" | "RoleBinding";
export const musterKinds: readonly MusterKind[] = ["Group", "Identity", "Role", "RoleBinding"];

/** With those that only some tests declare. */
export type AnyMusterKind = MusterKind | "IdentityProvider" | "AccountAssociation" | "GroupInvite";
export const allMusterKinds: readonly AnyMusterKind[] = [
  ...musterKinds,
  "IdentityProvider",
  "AccountAssociation",
  "GroupInvite",
];

export const kindRef = (kind: AnyMusterKind) => ({ apiVersion, kind });

export function musterObject(kind: AnyMusterKind, namespace: string, name: string, spec: object): KubeObject {
  return { ...kindRef(kind), metadata: { namespace, name }, spec };
}

export function ref(kind: AnyMusterKind, namespace: string, name: string): ObjectRef {
  return { ...kindRef(kind), metadata: { namespace, name } };
}

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration: number;
}

export function conditionOf(object: KubeObject | undefined, type: string): Condition | undefined {
  const conditions: Condition[] = object?.["status"]?.conditions ?? [];
  return conditions.find((condition) => condition.type === type);
}

/** Whether the object is Ready with its current generation. */
export function isReady(object: KubeObject | undefined): boolean {
  const ready = conditionOf(object, "Ready");
  return ready?.status === "True" && ready.observedGeneration === object?.metadata.generation;
}

/** Whether the object is not Ready for this reason, with its current generation. */
export function isUnready(reason: string): (object: KubeObject | undefined) => boolean {
  return (object) => {
    const ready = conditionOf(object, "Ready");
    return (
      ready !== undefined &&
      ready.status !== "True" &&
      ready.reason === reason &&
      ready.observedGeneration === object?.metadata.generation
    );
  };
}
