import { abandonAnnotation } from "#src/api/annotations.ts";
import { shortList } from "#src/text/short-list.ts";

// Deletions, and what stays on the platform.

export function deletionProtected(noun: string): string {
  return `spec.policy.deletion is Protect, so the ${noun} is kept and this object waits. Set the field to Delete, or, if the Tenant allows it, to Orphan to keep the ${noun} on the platform.`;
}

export function dependentsExist(names: readonly string[]): string {
  return `Waiting for the deletion of the objects that depend on this one: ${shortList(names)}. Delete those that are not being deleted yet.`;
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

export function leftUnseen(noun: string): string {
  return `Removed the finalizer: the group that the spec names is not below a root group of the operator's settings, so the ${noun} cannot be looked for. If the operator created one under other settings, delete it on the platform.`;
}

export function leftUnproven(noun: string, uids: readonly string[]): string {
  return `Left the ${noun} ${uids.join(", ")} on the platform: it equals this object, but it belongs to an identity of another owner, or for emergencies, so nobody can tell whether the operator created it. If nobody else needs it, delete it on the platform.`;
}

export const orphanedBecause = {
  abandoned: `the annotation ${abandonAnnotation} is set`,
  kindRemoved: "Muster's CustomResourceDefinition is being deleted",
  policy: "spec.policy.deletion is Orphan",
  adopted: "it existed before Muster managed it",
  observed: "spec.policy.management is Observe",
} as const;
