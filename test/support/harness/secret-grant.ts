import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import type { ServiceAccountName } from "./prepare-cluster.ts";
import { operatorAccount } from "./system.ts";

const rbac = "rbac.authorization.k8s.io";

/** The Role that lets an operator use one Secret, and its RoleBinding, as the condition of an object prints them. */
export function secretGrant(
  secret: { readonly namespace: string; readonly name: string },
  verbs: readonly string[],
  { namespace, name }: ServiceAccountName = { namespace: "muster-system", name: operatorAccount },
): readonly KubeObject[] {
  const metadata = { namespace: secret.namespace, name: `muster-secret-${secret.name}` };
  const rules = [{ apiGroups: [""], resources: ["secrets"], resourceNames: [secret.name], verbs }];
  return [
    { apiVersion: `${rbac}/v1`, kind: "Role", metadata, rules },
    {
      apiVersion: `${rbac}/v1`,
      kind: "RoleBinding",
      metadata,
      roleRef: { apiGroup: rbac, kind: "Role", name: metadata.name },
      subjects: [{ kind: "ServiceAccount", namespace, name }],
    },
  ];
}
