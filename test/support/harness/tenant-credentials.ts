import { createTenantIdentity } from "./operator-identity.ts";
import type { System } from "./system.ts";
import { operatorAccount } from "./system.ts";

/**
 * Creates what a Tenant with credentials of its own needs: an identity on the platform that owns `group`, the service
 * account that assumes it, and the operator's permission to request tokens of this account.
 * @returns the uid of the identity
 */
export async function createTenantCredentials(system: System, tenant: string, group: string): Promise<string> {
  const { admin, controlPlane, operatorNamespace: namespace, platformUrl } = system;
  const account = { namespace, name: `muster-tenant-${tenant}` };
  const identity = await createTenantIdentity(admin, group, controlPlane, account, new URL(platformUrl).hostname);
  await controlPlane.admin.apply({ apiVersion: "v1", kind: "ServiceAccount", metadata: account });
  await controlPlane.admin.apply({
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "Role",
    metadata: account,
    rules: [
      { apiGroups: [""], resources: ["serviceaccounts/token"], resourceNames: [account.name], verbs: ["create"] },
    ],
  });
  await controlPlane.admin.apply({
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "RoleBinding",
    metadata: account,
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: account.name },
    subjects: [{ kind: "ServiceAccount", namespace, name: operatorAccount }],
  });
  return identity;
}
