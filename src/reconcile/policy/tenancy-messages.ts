import { abandonAnnotation } from "#src/api/annotations.ts";
import { startSentence } from "#src/text/sentence.ts";

// What a Tenant, or the operator's own limits, do not permit. Messages name the Tenant: people who may edit a namespace may not
// read Tenants, and the status names one only together with a resource.

/** @param name undefined if not exactly one Tenant governs the object */
function theTenant(name: string | undefined): string {
  return name === undefined ? "the Tenant" : `Tenant ${name}`;
}

export function noTenant(): string {
  return "No Tenant selects the namespace of this object, so nothing is done for it. Ask an administrator to add the namespace to a Tenant.";
}

export function overlap(): string {
  return "Several Tenants select the namespace of this object, so nothing is done for it. Ask an administrator to change the namespaces of all of them but one.";
}

export function servesDeletions(tenant: string): string {
  return `Tenant ${tenant}, to which this object belongs, is being deleted, or no longer selects the namespace, so it only completes deletions. Ask an administrator to add the namespace to a Tenant.`;
}

export function outsideTenant(tenant: string | undefined, noun: string): string {
  return `The ${noun} of this object is outside of the groups of ${theTenant(tenant)}, so it is left unchanged. Ask an administrator to add its group to spec.groups of the Tenant; or, to delete this object and keep the ${noun}, to set the annotation ${abandonAnnotation}: "true".`;
}

export function grantRevoked(noun: string, namespace: string): string {
  return `The ${noun} of this object is in a group of another Tenant, which does not grant the use of the group to this namespace, and nothing proves that this object created the ${noun}, so it is left unchanged. Ask the owner of the parent that the spec names to add ${namespace} to its spec.allowedNamespaces; or, to delete this object and keep the ${noun}, ask an administrator to set the annotation ${abandonAnnotation}: "true".`;
}

export function mayHaveBeenCreated(noun: string): string {
  return `The Tenant does not permit what the spec of this object refers to, and the operator may have created the ${noun} when it was permitted, so the object is kept. Ask an administrator to permit it again; or, to delete this object and keep the ${noun}, to set the annotation ${abandonAnnotation}: "true".`;
}

export function outsideReach(): string {
  return `The resource of this object is outside of the operator's root groups, so it is left unchanged. Ask an administrator to add its group to the operator's settings and to the Tenant; or, to delete this object and keep the resource, to set the annotation ${abandonAnnotation}: "true".`;
}

export function adoptionDenied(tenant: string | undefined, kind: string, noun: string): string {
  return `${startSentence(theTenant(tenant))} does not allow an existing ${noun} to be adopted. Ask an administrator to add ${kind} to spec.adopt of the Tenant.`;
}

/** @param field the field of the spec that says so, with its value. */
export function orphanDenied(tenant: string | undefined, noun: string, field: string): string {
  return `${field}: ${theTenant(tenant)} does not allow the ${noun} to be left on the platform without its object. Change the field, or ask an administrator to set spec.allowOrphan of the Tenant.`;
}
