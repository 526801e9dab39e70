import { actingIdentity, sentence, startSentence } from "./messages.ts";

// Conflicts over a resource of which a group has at most one. They replace the messages about names with the same names.

export function nameWantedBy(other: string): string {
  return `${startSentence(other)} declares the same resource of the group, and comes first. A group has at most one. Delete this object; the platform is left unchanged. If the other object is deleted, this one takes its place.`;
}

export function nameManagedBy(noun: string, _name: string, uid: string, owner: string): string {
  return `The ${noun} of the group ${uid} is managed by ${owner}. A group has at most one. Delete this object; the platform is left unchanged.`;
}

export function nameOfOther(noun: string, _name: string, uid: string, other: string): string {
  return `The ${noun} of the group ${uid} is managed by ${other}. A group has at most one. Delete one of the two objects.`;
}

export function nameNotAdopted(noun: string, name: string, uid: string): string {
  return `The group ${uid} has the ${noun} "${name}", which Muster does not manage. A group has at most one. To manage it, if the Tenant allows its adoption, set spec.policy.adoption: IfExists. Otherwise delete this object, or delete the ${noun} on the platform: this object then creates another one.`;
}

export function observedNotFound(noun: string, _name: string | undefined, parent: string): string {
  return `The group ${parent} has no ${noun} on the platform, and this object only observes. It continues when there is one. To have it created, set spec.policy.management to Full.`;
}

export function alreadyExists(noun: string, details: string, _hasName: boolean): string {
  return `The group already has a resource of this kind, which the operator cannot see: ${sentence(details)} Let ${actingIdentity} list every ${noun} in the group, or delete this object; the platform is left unchanged.`;
}
