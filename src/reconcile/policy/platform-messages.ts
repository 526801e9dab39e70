import type { ReferenceField } from "#src/kinds/reference-field.ts";
import { sentence } from "#src/text/sentence.ts";
import { shortList } from "#src/text/short-list.ts";

// Platform calls that failed.

export const actingIdentity =
  "the identity that the operator uses here (its own, or the one in spec.credentials of the Tenant)";

export function specRejected(details: string): string {
  return `The platform rejected the spec: ${sentence(details)}`;
}

/** @param children those that are known. */
export function notEmpty(noun: string, details: string, children: readonly string[]): string {
  const found =
    children.length === 0
      ? `refer to it: ${sentence(details)}`
      : `refer to it (${details}). These other resources are in it: ${shortList(children)}.`;
  return `The platform does not delete the ${noun} while other resources are in it or ${found} Delete those, on the platform or by their objects, or, if the Tenant allows it, keep the ${noun} there with spec.policy.deletion: Orphan.`;
}

export function preconditionFailed(details: string): string {
  return `The platform rejected the request because of the state of a resource: ${sentence(details)} Change what it names; the operator retries once an hour.`;
}

export function tokenRejected(details: string): string {
  return `The platform rejected the operator's token: ${sentence(details)} The operator exchanges another one, at most once a minute; if this lasts, check its setting --platform-url, which must be the platform's --base-url.`;
}

export function permissionDenied(details: string): string {
  return `The platform denied the request: ${sentence(details)} Bind a role with this permission, in that group or above, to ${actingIdentity}.`;
}

export function referencedNotFound(noun: string, details: string): string {
  return `The platform did not find a resource that the ${noun} refers to, or does not let the operator see it: ${sentence(details)} Check the uids in the spec, and the roles of ${actingIdentity}.`;
}

/** @param hasName whether resources of the kind have names, by which they can be adopted. */
export function alreadyExists(noun: string, details: string, hasName: boolean): string {
  if (!hasName)
    return `The platform already has an equal ${noun}, which the operator cannot see: ${sentence(details)} Let ${actingIdentity} list every ${noun} in that group, or delete this object; the platform is left unchanged.`;
  return `The platform already has this ${noun}: ${sentence(details)} Choose another name, or, if the Tenant allows adoption, set spec.policy.adoption: IfExists to manage the existing ${noun}.`;
}

export function rateLimited(details: string): string {
  return `The platform limits the operator's requests: ${sentence(details)} The operator retries.`;
}

export function quotaExceeded(details: string): string {
  return `A quota of the platform is exceeded: ${sentence(details)} Delete resources that count against it, or ask an administrator of the platform to raise it. The operator retries once an hour.`;
}

/** @param field where the spec names the group; undefined if it names none. */
export function parentGone(uid: string, field: ReferenceField | undefined): string {
  const group = `${field?.path ?? "spec"}: the group ${uid}`;
  return field?.target.by === "resource"
    ? `${group} of Group ${field.target.reference.name} does not exist on the platform. This object continues when it exists again: read the status of that Group.`
    : `${group} does not exist on the platform. If it is not created again, delete this object and create it with the uid of an existing group: the field is immutable.`;
}

export function requestFailed(code: string, details: string): string {
  return `The platform failed to process the request: ${code}: ${sentence(details)} The operator retries.`;
}

export function noResponse(details: string): string {
  return `The platform did not send a valid response: ${sentence(details)} The operator retries; if this lasts, check the platform and the network.`;
}

export function requestsPaused(): string {
  return "The platform asked for fewer requests (Retry-After). Requests continue after the requested pause.";
}

export function tokenUnavailable(details: string): string {
  return `The operator has no token for the platform: ${sentence(details)} The operator retries; if this lasts, check the network and its settings --platform-url, --auth-url and --token-file, or, with spec.credentials of the Tenant, the service account of the Tenant.`;
}

export function exchangeFailed(details: string): string {
  return `The token exchange failed: ${sentence(details)} Check that the claimMatch of the identity matches the service account: the operator's (see its settings --platform-url and --identity) or, with spec.credentials of the Tenant, the Tenant's.`;
}

export function listDenied(capability: string, group: string): string {
  return `The identity that the operator uses here lacks ${capability} in group ${group}, so its lists do not prove what exists there. Bind a role with this capability, in that group or above, to this identity: the operator's own, or the one in spec.credentials of the Tenant.`;
}

export function ownerMismatch(expected: string, recorded: string | null): string {
  const found = recorded === null ? "no owner id" : `the owner id ${recorded}`;
  const mismatch = `The operator's identity on the platform records ${found}, and the owner id of this operator is ${expected}, so it writes nothing.`;
  if (recorded === null) return `${mismatch} Run \`muster bootstrap\` for this cluster, which records it.`;
  const note = `${expected}${recorded}`.includes("/") ? " (what follows a slash is the class, --class)" : "";
  return `${mismatch} If this cluster replaces the one that recorded it, set --owner-id to the recorded id${note}; otherwise run \`muster bootstrap\` for this cluster, which creates an identity of its own.`;
}
