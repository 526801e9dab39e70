import { abandonAnnotation, reconcileRequestedAtAnnotation } from "#src/api/annotations.ts";
import type { Drift } from "#src/api/status.ts";
import type { SecretLocation } from "#src/kinds/secret-location.ts";
import { grantCommands, refusedUser } from "#src/kube/right.ts";
import type { Refusal } from "#src/reconcile/observe/observed.ts";
import { operatorUser } from "./secret-messages.ts";

// What people read about a resource whose code is written into a Secret. Never the code.

export function issueGone(noun: string, endsWhenUsed: boolean): string {
  const what = endsWhenUsed ? "It was redeemed or deleted; the platform does not say which" : "It was deleted";
  return `The ${noun} is gone from the platform. ${what}. It is never created again. For another one, delete this object and its Secret, and create both again.`;
}

export function issueExpired(noun: string): string {
  return `spec.expiresAt has passed, and this object has no ${noun} on the platform. It is never created again. For another one, delete this object and its Secret, and create both again with a later spec.expiresAt.`;
}

/** @param uids of those that are there, and that no object declares. */
export function issueLost(noun: string, parent: string, uids: readonly string[]): string {
  return `Created the ${noun} below ${parent} on the platform. ${lostOnes(noun, uids)}`;
}

/** What is known of one whose code was lost with the response to a request, or with the process that sent it. */
function lostOnes(noun: string, uids: readonly string[]): string {
  if (uids.length === 0)
    return `The outcome of an earlier request is unknown: if it takes effect, a ${noun} is left there whose code nobody knows. Its Group, if there is one, reports it in status.undeclared; delete it on the platform.`;
  return `No object declares the equal ${noun} ${uids.join(", ")}: an earlier request of the operator may have created it, and then nobody knows its code. Unless somebody else needs it, delete it on the platform.`;
}

export function codeNotWritten(noun: string, uid: string, { name }: SecretLocation): string {
  return `Deleted the ${noun} ${uid} on the platform: its code could not be written into Secret ${name}.`;
}

export function issuedOtherwise(noun: string, uid: string, drift: readonly Drift[]): string {
  return `Deleted the ${noun} ${uid} on the platform: it was not what was requested: ${describe(drift)}.`;
}

export function neverAsRequested(noun: string, drift: readonly Drift[]): string {
  return `The platform creates the ${noun} with other values than the spec: ${describe(drift)}. It was deleted, and nobody got its code. Delete this object, and create it with the values of the platform. If the platform was at fault, correct that, and set the annotation ${reconcileRequestedAtAnnotation} to a new value.`;
}

function describe(drift: readonly Drift[]): string {
  return drift.map(({ field, expected, actual }) => `${field} is "${actual}" instead of "${expected}"`).join(", ");
}

export function secretMissing(path: string, { namespace, name }: SecretLocation): string {
  return `${path}: Secret ${name} does not exist in namespace ${namespace}. Run: kubectl create secret generic -n ${namespace} ${name}`;
}

export function secretNotEmpty(path: string, { name }: SecretLocation): string {
  return `${path}: Secret ${name} is not empty, so no code is written into it. Delete it and create it without a value, or create this object again with another Secret.`;
}

export function secretWantedBy(path: string, { name }: SecretLocation, other: string): string {
  return `${path}: ${other} already uses Secret ${name} and takes precedence. Create this object again with a Secret of its own.`;
}

export function secretOfOther(path: string, { name }: SecretLocation, noun: string): string {
  return `${path}: Secret ${name} names a ${noun} in its key uid that is not of this object. Create this object again with another Secret.`;
}

/** What Kubernetes said, and its HTTP status. */
type Refused = Pick<Refusal, "message" | "code">;

export function secretNotWritable(path: string, at: SecretLocation, { message, code }: Refused): string {
  const what = `${path}: the operator may not read and write Secret ${at.name}: ${message}`;
  // An admission webhook or a quota that refuses a write says 403, too. Only the refusal of a right names the user.
  if (code !== 403 || refusedUser(message) === undefined)
    return `${what}. Change the Secret, or what refuses the write; it must not be immutable.`;
  return `${what}. It may do so only if a Role of Kubernetes RBAC names the Secret. Run: ${grantSecret(at, message)}`;
}

/** Somebody changed the Secret after it was checked, so that the code was not written. */
export function secretChanging(path: string, { name }: SecretLocation, noun: string): string {
  return `${path}: Secret ${name} was changed while its code was about to be written, so the ${noun} was deleted. ${rareAttempts(noun)} Find who changes the Secret all the time, or create this object again with another Secret.`;
}

/** The write was refused although its dry run was not. */
export function issuedInVain(noun: string): string {
  return `Only the write itself is refused, not its dry run. ${rareAttempts(noun)}`;
}

function rareAttempts(noun: string): string {
  return `Each attempt creates a ${noun} and deletes it if its code cannot be written: attempts become rare, at least one in 8 hours. To try again now, set the annotation ${reconcileRequestedAtAnnotation} to a new value.`;
}

export function secretUnreadable(path: string, at: SecretLocation, noun: string, { message }: Refused): string {
  return `${path}: the operator may not read Secret ${at.name}, which may name a ${noun} that this object created: ${message}. To delete this object and to keep the ${noun}, ask an administrator to set the annotation ${abandonAnnotation}: "true". To delete both, let the operator read the Secret. Run: ${grantSecret(at, message)}`;
}

/** The commands that let the operator read and write the Secret. */
function grantSecret({ namespace, name }: SecretLocation, refusal: string): string {
  const right = { verb: "get,patch", group: "", resource: "secrets", name, namespace };
  return grantCommands(right, `muster-secret-${name}`, refusedUser(refusal) ?? operatorUser);
}

/** @param why completes "because …". */
export function mayBeLeft(noun: string, why: string): string {
  return `Removed the finalizer because ${why}. A ${noun} may be left on the platform: its Group, if there is one, reports it in status.undeclared. Delete it on the platform.`;
}

export function deletedUnanswered(noun: string, uids: readonly string[]): string {
  return `Removed the finalizer. ${lostOnes(noun, uids)}`;
}

export const leftBecause = {
  unreadable:
    "the operator may not read the Secret any longer, and the namespace, or what the spec refers to, is deleted",
  outside: "the one that the Secret names is not in the groups of the Tenant",
  unidentified:
    "what the spec refers to is gone, so nothing proves that this object created the one that the Secret names",
} as const;

export function expiresElsewhen(noun: string, actual: string): string {
  return `The ${noun} expires on the platform at ${actual}, not at spec.expiresAt: the clocks of the operator and the platform differ, or the platform allows no other time. At spec.expiresAt the operator deletes it.`;
}

/** What the references of the spec mean now is not what the resource was created with. */
export function referenceMeansAnother(path: string, noun: string): string {
  return `${path} names another role now than when the ${noun} was created. ${neverMoved(noun)}`;
}

export function inOtherGroup(noun: string, uid: string, parent: string): string {
  return `The ${noun} ${uid} is not in the group ${parent}, which the spec names now. ${neverMoved(noun)}`;
}

function neverMoved(noun: string): string {
  return `The ${noun} is never moved, changed or created again. For another one, delete this object and its Secret, and create both again.`;
}

export function issueDiffers(noun: string, fields: string): string {
  return `The ${noun} was changed outside of Kubernetes: ${fields}. It is never changed back. Delete this object to delete the ${noun}, or change it back on the platform.`;
}
