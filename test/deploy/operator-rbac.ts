import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { kustomize } from "./kustomize.ts";

export interface ServiceAccountName {
  readonly namespace: string;
  readonly name: string;
}

/** The service account of the deployed operator. */
export const operatorAccount: ServiceAccountName = { namespace: "muster-system", name: "muster-operator" };

/**
 * Loads the RBAC objects of `deploy/kustomize`. The function that it returns binds the roles to an account in the given
 * namespaces, so that a test can run an operator with the permissions of a deployed one.
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
