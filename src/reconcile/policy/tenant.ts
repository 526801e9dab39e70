import { abandonAnnotation } from "#src/api/annotations.ts";
import type { ExternalResource } from "#src/reconcile/observe/observed.ts";
import { startSentence } from "#src/text/sentence.ts";
import type { DecisionInput } from "./decision-input.ts";
import { identificationOf } from "./identification-of.ts";
import { type Problem, stalled } from "./outcome.ts";

// What the Tenant of an object's namespace says. Each check is named after the problem that it finds.

/** Not exactly one Tenant governs the object. */
export function findUngoverned({ tenant }: DecisionInput): Problem | undefined {
  switch (tenant.is) {
    case "none":
      return stalled("NoTenant", noTenantMessage());
    case "several":
      return stalled("Overlap", overlapMessage());
    case "known":
      return undefined;
  }
}

/** The Tenant only completes deletions: it is being deleted, or no longer selects the namespace. */
export function findOnlyDeletions({ tenant }: DecisionInput): Problem | undefined {
  return tenant.is === "known" && tenant.serves === "deletions"
    ? stalled("NoTenant", servesDeletionsMessage(tenant.name))
    : undefined;
}

/** The resource lies outside of the Tenant's groups: the Tenant was narrowed after the resource was recorded. */
export function findOutsideTenant({ tenant, kind }: DecisionInput, uid: string): Problem | undefined {
  if (tenant.is === "known" && tenant.groups.some((group) => kind.collection.uids.isBelow(uid, group)))
    return undefined;
  return stalled("TenantDenied", outsideTenantMessage(tenantName(tenant), kind.noun));
}

/**
 * The resource must not be deleted, or released, because it lies outside of the Tenant's groups. What the object created in
 * a group that another Tenant granted goes with the object also after the grant was revoked. A forged status must not be
 * enough for that: the resource carries the marker of the object, it is a grant to an identity of this Tenant, or it has a
 * code and what the status and the spec, which cannot be changed, say of it; or this process created it.
 * @param found the resource, once it is known.
 */
export function findEndingDenied(observed: DecisionInput, uid: string, found?: ExternalResource): Problem | undefined {
  const outside = findOutsideTenant(observed, uid);
  const { tenant, kind, resource, state } = observed;
  if (outside === undefined || tenant.is !== "known" || !tenant.parentIsForeign) return outside;
  if (state.issued?.uid === uid || state.posted?.created?.uid === uid) return undefined;
  const { status } = resource;
  const isRecorded = status?.uid === uid && status.parentUid === kind.collection.uids.parentOf(uid);
  if (isRecorded && (found === undefined || identificationOf(observed).provesOurs(observed, tenant.groups, found)))
    return undefined;
  return stalled("TenantDenied", grantRevokedMessage(kind.noun, resource.metadata.namespace ?? ""));
}

/** The Tenant does not allow existing resources of this kind to be adopted. */
export function findAdoptionDenied({ tenant, kind }: DecisionInput): Problem | undefined {
  return tenant.is === "known" && tenant.mayAdopt
    ? undefined
    : stalled("TenantDenied", adoptionDeniedMessage(tenantName(tenant), kind.name, kind.noun));
}

/** The Tenant does not allow resources to be left behind on the platform. */
export function findOrphanDenied({ tenant, kind }: DecisionInput, field: string): Problem | undefined {
  return tenant.is === "known" && tenant.mayOrphan
    ? undefined
    : stalled("TenantDenied", orphanDeniedMessage(tenantName(tenant), kind.noun, field));
}

/** Undefined if not exactly one Tenant governs the object. */
export function tenantName(tenant: DecisionInput["tenant"]): string | undefined {
  return tenant.is === "known" ? tenant.name : undefined;
}

// What they say. Messages name the Tenant: people who may edit a namespace may not read Tenants, and the status
// names one only together with a resource.

/** @param name undefined if not exactly one Tenant governs the object */
function theTenant(name: string | undefined): string {
  return name === undefined ? "the Tenant" : `Tenant ${name}`;
}

function noTenantMessage(): string {
  return "No Tenant selects the namespace of this object, so nothing is done for it. Ask an administrator to add the namespace to a Tenant.";
}

function overlapMessage(): string {
  return "Several Tenants select the namespace of this object, so nothing is done for it. Ask an administrator to change the namespaces of all of them but one.";
}

function servesDeletionsMessage(tenant: string): string {
  return `Tenant ${tenant}, to which this object belongs, is being deleted, or no longer selects the namespace, so it only completes deletions. Ask an administrator to add the namespace to a Tenant.`;
}

export function outsideTenantMessage(tenant: string | undefined, noun: string): string {
  return `The ${noun} of this object is outside of the groups of ${theTenant(tenant)}, so it is left unchanged. Ask an administrator to add its group to spec.groups of the Tenant; or, to delete this object and keep the ${noun}, to set the annotation ${abandonAnnotation}: "true".`;
}

function grantRevokedMessage(noun: string, namespace: string): string {
  return `The ${noun} of this object is in a group of another Tenant, which does not grant the use of the group to this namespace, and nothing proves that this object created the ${noun}, so it is left unchanged. Ask the owner of the parent that the spec names to add ${namespace} to its spec.allowedNamespaces; or, to delete this object and keep the ${noun}, ask an administrator to set the annotation ${abandonAnnotation}: "true".`;
}

export function mayHaveBeenCreatedMessage(noun: string): string {
  return `The Tenant does not permit what the spec of this object refers to, and the operator may have created the ${noun} when it was permitted, so the object is kept. Ask an administrator to permit it again; or, to delete this object and keep the ${noun}, to set the annotation ${abandonAnnotation}: "true".`;
}

export function outsideReachMessage(): string {
  return `The resource of this object is outside of the operator's root groups, so it is left unchanged. Ask an administrator to add its group to the operator's settings and to the Tenant; or, to delete this object and keep the resource, to set the annotation ${abandonAnnotation}: "true".`;
}

function adoptionDeniedMessage(tenant: string | undefined, kind: string, noun: string): string {
  return `${startSentence(theTenant(tenant))} does not allow an existing ${noun} to be adopted. Ask an administrator to add ${kind} to spec.adopt of the Tenant.`;
}

/** @param field the field of the spec that says so, with its value. */
function orphanDeniedMessage(tenant: string | undefined, noun: string, field: string): string {
  return `${field}: ${theTenant(tenant)} does not allow the ${noun} to be left on the platform without its object. Change the field, or ask an administrator to set spec.allowOrphan of the Tenant.`;
}
