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
 * The operator's permissions of `deploy/`, for another service account and other namespaces. Cluster-scoped objects get
 * the name `PREFIX-…`, so that those of an existing installation stay as they are.
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
      const isClusterScoped = kind.startsWith("Cluster");
      const renamed: KubeObject = {
        ...object,
        metadata: isClusterScoped
          ? { name: named(metadata.name) }
          : { name: metadata.name, namespace: account.namespace },
        ...(roleRef?.kind === "ClusterRole" ? { roleRef: { ...roleRef, name: named(roleRef.name) } } : {}),
        ...(subjects === undefined ? {} : { subjects: [{ kind: "ServiceAccount", ...account }] }),
      };
      if (isClusterScoped || metadata.namespace !== undefined) return [renamed];
      return namespaces.map((namespace) => ({ ...renamed, metadata: { ...renamed.metadata, namespace } }));
    });
}

/** The cluster-scoped objects of `readOperatorRbac`, to delete them. */
export function clusterScopedRbac(prefix: string): readonly KubeObject[] {
  const apiVersion = "rbac.authorization.k8s.io/v1";
  return [
    { apiVersion, kind: "ClusterRoleBinding", metadata: { name: `${prefix}-muster-operator` } },
    { apiVersion, kind: "ClusterRole", metadata: { name: `${prefix}-muster-operator` } },
    { apiVersion, kind: "ClusterRole", metadata: { name: `${prefix}-muster-watched-namespace` } },
  ];
}
