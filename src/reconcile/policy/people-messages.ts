import { shortList } from "#src/text/short-list.ts";

// What people read about those whom a resource lets in.

/** @param actual what the resource has on the platform. */
export function otherPeople(path: string, noun: string, uid: string, actual: string): string {
  return `${path}: other people log in by means of the ${noun} ${uid}, which has "${actual}" there, so it is not adopted. The field is immutable: delete this object, which leaves the ${noun} unchanged, and create it with "${actual}", or with another spec.name.`;
}

export function peopleExist(noun: string, uids: readonly string[]): string {
  return `People logged in by means of the ${noun}: identities ${shortList(uids)}. Delete these identities on the platform first; or keep the ${noun} with spec.policy.deletion: Orphan.`;
}
