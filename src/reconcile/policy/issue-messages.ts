import type { SecretLocation } from "#src/kinds/secret-location.ts";
import { grantCommands, refusedUser } from "#src/kube/right.ts";
import { operatorUser } from "./secret-messages.ts";

// What people read about a resource whose code is written into a Secret. Never the code.

export function issueGone(noun: string, endsWhenUsed: boolean): string {
  const what = endsWhenUsed ? "It was redeemed or deleted; the platform does not say which" : "It was deleted";
  return `The ${noun} is gone from the platform. ${what}. It is never created again. For another one, delete this object and its Secret, and create both again.`;
}

export function issueExpired(noun: string): string {
  return `spec.expiresAt has passed, and this object has no ${noun} on the platform. It is never created again. For another one, delete this object and its Secret, and create both again with a later spec.expiresAt.`;
}

export function issueLost(noun: string, parent: string): string {
  return `Created the ${noun} below ${parent} on the platform. The outcome of an earlier request is unknown: if it took effect, a ${noun} is left there whose code nobody knows. The Group reports it in status.undeclared; delete it on the platform.`;
}

export function codeNotWritten(noun: string, uid: string, { name }: SecretLocation): string {
  return `Deleted the ${noun} ${uid} on the platform: its code could not be written into Secret ${name}.`;
}

export function secretMissing(path: string, { namespace, name }: SecretLocation): string {
  return `${path}: Secret ${name} does not exist in namespace ${namespace}. Run: kubectl create secret generic -n ${namespace} ${name}`;
}

export function secretNotEmpty(path: string, { name }: SecretLocation): string {
  return `${path}: Secret ${name} is not empty, so no code is written into it. Delete it and create it without a value, or create this object again with another Secret.`;
}

export function secretWantedBy(path: string, { name }: SecretLocation, other: string): string {
  return `${path}: ${other} names Secret ${name}, too, and comes first. Create this object again with a Secret of its own.`;
}

export function secretOfOther(path: string, { name }: SecretLocation, noun: string, uid: string): string {
  return `${path}: Secret ${name} has the code of the ${noun} ${uid}, which is not what this object describes. Create this object again with another Secret.`;
}

/** @param refusal what Kubernetes said. @param code its HTTP status. */
export function secretNotWritable(
  path: string,
  at: SecretLocation,
  { message, code }: { readonly message: string; readonly code: number },
): string {
  const { namespace, name } = at;
  const what = `${path}: the operator may not read and write Secret ${name}: ${message}`;
  if (code !== 403) return `${what}. Change the Secret, or what refuses the write; it must not be immutable.`;
  const user = refusedUser(message) ?? operatorUser;
  const right = { verb: "get,patch", group: "", resource: "secrets", name, namespace };
  return `${what}. It may do so only if a Role names the Secret. Run: ${grantCommands(right, `muster-secret-${name}`, user)}`;
}

export function expiresElsewhen(noun: string, actual: string): string {
  return `The ${noun} expires on the platform at ${actual}, not at spec.expiresAt: the clocks of the operator and the platform differ, or the platform allows no other time. At spec.expiresAt the operator deletes it.`;
}

export function issueDiffers(noun: string, fields: string): string {
  return `The ${noun} was changed outside of Kubernetes: ${fields}. It is never changed back. Delete this object to delete the ${noun}, or change it back on the platform.`;
}
