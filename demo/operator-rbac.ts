import { readFile } from "node:fs/promises";
import { parseAllDocuments } from "yaml";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";

const folder = new URL("../deploy/kustomize/base/", import.meta.url);
const files = ["cluster-role.yaml", "lease-role.yaml"];

/**
 * The operator's permissions of `deploy/`, for another service account. Cluster-scoped objects get the name `PREFIX-…`, so
 * that those of an existing installation stay as they are.
 */
export async function readOperatorRbac(
  prefix: string,
): Promise<(account: { namespace: string; name: string }) => readonly KubeObject[]> {
  const texts = await Promise.all(files.map((file) => readFile(new URL(file, folder), "utf8")));
  const objects = texts.flatMap((text) => parseAllDocuments(text)).map((document) => document.toJS() as KubeObject);
  const named = (name: string) => `${prefix}-${name}`;
  return (account) =>
    objects.map((object) => {
      const { kind, metadata, roleRef, subjects } = object;
      return {
        ...object,
        metadata: kind.startsWith("Cluster")
          ? { name: named(metadata.name) }
          : { name: metadata.name, namespace: account.namespace },
        ...(roleRef?.kind === "ClusterRole" ? { roleRef: { ...roleRef, name: named(roleRef.name) } } : {}),
        ...(subjects === undefined ? {} : { subjects: [{ kind: "ServiceAccount", ...account }] }),
        ...(kind === "Role" ? { rules: forLeaseOf(account.name, object) } : {}),
      };
    });
}

/** The Lease has the name of the operator's service account. */
function forLeaseOf(account: string, role: KubeObject): object[] {
  const rules: { resourceNames?: readonly string[] }[] = role["rules"];
  return rules.map((rule) => (rule.resourceNames === undefined ? rule : { ...rule, resourceNames: [account] }));
}

/** The cluster-scoped objects of `readOperatorRbac`, to delete them. */
export function clusterScopedRbac(prefix: string): readonly KubeObject[] {
  const apiVersion = "rbac.authorization.k8s.io/v1";
  return [
    { apiVersion, kind: "ClusterRoleBinding", metadata: { name: `${prefix}-muster-operator` } },
    { apiVersion, kind: "ClusterRole", metadata: { name: `${prefix}-muster-operator` } },
  ];
}
