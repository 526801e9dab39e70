import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { kustomize } from "./kustomize.ts";

export interface ServiceAccountName {
  readonly namespace: string;
  readonly name: string;
}

/** The account that the operator is deployed with. */
export const operatorAccount: ServiceAccountName = { namespace: "muster-system", name: "muster-operator" };

/**
 * What `deploy/kustomize` lets the operator do in Kubernetes: the roles as they are, and their bindings in the given
 * namespaces, for the given account. A test that runs an operator under them runs it as it would be deployed.
 */
export async function loadOperatorRbac(): Promise<
  (account: ServiceAccountName, watchedNamespaces: readonly string[]) => readonly KubeObject[]
> {
  const isRbac = ({ apiVersion }: KubeObject) => apiVersion.startsWith("rbac.authorization.k8s.io/");
  const base = (await kustomize("base")).filter(isRbac);
  const watched = (await kustomize("watched-namespace")).filter(isRbac);
  return (account, watchedNamespaces) => {
    const forAccount = (object: KubeObject): KubeObject =>
      object["subjects"] === undefined
        ? object
        : { ...object, subjects: [{ kind: "ServiceAccount", name: account.name, namespace: account.namespace }] };
    return [
      ...base,
      ...watchedNamespaces.flatMap((namespace) =>
        watched.map((object) => ({ ...object, metadata: { ...object.metadata, namespace } })),
      ),
    ].map(forAccount);
  };
}
