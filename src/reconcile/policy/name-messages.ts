import { startSentence } from "#src/text/sentence.ts";

// Conflicts over the name of an external resource.

export function nameWantedBy(other: string): string {
  return `${startSentence(other)} already declares the same name below the same parent and takes precedence. Choose another name, or delete one of the two objects.`;
}

export function nameTaken(noun: string, name: string, uid: string): string {
  return `${nameInUse(noun, name, uid)}, and this object manages another one. Choose another name.`;
}

export function nameManagedBy(noun: string, name: string, uid: string, owner: string): string {
  return `${nameInUse(noun, name, uid)} and is managed by ${owner}. Choose another name.`;
}

/** @param other the object that manages the resource with the name. */
export function nameOfOther(noun: string, name: string, uid: string, other: string): string {
  return `${nameInUse(noun, name, uid)} and is managed by ${other}. Choose another name, or rename that object or delete it: this one then continues.`;
}

/**
 * Objects want each other's names, in a circle: two of them swap their names.
 * @param self the object that is told so, and that wants the name of the first of `others`.
 * @param others the other objects, of which each wants the name of the next one.
 */
export function namesSwapped(noun: string, name: string, uid: string, self: string, others: readonly string[]): string {
  const objects = `${[self, ...others.slice(0, -1)].join(", ")} and ${others.at(-1)}`;
  const [one, all] = others.length === 1 ? ["one of the two", "both"] : ["one of them", "all of them"];
  return `spec.name: ${objects} want each other's names. ${nameInUse(noun, name, uid)}, and names are unique, so nothing is renamed. To exchange the names, set spec.name of ${one} to a name that no other ${noun} has, wait until ${all} are Ready, and then give it its final name.`;
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
