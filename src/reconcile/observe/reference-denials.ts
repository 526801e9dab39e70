import type { Resource } from "#src/api/custom-resource.ts";
import type { Kind, ServiceAccountTokens } from "#src/kinds/kind.ts";
import type { ReferenceField, ReferencePurpose } from "#src/kinds/reference-field.ts";
import type { ExternalRole } from "#src/platform-client/permission-resources.ts";
import type { RoleCatalog } from "#src/platform-client/permissions.ts";
import { parentOf } from "#src/platform-client/uid.ts";
import { type Boundary, permitsKind, permitsParent, permitsResource } from "#src/reconcile/tenancy/boundary.ts";
import { type Denial, useOrAsk } from "#src/reconcile/tenancy/denial.ts";
import { findAccountDenial } from "#src/reconcile/tenancy/permits-accounts.ts";
import { excessOf } from "#src/reconcile/tenancy/permits-capabilities.ts";
import { findIdentityDenial, findIssuerDenial } from "#src/reconcile/tenancy/permits-identity.ts";
import { permitsRole } from "#src/reconcile/tenancy/permits-role.ts";
import { nearest } from "#src/text/nearest.ts";
import type { References } from "./observed.ts";
import type { FoundUid } from "./referenced-objects.ts";
import { shortList } from "#src/text/short-list.ts";

/** What the Tenant of an object permits. */
export interface TenantLimits {
  /** The name of the Tenant. */
  readonly tenant: string;
  readonly boundary: Boundary;
  /** Undefined until the roles have been read. */
  readonly roles: RoleCatalog | undefined;
  /** Whether an object of any Tenant manages the role with this uid. */
  readonly isDeclaredRole: (uid: string) => boolean;
  /** The capabilities that the role of an object has on the platform; undefined if they are not known. */
  readonly capabilitiesOf: (role: string) => readonly string[] | undefined;
  /** Whether an operator or a Tenant uses the identity as its credential. No object may bind a role to such an identity. */
  readonly isCredential: (identity: string) => boolean;
  readonly serviceAccounts: ServiceAccountTokens;
  /** Issuers at which anybody can have an account, in addition to the built-in list. */
  readonly publicIssuers: readonly string[];
}

type Denied = Extract<References, { are: "denied" }>;
type Unread = Extract<References, { are: "unread" }>;

/** What the spec says, apart from its references, that the Tenant does not permit, or may not. */
export function findSpecDenial(kind: Kind, resource: Resource, limits: TenantLimits): Denied | Unread | undefined {
  const { tenant, boundary } = limits;
  if (!permitsKind(boundary, kind.name))
    return denied(
      `kind: Tenant ${tenant} does not allow objects of the kind ${kind.name} in this namespace. ${useOrAsk(boundary.kinds ?? [], "spec.kinds")}`,
    );
  // A resource below a group that is permitted is permitted. A root group, which can only be observed, is below none.
  const { uid } = resource.spec;
  if (
    uid !== undefined &&
    kind.references(resource).every(({ purpose }) => purpose !== "parent") &&
    !permitsParent(boundary, uid)
  )
    return denied(outsideGroups("spec.uid", `group ${uid}`, limits));
  const capabilities = kind.bindable?.desiredCapabilities(resource) ?? [];
  const excess = findExcess("spec.capabilities", capabilities, limits);
  if (excess !== undefined) return findUnknown("spec.capabilities", capabilities, limits.roles) ?? excess;
  const { vouching } = kind;
  const vouchingDenial =
    vouching === null ? undefined : findIssuerDenial(vouching.specPath, vouching.issuerOf(resource), boundary);
  if (vouchingDenial !== undefined) return deniedBy(tenant, vouchingDenial);
  const accounts = kind.linking?.accounts(resource) ?? {};
  const accountDenial = findAccountDenial(accounts, boundary);
  if (accountDenial !== undefined) return deniedBy(tenant, accountDenial);
  if (kind.principal === null) return undefined;
  const denial = findIdentityDenial(kind.principal.authentication(resource), boundary, {
    namespace: resource.metadata.namespace ?? "",
    clusterIssuer: limits.serviceAccounts.issuer,
    uploadsKeys: limits.serviceAccounts.uploaded !== undefined,
    publicIssuers: limits.publicIssuers,
  });
  return denial === undefined ? undefined : deniedBy(tenant, denial);
}

/** Whether the limits of the Tenant permit the use of a uid, whatever object has it. */
export function permitsUid(
  purpose: ReferencePurpose,
  uid: string,
  { boundary, roles }: Pick<TenantLimits, "boundary" | "roles">,
): boolean {
  switch (purpose) {
    case "parent":
      return permitsParent(boundary, uid);
    case "identity":
      return permitsResource(boundary, uid);
    case "role":
      return permitsRole(boundary, uid, builtInRole(uid, roles));
  }
}

function builtInRole(uid: string, roles: RoleCatalog | undefined): ExternalRole | undefined {
  return parentOf(uid) === undefined ? roles?.byUid.get(uid) : undefined;
}

/**
 * Why the object may not use the uid that a reference resolved to. A uid that another Tenant granted need not be in the
 * groups of this one. The rules are the same for a uid in the spec as for an object.
 */
export function findReferenceDenial(
  { purpose, path }: ReferenceField,
  { uid, through }: FoundUid,
  limits: TenantLimits,
): Denied | Unread | undefined {
  const { roles, isCredential } = limits;
  const isPermitted = permitsUid(purpose, uid, limits) || (purpose !== "role" && through === "grant");
  switch (purpose) {
    case "parent":
      return isPermitted ? undefined : denied(outsideGroups(path, `group ${uid}`, limits));
    case "identity":
      // In this order: whether an identity elsewhere is a credential is not disclosed.
      if (!isPermitted) return denied(outsideGroups(path, `identity ${uid}`, limits));
      return isCredential(uid)
        ? denied(
            `${path}: identity ${uid} is a credential of an operator or of a Tenant, whose role bindings Muster never manages. Use another identity.`,
          )
        : undefined;
    case "role":
      if (isPermitted) return undefined;
      // A role that is not known yet grants nothing: it is read before it is bound, by the check `roleUnread` of the policy, which comes
      // before each POST (`unclaimed.ts`) and before an equal role binding is taken over (`adoption.ts`).
      return through === "limits"
        ? denied(`${path}: ${roleDenial(builtInRole(uid, roles)?.name ?? uid, uid, limits)}`)
        : findExcess(path, limits.capabilitiesOf(uid) ?? [], limits);
  }
}

/** Which of the two lists of roles does not have the role. */
function roleDenial(name: string, uid: string, { tenant, boundary, roles }: TenantLimits): string {
  if (boundary.roles.includes(name) || boundary.roles.includes(uid))
    return `Tenant ${tenant} allows the role ${name} to be bound, but the operator's setting --allowed-role does not. Ask an administrator to add it there.`;
  const usable = usableRoles({ boundary, roles });
  return `Tenant ${tenant} does not allow the role ${name} to be bound. Use one of ${usable.join(", ") || "none"}, or ask an administrator to add it to spec.roles of the Tenant, and to the operator's setting --allowed-role if it is missing there.`;
}

/** The roles that may be bound, as the Tenant lists them. */
function usableRoles({ boundary, roles }: Pick<TenantLimits, "boundary" | "roles">): readonly string[] {
  return boundary.roles.filter((one) => {
    const builtIn = roles?.byName.get(one);
    return permitsRole(boundary, builtIn?.uid ?? one, builtIn);
  });
}

/** The capabilities of a role of an object that the Tenant does not permit. */
function findExcess(path: string, capabilities: readonly string[], limits: TenantLimits): Denied | Unread | undefined {
  const { tenant, roles } = limits;
  if (capabilities.length === 0) return undefined;
  if (roles === undefined) return { are: "unread" };
  const excess = excessOf(capabilities, { ...limits, roles });
  if (excess.length === 0) return undefined;
  return denied(
    `${path}: Tenant ${tenant} does not allow ${shortList(excess)}: none of the roles that it allows (${shortList(usableRoles(limits)) || "none yet"}) has it, where roles of Role objects do not count. Remove it from the role, or ask an administrator to add a role that has it to spec.roles of the Tenant, and to the operator's setting --allowed-role.`,
  );
}

/** The capabilities that no role has, not even those of the platform, such as a mistyped one. */
function findUnknown(
  path: string,
  capabilities: readonly string[],
  roles: RoleCatalog | undefined,
): Denied | undefined {
  const known = new Set([...(roles?.byUid.values() ?? [])].flatMap((role) => role.capabilities));
  const unknown = capabilities.filter((capability) => !known.has(capability));
  const [first] = unknown;
  if (roles === undefined || first === undefined) return undefined;
  const guess = unknown.length === 1 ? nearest(first, [...known]) : undefined;
  return denied(
    `${path}: no role of the platform has ${shortList(unknown)}. ${guess === undefined ? "Correct the name." : `Did you mean ${guess}?`}`,
  );
}

function outsideGroups(
  path: string,
  resource: string,
  { tenant, boundary }: Pick<TenantLimits, "tenant" | "boundary">,
): string {
  const { groups } = boundary;
  const inside = groups.length === 0 ? "It has none yet: a" : `Use one in or below ${shortList(groups)}, or a`;
  return `${path}: ${resource} is outside of the groups of Tenant ${tenant}. ${inside}sk an administrator to add a group above it to spec.groups of the Tenant, and to the operator's setting --root-group if it is outside of all root groups.`;
}

/** A denial with the name of the Tenant, which nothing else tells people who may not read Tenants. */
function deniedBy(tenant: string, { path, message }: Denial): Denied {
  return denied(`${path}: ${message.replace(/\b[Tt]he Tenant\b/, () => `Tenant ${tenant}`)}`);
}

function denied(message: string): Denied {
  return { are: "denied", message };
}
