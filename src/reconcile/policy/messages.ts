import {
  abandonAnnotation,
  confirmAnnotation,
  pausedAnnotation,
  reconcileRequestedAtAnnotation,
} from "#src/api/annotations.ts";
import type { Drift } from "#src/api/status.ts";
import type { ReferenceField } from "#src/kinds/kind.ts";
import { shortList } from "#src/text/short-list.ts";

/**
 * The texts that people read in conditions and events (`kubectl describe`). The message of a condition has three parts:
 * what is wrong, where (the field or the uid), and how to fix it. A kind's `noun` never follows an indefinite article,
 * because it may start with a vowel.
 */

// Conditions of an object that is as it should be, or that is left alone.

export function noTenant(): string {
  return "No Tenant selects the namespace of this object, so nothing is done for it. Ask an administrator to add the namespace to a Tenant.";
}

export function overlap(): string {
  return "Several Tenants select the namespace of this object, so nothing is done for it. Ask an administrator to change the namespaces of all of them but one.";
}

export function ready(noun: string): string {
  return `The ${noun} exists on the platform and matches the spec.`;
}

export function paused(): string {
  return `The annotation ${pausedAnnotation} pauses the reconciliation. Remove it to resume.`;
}

export function referencesResolved(): string {
  return "All references in the spec are resolved.";
}

export function rolesUnread(): string {
  return "The references cannot be resolved before the roles of the platform have been read.";
}

/** @param details starts with the path of the field. */
export function invalidSpec(details: string): string {
  return `The spec does not match its schema: ${sentence(details)} Correct this field.`;
}

// Who governs the object.

export function servesDeletions(): string {
  return "The Tenant of this object is being deleted, or no longer selects the namespace, so it only completes deletions. Ask an administrator to add the namespace to a Tenant.";
}

export function outsideTenant(noun: string): string {
  return `The ${noun} of this object is outside of the groups of the Tenant, so it is left unchanged. Ask an administrator to add its group to spec.groups of the Tenant; or, to delete this object and keep the ${noun}, to set the annotation ${abandonAnnotation}: "true".`;
}

export function peopleExist(noun: string, uids: readonly string[]): string {
  return `People logged in by means of the ${noun}: identities ${shortList(uids)}. Delete these identities on the platform first; or keep the ${noun} with spec.policy.deletion: Orphan.`;
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

export function adoptionDenied(kind: string, noun: string): string {
  return `The Tenant does not allow an existing ${noun} to be adopted. Ask an administrator to add ${kind} to spec.adopt of the Tenant.`;
}

/** @param field the field of the spec that says so, with its value. */
export function orphanDenied(noun: string, field: string): string {
  return `${field}: the Tenant does not allow the ${noun} to be left on the platform without its object. Change the field, or ask an administrator to set spec.allowOrphan of the Tenant.`;
}

export function withoutParent(): string {
  return "The spec names no group above the resource. Create this object again with one.";
}

// Who owns the external resource.

export function claimedByOther(noun: string, uid: string, other: string): string {
  return `The ${noun} ${uid} belongs to ${other}. Delete one of the two objects: deleting this one leaves the platform unchanged, and deleting the other with spec.policy.deletion: Orphan lets this one adopt the ${noun}, if the Tenant allows both.`;
}

export function nameWantedBy(other: string): string {
  return `${startSentence(other)} declares the same name below the same parent, and comes first. Choose another name, or delete one of the two objects.`;
}

export function equalWantedBy(noun: string, other: string): string {
  return `${startSentence(other)} declares an equal ${noun}, and comes first. Delete this object; the platform is left unchanged. If the other object is deleted, this one takes its place.`;
}

export function protectedResource(noun: string, uid: string, because: "root" | "credential"): string {
  const why =
    because === "root"
      ? "is a root group, or a group below which the operator or the Tenant works"
      : "is an identity that Muster uses as a credential, or a role or role binding of one";
  return `The ${noun} ${uid} ${why}, so it is never written. Delete this object; the platform is left unchanged.`;
}

export function neverAdopted(noun: string, uid: string, because: "breakGlass" | "otherOwner"): string {
  const why =
    because === "breakGlass"
      ? "is an identity for emergencies (spec.breakGlass of a Tenant), or belongs to one"
      : "belongs to an identity that another Muster installation manages";
  return `The ${noun} ${uid} ${why}, so it is never adopted. Delete this object; the platform is left unchanged.`;
}

/** @param owner the hash of the other owner; undefined if the marker is that of another object of this owner. */
export function foreignMarker(noun: string, uid: string, owner: string | undefined): string {
  if (owner === undefined)
    return `The ${noun} ${uid} carries the marker of another object of this cluster. Delete this object; the platform is left unchanged. To manage the ${noun} here instead, delete the other object with spec.policy.deletion: Orphan, or remove the marker from the description if that object no longer exists.`;
  return `The ${noun} ${uid} carries the marker of another Muster installation (owner ${owner}). Delete this object; the platform is left unchanged. To manage the ${noun} here instead, delete its object there with spec.policy.deletion: Orphan. If this cluster replaces that one, ask an administrator to start the operator with its owner id (--owner-id or --previous-owner-id).`;
}

export function noRoomForMarker(noun: string, uid: string): string {
  return `spec.description: the description of the ${noun} ${uid} leaves no room for Muster's marker, which takes 35 of its 512 characters. Set spec.description to a text of at most 477 characters.`;
}

export function identityHoldsMore(uid: string): string {
  return `The identity ${uid} holds a role that this Tenant does not permit, or holds it in a group outside of the Tenant, so it is not adopted: who may assume the identity would get that role. Remove those role bindings on the platform, or have the identity declared where they are permitted.`;
}

/** @param bindings the uids of role bindings of the role, at least one. */
export function roleHeldByOthers(uid: string, bindings: readonly string[]): string {
  return `The role ${uid} is bound to an identity that this Tenant may not use (outside of its groups, a credential, for emergencies, or managed by another Muster installation), so it is not adopted: a change would change what that identity can do. See role binding ${shortList(bindings)}. Bind another role to that identity on the platform, for example a built-in one, or delete this object.`;
}

export function grantDiffers(noun: string, uid: string): string {
  return `spec.uid: the ${noun} ${uid} does not grant this role to this identity, and it is never changed. The fields are immutable: create another object that describes the ${noun}, or one without spec.uid to have another created.`;
}

export function grantChangedOutside(noun: string, uid: string): string {
  return `The ${noun} ${uid} was changed outside of Kubernetes and grants something else now. No other is created because spec.policy.drift is Report; set it to Correct, or request a reconcile with the annotation ${reconcileRequestedAtAnnotation}.`;
}

export function adopting(noun: string, uid: string): string {
  return `The ${noun} ${uid} is being adopted.`;
}

export function nameTaken(noun: string, name: string, uid: string): string {
  return `${nameInUse(noun, name, uid)}, and this object manages another one. Choose another name.`;
}

export function nameManagedBy(noun: string, name: string, uid: string, owner: string): string {
  return `${nameInUse(noun, name, uid)} and is managed by ${owner}. Choose another name.`;
}

/** @param other the object that manages the resource with the name. */
export function nameOfOther(noun: string, name: string, uid: string, other: string): string {
  return `${nameInUse(noun, name, uid)} and is managed by ${other}. Choose another name, or rename that object or delete it: this one then continues. To swap the names of two objects, first give one of them a third name.`;
}

export function nameNotAdopted(noun: string, name: string, uid: string): string {
  return `${nameInUse(noun, name, uid)} and is not managed by Muster. To manage it, if the Tenant allows its adoption, set spec.policy.adoption: IfExists, or create this object again with spec.uid: ${uid}. Otherwise choose another name.`;
}

export function nameAmbiguous(name: string, uids: readonly string[]): string {
  return `The name "${name}" is used ${uids.length} times below the same parent: ${uids.join(", ")}. Create this object again with spec.uid set to the one to manage, or choose another name.`;
}

function nameInUse(noun: string, name: string, uid: string): string {
  return `The ${noun} ${uid} has the name "${name}" below the same parent`;
}

/** @param owner the hash of the other owner; undefined if the resource belongs to another object of this owner. */
export function anotherOwner(owner: string | undefined): string {
  return owner === undefined ? "another object of this cluster" : `another Muster installation (owner ${owner})`;
}

/** The name of another object. An object in another namespace is not named, because not everybody may see it. */
export function otherObject(kind: string, namespace: string | undefined, key: string): string {
  const [otherNamespace, name] = key.split("/");
  if (otherNamespace === namespace) return `${kind} ${name}`;
  return `${/^[AEIOU]/.test(kind) ? "an" : "a"} ${kind} in another namespace`;
}

// Where the external resource is.

export function uidNotBelowParent(noun: string, uid: string, parent: string): string {
  return `spec.uid: the ${noun} ${uid} is not directly below ${parent}, the group that the spec names. Both fields are immutable: create another object that names the group above the uid.`;
}

export function parentChanged(noun: string, uid: string, parent: string): string {
  return `The parent is now ${parent}, but the ${noun} ${uid} still exists below the previous one. Delete it on the platform; Muster then creates it below the new parent.`;
}

// The external resource is gone, or is not known to be.

export function goneByUid(noun: string, uid: string): string {
  return `spec.uid: the ${noun} ${uid} does not exist on the platform. The field is immutable: create another object, with the uid of an existing ${noun}, or without spec.uid to have the ${noun} created.`;
}

export function goneReported(noun: string, uid?: string): string {
  const which = uid === undefined ? noun : `${noun} ${uid}`;
  return `The ${which} was deleted on the platform. It is not re-created because spec.policy.drift is Report. To have it re-created, set that to Correct, or set the annotation ${reconcileRequestedAtAnnotation} to a new value.`;
}

export function observedGone(noun: string, uid: string): string {
  return `spec.uid: the ${noun} ${uid} does not exist on the platform, and this object only observes. Delete this object.`;
}

export function observedNotFound(noun: string, name: string | undefined, parent: string): string {
  const which = name === undefined ? `${noun} like this` : `${noun} named "${name}"`;
  return `There is no ${which} below ${parent} on the platform, and this object only observes. It continues when there is one. To have it created, set spec.policy.management to Full.`;
}

export function observedWithoutName(noun: string): string {
  return `The spec names neither the uid of the ${noun} nor the group above it. Create this object again with one of them.`;
}

export function observedDiffers(noun: string, fields: string): string {
  return `The ${noun} on the platform differs from the spec: ${fields}. This object only observes; change the spec to match.`;
}

export function goneWithManyOthers(noun: string, uid: string): string {
  return `The ${noun} ${uid} disappeared from the platform together with many others, so it is not re-created. To have all of them re-created, ask an administrator to set the annotation ${confirmAnnotation} of the Tenant to the id in its status.`;
}

export function outcomeUnknown(): string {
  return "Waiting until an earlier request with an unknown outcome can no longer take effect.";
}

// Drift.

export function driftReported(fields: string): string {
  return `${changedOutside(fields)} The change is kept because spec.policy.drift is Report. Set it to Correct to revert the change, or change the spec to match.`;
}

export function driftFought(fields: string): string {
  return `${changedOutside(fields)} Muster reverted such changes three times within an hour. Find the other writer and stop it; Muster reverts the change again when the hour is over.`;
}

function changedOutside(fields: string): string {
  return `Changed on the platform outside of Kubernetes: ${fields}.`;
}

export function valuesNotKept(drift: readonly Drift[]): string {
  const fields = drift.map(({ field, expected, actual }) => `spec.${field}: "${expected}" is stored as "${actual}"`);
  return `The platform accepted the update but stored other values. ${fields.join("; ")}. Change the spec to the stored values.`;
}

// Expiry.

export function expiring(noun: string, expiresAt: string | undefined): string {
  return `The grant has expired${since(expiresAt)}, and the ${noun} is being deleted on the platform.`;
}

function since(expiresAt: string | undefined): string {
  return expiresAt === undefined ? "" : ` (spec.expiresAt: ${expiresAt})`;
}

export function expiredUnpermitted(noun: string): string {
  return `The grant has expired. The operator may have created the ${noun} when a Tenant permitted it, so it may still exist. Ask an administrator to permit it again: then it is deleted.`;
}

export function expired(noun: string): string {
  return `The grant has expired, and this object has no ${noun} on the platform. Set a later spec.expiresAt to grant the role again, or delete this object.`;
}

// Deletion.

export function deletionProtected(noun: string): string {
  return `spec.policy.deletion is Protect, so the ${noun} is kept and this object waits. Set the field to Delete, or, if the Tenant allows it, to Orphan to keep the ${noun} on the platform.`;
}

export function dependentsExist(names: readonly string[]): string {
  return `Waiting for the deletion of the objects that depend on this one: ${shortList(names)}. Delete those that are not being deleted yet.`;
}

// Platform calls that failed.

export const actingIdentity =
  "the identity that the operator uses here (its own, or that of spec.credentials of the Tenant)";

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
  return `The token exchange failed: ${sentence(details)} Check that the claimMatch of the identity matches the service account: the operator's own (its settings --platform-url and --identity), or, with spec.credentials of the Tenant, that of the Tenant.`;
}

export function listDenied(capability: string, group: string): string {
  return `The identity that the operator uses here lacks ${capability} in group ${group}, so its lists do not prove what exists there. Bind a role with this capability, in that group or above, to this identity: the operator's own, or that of spec.credentials of the Tenant.`;
}

export function startSentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function ownerMismatch(expected: string, recorded: string | null): string {
  const found = recorded === null ? "no owner id" : `the owner id ${recorded}`;
  const mismatch = `The operator's identity on the platform records ${found}, and the owner id of this operator is ${expected}, so it writes nothing.`;
  if (recorded === null) return `${mismatch} Run \`muster bootstrap\` for this cluster, which records it.`;
  const note = `${expected}${recorded}`.includes("/") ? " (what follows a slash is the class, --class)" : "";
  return `${mismatch} If this cluster replaces the one that recorded it, set --owner-id to the recorded id${note}; otherwise run \`muster bootstrap\` for this cluster, which creates an identity of its own.`;
}

// Calls to Kubernetes that were refused.

export function referencedKindUnread(path: string, kind: string): string {
  return `${path}: the operator has not been able to read the ${kind} objects of the cluster. ${readableFix(kind)}`;
}

export function dependentsUnknown(kinds: readonly string[]): string {
  const [first = ""] = kinds;
  return `Waiting until the operator can read the objects that may depend on this one: ${kinds.join(", ")}. ${readableFix(first)}`;
}

function readableFix(kind: string): string {
  return `If this lasts, apply the CustomResourceDefinition of ${kind}, and allow the operator's service account to list and watch its objects in all namespaces.`;
}

/** What the RBAC authorizer says, with the verb and the resource. */
const missingPermission = / cannot (\w+) resource "([^"]+)" in API group "([^"]*)"/;

export function refusedByKubernetes(details: string): string {
  const [, verb, resource, group] = missingPermission.exec(details) ?? [];
  const fix =
    verb === undefined || resource === undefined
      ? "Change the policy, webhook, quota or schema that rejects the request."
      : `Bind a role to the operator's service account that allows the verb ${verb} on ${resource} in the API group ${group || '""'}.`;
  return `Kubernetes refused a request of the operator: ${sentence(details)} ${fix} The operator retries.`;
}

/** `text` with a period at its end. */
export function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

// Events.

export function created(noun: string, parent: string): string {
  return `Created the ${noun} below ${parent} on the platform.`;
}

export function updated(fields: string): string {
  return `Updated on the platform: ${fields}.`;
}

export function driftCorrected(fields: string): string {
  return `Reverted to the spec: ${fields}.`;
}

export function adopted(noun: string, uid: string): string {
  return `Manages the existing ${noun} ${uid}.`;
}

export function openAccess(issuer: string, stranger: string): string {
  return `Anybody with an account at ${issuer} can assume this identity, for example with the subject ${stranger}. Set spec.claimMatch.subject, or let every match of spec.claimMatch.subjectPattern begin with the name of your organization.`;
}

export function recovered(noun: string, reason: string): string {
  return `The ${noun} matches the spec again; the previous reason was ${reason}.`;
}

export function deletedExpired(noun: string, uid: string): string {
  return `Deleted the ${noun} ${uid} on the platform: its grant has expired.`;
}

export function outdatedDeleted(noun: string, uid: string): string {
  return `Deleted the ${noun} ${uid} on the platform: a reference of the spec now resolves to another uid.`;
}

/** Access does not end while an equal role binding remains: whoever deletes one should know of the others. */
export function deleted(noun: string, uid: string, equalOnes: readonly string[]): string {
  const remaining = equalOnes.length === 0 ? "" : ` Equal ${noun}s remain: ${equalOnes.join(", ")}.`;
  return `Deleted the ${noun} ${uid} on the platform.${remaining}`;
}

export function duplicateDeleted(noun: string, uid: string, kept: string): string {
  return `Deleted the ${noun} ${uid} on the platform: a repeated request had created it in addition to ${kept}.`;
}

/** @param why completes "because …". */
export function orphaned(noun: string, uid: string | undefined, why: string): string {
  return uid === undefined
    ? `Removed the finalizer because ${why}.`
    : `Left the ${noun} ${uid} on the platform because ${why}.`;
}

export const orphanedBecause = {
  abandoned: `the annotation ${abandonAnnotation} is set`,
  kindRemoved: "Muster's CustomResourceDefinition is being deleted",
  policy: "spec.policy.deletion is Orphan",
  adopted: "it existed before Muster managed it",
  observed: "spec.policy.management is Observe",
} as const;
