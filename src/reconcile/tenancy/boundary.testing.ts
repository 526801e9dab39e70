import type { Boundary, OuterBound } from "./boundary.ts";

/** The boundary that permits everything within the outer bound. */
export function everything({ roots, roles }: OuterBound): Boundary {
  return {
    groups: roots,
    outerGroups: roots,
    roles,
    outerRoles: roles,
    identityTypes: ["ServiceAccount", "ClaimMatch", "StaticKeys", "Aws"],
    awsAccounts: null,
    googleProjects: null,
    azureTenants: null,
    githubInstallations: null,
    claimIssuers: null,
    kinds: null,
    adopt: ["Group", "Identity", "Role", "RoleBinding"],
    allowOrphan: true,
    undeclared: "Remove",
  };
}
