import type { Resource } from "#src/api/custom-resource.ts";
import type { Kind } from "#src/kinds/kind.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";
import { type ExternalRoleBinding, roleBindings } from "#src/platform-client/permission-resources.ts";
import { isWithin, parentOf } from "#src/platform-client/uid.ts";
import { permitsParent, permitsResource } from "#src/reconcile/tenancy/boundary.ts";
import { excessOf } from "#src/reconcile/tenancy/permits-capabilities.ts";
import { permitsRole } from "#src/reconcile/tenancy/permits-role.ts";
import type { TenantContext } from "#src/reconcile/tenancy/tenancy.ts";
import { type DeclarationSources, declaredGrants } from "./declared-grants.ts";
import { capabilitiesOf, isDeclaredRole, isToRead } from "./declared-roles.ts";
import type { Grants } from "./observed.ts";
import { isUnknown } from "./operator-identities.ts";
import { type ProtectionSources, protectionOf } from "./protections.ts";

type GrantSources = ProtectionSources & DeclarationSources;

/** What was read of the role bindings of those of the resources that are identities or roles. */
export function grantsOf(
  sources: GrantSources,
  context: Pick<TenantContext, "session" | "boundary">,
  kind: Kind,
  resource: Resource,
  found: readonly ExternalResource[],
): readonly Grants[] {
  return found.flatMap(({ uid: of }) => {
    const grants = context.session.grantsOf(of);
    if (grants === undefined) return [];
    const { readAt, bindings } = grants;
    const { bindable } = kind;
    if (bindable === null) return [{ of, readAt, excess: [], ...ofIdentity(sources, context, resource, of, bindings) }];
    const excess = excessWithout(sources, context, of, bindable.desiredCapabilities(resource));
    return [{ of, readAt, excess, ...ofRole(sources, context, bindings) }];
  });
}

/** Those of `capabilities` that the Tenant does not permit once an object manages the role with this uid. */
function excessWithout(
  sources: GrantSources,
  { session: { roles }, boundary }: Pick<TenantContext, "session" | "boundary">,
  uid: string,
  capabilities: readonly string[],
): readonly string[] {
  if (roles === undefined) return [];
  const isDeclared = (role: string) => role === uid || isDeclaredRole(sources, role);
  return excessOf(capabilities, { boundary, roles, isDeclaredRole: isDeclared });
}

type Judged = Omit<Grants, "of" | "readAt" | "excess">;

/** The Tenant has to permit the role of each binding of an identity, in the group of the binding. */
function ofIdentity(
  sources: GrantSources,
  context: Pick<TenantContext, "session" | "boundary">,
  resource: Resource,
  uid: string,
  bindings: readonly ExternalRoleBinding[],
): Judged {
  const roles = new Map(bindings.map(({ role }) => [role.uid, judge(sources, context, role.uid)]));
  const judged = (is: Judgement) => [...roles.keys()].filter((role) => roles.get(role) === is);
  const denied = bindings.filter(
    (one) => roles.get(one.role.uid) === "denied" || !permitsParent(context.boundary, parentOf(one.uid) ?? ""),
  );
  return {
    denied: denied.map((one) => one.uid),
    declared: declaredGrants(sources, resource, uid, denied),
    deniedRoles: judged("denied").filter((role) => parentOf(role) !== undefined),
    roleToRead: judged("toRead")[0] ?? null,
    unknownIdentity: null,
  };
}

/** The Tenant has to permit the identity of each binding of a role. */
function ofRole(
  sources: ProtectionSources,
  context: Pick<TenantContext, "session" | "boundary">,
  bindings: readonly ExternalRoleBinding[],
): Judged {
  const denied = bindings.filter((binding) => !mayTakeOver(sources, context, binding));
  const unknown = bindings.find(({ identity }) => isUnknown(sources, context.session, identity.uid));
  return {
    denied: denied.map(({ uid }) => uid),
    declared: [],
    deniedRoles: [],
    roleToRead: null,
    unknownIdentity: unknown?.identity.uid ?? null,
  };
}

/** Whether a RoleBinding object of the Tenant could take over the role binding, as far as its identity goes. */
function mayTakeOver(
  sources: ProtectionSources,
  { session, boundary }: Pick<TenantContext, "session" | "boundary">,
  binding: ExternalRoleBinding,
): boolean {
  const kind = sources.kinds.find(({ collection }) => collection.name === roleBindings.name);
  if (kind === undefined || !permitsResource(boundary, binding.identity.uid)) return false;
  return protectionOf(sources, { session }, kind, binding) === undefined;
}

type Judgement = "permitted" | "denied" | "toRead";

/**
 * Whether the Tenant may bind the role: it lists it, or an object declares it and its capabilities permit that. They are read
 * again where the session can do that: somebody may have given the role more since.
 */
function judge(
  sources: GrantSources,
  { session, boundary }: Pick<TenantContext, "session" | "boundary">,
  uid: string,
): Judgement {
  const { roles } = session;
  const builtIn = parentOf(uid) === undefined ? roles?.byUid.get(uid) : undefined;
  if (permitsRole(boundary, uid, builtIn)) return "permitted";
  if (roles === undefined || !isDeclaredRole(sources, uid)) return "denied";
  if (session.groups.some((group) => isWithin(uid, group)) && isToRead(sources, session, uid)) return "toRead";
  const capabilities = capabilitiesOf(sources, uid);
  const limits = { boundary, roles, isDeclaredRole: (role: string) => isDeclaredRole(sources, role) };
  return capabilities !== undefined && excessOf(capabilities, limits).length === 0 ? "permitted" : "denied";
}
