import type { Resource } from "#src/api/custom-resource.ts";
import type { Kind, ReferenceField, ServiceAccountTokens } from "#src/kinds/kind.ts";
import type { RoleCatalog } from "#src/platform-client/permissions.ts";
import { parentOf } from "#src/platform-client/uid.ts";
import {
  type Boundary,
  permitsKind,
  permitsParent,
  permitsResource,
  permitsRole,
} from "#src/reconcile/tenancy/boundary.ts";
import { findIdentityDenial, findIssuerDenial } from "#src/reconcile/tenancy/permits-identity.ts";
import type { References } from "./observed.ts";

/** What the Tenant of an object permits. */
export interface TenantLimits {
  /** The name of the Tenant. */
  readonly tenant: string;
  readonly boundary: Boundary;
  /** Undefined until the roles have been read. */
  readonly roles: RoleCatalog | undefined;
  /** Whether an operator or a Tenant uses the identity as its credential. No object may bind a role to such an identity. */
  readonly isCredential: (identity: string) => boolean;
  readonly serviceAccounts: ServiceAccountTokens;
  /** Issuers at which anybody can have an account, in addition to the built-in list. */
  readonly publicIssuers: readonly string[];
}

type Denied = Extract<References, { are: "denied" }>;

/** What the spec says, apart from its references, that the Tenant does not permit. */
export function findSpecDenial(kind: Kind, resource: Resource, limits: TenantLimits): Denied | undefined {
  const { tenant, boundary } = limits;
  if (!permitsKind(boundary, kind.name))
    return denied(
      `kind: Tenant ${tenant} does not allow objects of the kind ${kind.name} in this namespace. Ask an administrator to add it to spec.kinds of the Tenant.`,
    );
  // A resource below a group that is permitted is permitted. A root group, which can only be observed, is below none.
  const { uid } = resource.spec;
  if (
    uid !== undefined &&
    kind.references(resource).every(({ role }) => role !== "parent") &&
    !permitsParent(boundary, uid)
  )
    return denied(outsideGroups("spec.uid", `group ${uid}`, tenant));
  const { vouching } = kind;
  const vouchingDenial =
    vouching === null ? undefined : findIssuerDenial(vouching.specPath, vouching.issuerOf(resource), boundary);
  if (vouchingDenial !== undefined) return denied(`${vouchingDenial.path}: ${vouchingDenial.message}`);
  if (kind.principal === null) return undefined;
  const denial = findIdentityDenial(kind.principal.authentication(resource), boundary, {
    namespace: resource.metadata.namespace ?? "",
    clusterIssuer: limits.serviceAccounts.issuer,
    uploadsKeys: limits.serviceAccounts.uploaded !== undefined,
    publicIssuers: limits.publicIssuers,
  });
  return denial === undefined ? undefined : denied(`${denial.path}: ${denial.message}`);
}

/**
 * Why the object may not use the uid that a reference resolved to. A uid that another Tenant granted need not be in the
 * groups of this one. The rules are the same for a uid in the spec as for an object.
 */
export function findReferenceDenial(
  { role, path }: ReferenceField,
  { uid, isGranted }: { readonly uid: string; readonly isGranted: boolean },
  { tenant, boundary, roles, isCredential }: TenantLimits,
): Denied | undefined {
  switch (role) {
    case "parent":
      return isGranted || permitsParent(boundary, uid)
        ? undefined
        : denied(outsideGroups(path, `group ${uid}`, tenant));
    case "identity":
      // In this order: whether an identity elsewhere is a credential is not disclosed.
      if (!isGranted && !permitsResource(boundary, uid)) return denied(outsideGroups(path, `identity ${uid}`, tenant));
      return isCredential(uid)
        ? denied(
            `${path}: identity ${uid} is a credential of an operator or of a Tenant, whose role bindings Muster never manages. Use another identity.`,
          )
        : undefined;
    case "role": {
      const builtIn = parentOf(uid) === undefined ? roles?.byUid.get(uid) : undefined;
      if (permitsRole(boundary, uid, builtIn)) return undefined;
      return denied(
        `${path}: Tenant ${tenant} does not allow the role ${builtIn?.name ?? uid} to be bound. Use one of ${boundary.roles.join(", ") || "none"}, or ask an administrator to add it to spec.roles of the Tenant, and to the operator's setting --allowed-role if it is missing there.`,
      );
    }
  }
}

function outsideGroups(path: string, resource: string, tenant: string): string {
  return `${path}: ${resource} is outside of the groups of Tenant ${tenant}. Use one inside, or ask an administrator to add a group above it to spec.groups of the Tenant, and to the operator's setting --root-group if it is outside of all root groups.`;
}

function denied(message: string): Denied {
  return { are: "denied", message };
}
