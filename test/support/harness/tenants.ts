import type { KubeObject, ObjectRef } from "#test/support/control-plane/kube-client.ts";

import { musterKinds } from "./muster-objects.ts";

const apiVersion = "iam.muster.dev/v1beta1";
/** The issuers that the tests name. Patterns of subjects at a public issuer need prefixes. */
const claimIssuers = [
  { issuer: "https://issuer.example" },
  { issuer: "https://issuer.example.com" },
  { issuer: "https://accounts.example.com" },
  { issuer: "https://token.actions.githubusercontent.com", subjectPrefixes: ["repo:example/"] },
];

export interface PermissiveTenantOptions {
  readonly namespaces: readonly string[];
  readonly groups: readonly string[];
  readonly roles: readonly string[];
  /** Absent: `musterKinds`. */
  readonly kinds?: readonly string[];
  /** Absent: `musterKinds`. */
  readonly adopt?: readonly string[];
}

export function tenantObject(name: string, spec: object): KubeObject {
  return { apiVersion, kind: "Tenant", metadata: { name }, spec };
}

export function tenantRef(name: string): ObjectRef {
  return { apiVersion, kind: "Tenant", metadata: { name } };
}

/** A Tenant that permits everything that a Tenant can permit within its groups and roles. */
export function permissiveTenant(name: string, options: PermissiveTenantOptions): KubeObject {
  return tenantObject(name, {
    ...options,
    identityTypes: ["ServiceAccount", "ClaimMatch", "StaticKeys", "Aws"],
    claimIssuers,
    awsAccounts: ["123456789012"],
    googleProjects: [{ projectId: "acme-shop", projectNumber: "123456789012" }],
    azureTenants: ["6f9a2f5e-0d0c-4a53-9d3d-5a1c2b3d4e5f"],
    githubInstallations: ["41234567"],
    kinds: options.kinds ?? musterKinds,
    adopt: options.adopt ?? musterKinds,
    allowOrphan: true,
  });
}
