import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { kustomize } from "./kustomize.ts";

export interface ServiceAccountName {
  readonly namespace: string;
  readonly name: string;
}

/** The service account of the deployed operator. */
export const operatorAccount: ServiceAccountName = { namespace: "muster-system", name: "muster-operator" };

/** What was built in this process, because most suites load it. */
const built = new Map<string, readonly KubeObject[]>();

/**
 * Loads the RBAC objects of the operator in `deploy/kustomize`. The function that it returns binds the roles to an account,
 * so that a test can run an operator with the permissions of a deployed one. The account's name is that of the Lease.
 * @param base the folder of the objects; another commit's, by its absolute path
 */
export async function loadOperatorRbac(base = "base"): Promise<(account: ServiceAccountName) => readonly KubeObject[]> {
  const objects = await (built.get(base) ?? kustomize(base));
  built.set(base, objects);
  const bindings = objects.filter(({ subjects }) => subjects !== undefined);
  const roles = objects.filter(({ kind, metadata: { name } }) =>
    bindings.some(({ roleRef }) => roleRef.kind === kind && roleRef.name === name),
  );
  return (account) => [
    ...roles.map((role) => (role.kind === "Role" ? { ...role, rules: forLeaseOf(account, role) } : role)),
    ...bindings.map((binding) => ({
      ...binding,
      subjects: [{ kind: "ServiceAccount", name: account.name, namespace: account.namespace }],
    })),
  ];
}

function forLeaseOf({ name }: ServiceAccountName, role: KubeObject): object[] {
  const rules: { resourceNames?: readonly string[] }[] = role["rules"];
  return rules.map((rule) => (rule.resourceNames === undefined ? rule : { ...rule, resourceNames: [name] }));
}
