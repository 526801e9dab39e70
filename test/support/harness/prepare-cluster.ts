import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import type { Cluster } from "./cluster.ts";
import { customResourceDefinitions, isEstablished } from "./custom-resource-definitions.ts";

export interface ServiceAccountName {
  readonly namespace: string;
  readonly name: string;
}

/** The permissions of the operator's service account in Kubernetes. */
export type OperatorRbac = (account: ServiceAccountName, namespaces: readonly string[]) => readonly KubeObject[];

/** Creates what operators need in a cluster: the CRDs, the namespaces, the service account and its permissions. */
export async function prepareCluster(
  { admin }: Cluster,
  account: ServiceAccountName,
  namespaces: readonly string[],
  rbac: OperatorRbac = clusterAdmin,
): Promise<void> {
  const definitions = await customResourceDefinitions();
  const awaited: KubeObject[] = [];
  for (const definition of definitions) {
    const found = await admin.find(definition);
    // CRDs that a user's cluster already has stay as they are.
    if (found === undefined) await admin.apply(definition);
    if (!isEstablished(found)) awaited.push(definition);
  }
  for (const definition of awaited) await admin.waitFor(definition, (object) => isEstablished(object));
  for (const name of [account.namespace, ...namespaces])
    await admin.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
  await admin.apply({ apiVersion: "v1", kind: "ServiceAccount", metadata: account });
  for (const object of rbac(account, namespaces)) await admin.apply(object);
}

function clusterAdmin({ namespace, name }: ServiceAccountName): KubeObject[] {
  return [
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata: { name: "muster-test" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
      subjects: [{ kind: "ServiceAccount", namespace, name }],
    },
  ];
}
