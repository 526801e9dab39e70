import { readFile } from "node:fs/promises";
import { parseAllDocuments } from "yaml";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";

const folder = new URL("../deploy/kustomize/", import.meta.url);
const files = [
  "base/cluster-role.yaml",
  "base/watched-namespace-role.yaml",
  "base/lease-role.yaml",
  "watched-namespace/role-binding.yaml",
];

/**
 * What `deploy/` lets the operator do in Kubernetes and no more, for another account and namespace. What is the
 * cluster's is called `PREFIX-…`, so that an installation that is there keeps its own.
 */
export async function readOperatorRbac(
  prefix: string,
): Promise<(account: { namespace: string; name: string }, namespaces: readonly string[]) => readonly KubeObject[]> {
  const texts = await Promise.all(files.map((file) => readFile(new URL(file, folder), "utf8")));
  const objects = texts.flatMap((text) => parseAllDocuments(text)).map((document) => document.toJS() as KubeObject);
  const named = (name: string) => `${prefix}-${name}`;
  return (account, namespaces) =>
    objects.flatMap((object) => {
      const { kind, metadata, roleRef, subjects } = object;
      const isOfCluster = kind.startsWith("Cluster");
      const ours: KubeObject = {
        ...object,
        metadata: isOfCluster ? { name: named(metadata.name) } : { name: metadata.name, namespace: account.namespace },
        ...(roleRef?.kind === "ClusterRole" ? { roleRef: { ...roleRef, name: named(roleRef.name) } } : {}),
        ...(subjects === undefined ? {} : { subjects: [{ kind: "ServiceAccount", ...account }] }),
      };
      if (isOfCluster || metadata.namespace !== undefined) return [ours];
      return namespaces.map((namespace) => ({ ...ours, metadata: { ...ours.metadata, namespace } }));
    });
}

/** The names of those of them that are the cluster's. */
export function clusterScopedRbac(prefix: string): readonly KubeObject[] {
  const apiVersion = "rbac.authorization.k8s.io/v1";
  return [
    { apiVersion, kind: "ClusterRoleBinding", metadata: { name: `${prefix}-muster-operator` } },
    { apiVersion, kind: "ClusterRole", metadata: { name: `${prefix}-muster-operator` } },
    { apiVersion, kind: "ClusterRole", metadata: { name: `${prefix}-muster-watched-namespace` } },
  ];
}
