import { defaultKinds, type IdentityType, type TenantSpec } from "#src/api/tenant.ts";
import { isBelow, isWithin } from "#src/platform-client/uid.ts";

/** The outer bound of every Tenant: the operator's settings. */
export interface OuterBound {
  /** The uids of groups. */
  readonly roots: readonly string[];
  /** Names of built-in roles, or uids. */
  readonly roles: readonly string[];
  /** Names of namespaces; null: all. */
  readonly namespaces: readonly string[] | null;
}

/**
 * What the objects of a Tenant may use, within the outer bound. Everything else is denied: to create a RoleBinding object
 * must not be a way to become owner. Plain data.
 */
export interface Boundary {
  /** The uids of groups. Managed resources lie below them. */
  readonly groups: readonly string[];
  /** The uids of the groups below which the operator's settings let anybody use resources, such as those that another Tenant granted. */
  readonly outerGroups: readonly string[];
  /** The roles that the Tenant lets its objects bind: names of built-in roles, or uids. */
  readonly roles: readonly string[];
  /** The roles that the operator's settings let anybody bind. */
  readonly outerRoles: readonly string[];
  readonly identityTypes: readonly IdentityType[];
  /** Null: all accounts. */
  readonly awsAccounts: readonly string[] | null;
  /** Null: all projects. */
  readonly googleProjects: NonNullable<TenantSpec["googleProjects"]> | null;
  /** Null: all tenants. */
  readonly azureTenants: readonly string[] | null;
  /** Null: all installations. */
  readonly githubInstallations: readonly string[] | null;
  /** Null: all issuers. */
  readonly claimIssuers: NonNullable<TenantSpec["claimIssuers"]> | null;
  /** Null: all kinds. */
  readonly kinds: readonly string[] | null;
  /** The kinds whose resources may be adopted. */
  readonly adopt: readonly string[];
  readonly allowOrphan: boolean;
  readonly undeclared: TenantSpec["undeclared"];
}

/** The boundary of a Tenant within the outer bound. A group that is only partly within it is narrowed. */
export function boundaryOf(spec: TenantSpec, outer: OuterBound): Boundary {
  return {
    groups: commonGroups(spec.groups ?? [], outer.roots),
    outerGroups: outer.roots,
    roles: spec.roles ?? [],
    outerRoles: outer.roles,
    identityTypes: spec.identityTypes,
    awsAccounts: spec.awsAccounts ?? [],
    googleProjects: spec.googleProjects ?? [],
    azureTenants: spec.azureTenants ?? [],
    githubInstallations: spec.githubInstallations ?? [],
    claimIssuers: spec.claimIssuers ?? [],
    kinds: spec.kinds ?? defaultKinds,
    adopt: spec.adopt ?? [],
    allowOrphan: spec.allowOrphan,
    undeclared: spec.undeclared,
  };
}

/** The groups whose subtrees lie within a group of both lists. */
export function commonGroups(some: readonly string[], others: readonly string[]): string[] {
  const common = some.flatMap((group) =>
    others.some((other) => isWithin(group, other)) ? [group] : others.filter((other) => isBelow(other, group)),
  );
  return [...new Set(common)];
}

/** The groups without those that are below another one of them. */
export function outermostGroups(groups: readonly string[]): string[] {
  return [...new Set(groups)].filter((group) => !groups.some((other) => isBelow(group, other)));
}

export function permitsParent({ groups }: Boundary, group: string): boolean {
  return groups.some((one) => isWithin(group, one));
}

/** Whether a resource with this uid may be managed, or an identity with it may get a role. */
export function permitsResource({ groups }: Boundary, uid: string): boolean {
  return groups.some((group) => isBelow(uid, group));
}

export function permitsKind({ kinds }: Boundary, kind: string): boolean {
  return kinds === null || kinds.includes(kind);
}
