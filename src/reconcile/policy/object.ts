import { abandonAnnotation, pausedAnnotation } from "#src/api/annotations.ts";
import type { Resource } from "#src/api/custom-resource.ts";

// What the metadata and the status of a custom resource say.

export function isBeingDeleted({ metadata }: Resource): boolean {
  return metadata.deletionTimestamp !== undefined;
}

export function isPaused({ metadata }: Resource): boolean {
  return metadata.annotations?.[pausedAnnotation] === "true";
}

export function isAbandoned({ metadata }: Resource): boolean {
  return metadata.annotations?.[abandonAnnotation] === "true";
}

/** Whether the spec was changed after the last status was written. */
export function isEdited({ metadata, status }: Resource): boolean {
  return status !== undefined && status.observedGeneration !== -1 && status.observedGeneration !== metadata.generation;
}
