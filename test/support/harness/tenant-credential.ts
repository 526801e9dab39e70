import { createTenantIdentity } from "./operator-identity.ts";
import { operatorAccount, type System } from "./system.ts";

/**
 * Creates what a Tenant with credentials of its own needs: its service account, for which operators may request tokens, and
 * the identity that this account assumes, an owner of `group`.
 * @param audience of the account's tokens on the platform; by default its host name.
 * @returns the uid of the identity
 */
export async function createTenantCredential(
  { admin, controlPlane, operatorNamespace: namespace, platformUrl }: System,
  tenant: string,
  group: string,
  audience: string = new URL(platformUrl).hostname,
): Promise<string> {
  const account = { namespace, name: `muster-tenant-${tenant}` };
  const identity = await createTenantIdentity(admin, group, controlPlane, account, audience);
  const rbac = { apiVersion: "rbac.authorization.k8s.io/v1", metadata: account };
  const apiGroup = "rbac.authorization.k8s.io";
  const objects = [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: account },
    {
      ...rbac,
      kind: "Role",
      rules: [
        { apiGroups: [""], resources: ["serviceaccounts/token"], resourceNames: [account.name], verbs: ["create"] },
      ],
    },
    {
      ...rbac,
      kind: "RoleBinding",
      roleRef: { apiGroup, kind: "Role", name: account.name },
      subjects: [{ kind: "ServiceAccount", namespace, name: operatorAccount }],
    },
  ];
  for (const object of objects) await controlPlane.admin.apply(object);
  return identity;
}
