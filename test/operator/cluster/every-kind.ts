import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { allMusterKinds, musterObject } from "#test/support/harness/muster-objects.ts";
import { secretGrant } from "#test/support/harness/secret-grant.ts";
import { clientSecret, emptySecret } from "#test/support/harness/secret-objects.ts";
import { allowedRoles } from "#test/support/harness/system.ts";
import { permissiveTenant } from "#test/support/harness/tenants.ts";

export const plantedClientSecret = "planted-client-secret-3f6b";
const issuer = "https://accounts.example.com";
const groupRef = { name: "shop" };

/** One object of each kind, each of which refers to the others where it can. A child may come before its parent. */
export function everyKind(root: string, namespace: string): readonly KubeObject[] {
  return [
    musterObject("GroupInvite", namespace, "ada", {
      groupRef,
      roleRef: { name: "viewer" },
      email: "ada@example.com",
      expiresAt: new Date(Date.now() + 86_400_000).toISOString().replace(/\.\d+Z$/, "Z"),
      secretRef: { name: "invite-ada" },
    }),
    musterObject("AccountAssociation", namespace, "cloud", { groupRef, amazon: { account: "123456789012" } }),
    musterObject("IdentityProvider", namespace, "people", {
      groupRef,
      issuer,
      clientId: "muster",
      clientSecretRef: { name: "login" },
      defaultRoleRef: { name: "viewer" },
    }),
    musterObject("RoleBinding", namespace, "builds-scan", {
      groupRef,
      identityRef: { name: "builds" },
      roleRef: { kind: "Role", name: "scanner" },
    }),
    musterObject("Role", namespace, "scanner", { groupRef, capabilities: ["CAP_REPO_LIST"] }),
    musterObject("Identity", namespace, "builds", {
      groupRef,
      claimMatch: { issuer: "https://issuer.example", subject: `builds of ${namespace}` },
    }),
    musterObject("Group", namespace, "shop", { parentUid: root, name: `shop of ${namespace}` }),
  ];
}

/** The Secrets that the objects of `everyKind` name, and the permissions to use them. */
export function secretsOfEveryKind(namespace: string): readonly KubeObject[] {
  return [
    clientSecret(namespace, "login", issuer, plantedClientSecret),
    emptySecret(namespace, "invite-ada"),
    ...secretGrant({ namespace, name: "login" }, ["get"]),
    ...secretGrant({ namespace, name: "invite-ada" }, ["get", "patch"]),
  ];
}

/** A Tenant that permits every kind. */
export function tenantOfEveryKind(root: string, namespaces: readonly string[]): KubeObject[] {
  return [permissiveTenant("test", { namespaces, groups: [root], roles: allowedRoles, kinds: allMusterKinds })];
}
