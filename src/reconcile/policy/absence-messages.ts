import { confirmAnnotation, reconcileRequestedAtAnnotation } from "#src/api/annotations.ts";

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
