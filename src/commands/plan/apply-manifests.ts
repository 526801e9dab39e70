import { isDeepStrictEqual } from "node:util";
import { immutableFields } from "#src/api/rule.ts";
import { keyOf } from "#src/kube/object.ts";
import type { ClusterObject, MemoryCluster } from "#src/plan/memory-cluster.ts";
import { subjectOf } from "#src/plan/make-plan.ts";
import type { AppliedNames } from "./applied-names.ts";
import type { Manifest } from "./read-manifests.ts";
import type { SpecSchemas } from "./read-object.ts";

/**
 * @param appliedTo the labels and annotations that an earlier apply has set, by the kind and the key of the object
 * @throws {Error} that names file, document and field of everything that the API server would refuse
 */
export function applyManifests(
  cluster: MemoryCluster,
  manifests: readonly Manifest[],
  schemas: SpecSchemas,
  appliedTo: ReadonlyMap<string, AppliedNames> = new Map(),
): void {
  const mistakes = manifests.flatMap(({ object, where }) => {
    const before = cluster.find(object.kind, keyOf(object));
    if (before === undefined) return [];
    return [...ofAnother(before, object), ...changedForever(before, object, schemas)].map(
      (mistake) => `${where}: ${mistake}`,
    );
  });
  if (mistakes.length > 0) throw new Error(`the API server would refuse these changes\n  ${mistakes.join("\n  ")}`);
  for (const { object } of manifests) cluster.apply(object, appliedTo.get(subjectOf(object)));
}

/** The fields of the metadata by which a file says that it is of another object, or of an earlier version of the object. */
function ofAnother({ metadata: before }: ClusterObject, { metadata: after }: ClusterObject): readonly string[] {
  const fields = [
    ["uid", "is that of another object: remove it"],
    ["resourceVersion", "the object has changed since: remove it, or start again from the object as it is now"],
  ] as const;
  return fields
    .filter(([field]) => after[field] !== undefined && after[field] !== before[field])
    .map(([field, message]) => `metadata.${field}: ${message}`);
}

/** The immutable fields that differ. */
function changedForever(before: ClusterObject, after: ClusterObject, schemas: SpecSchemas): readonly string[] {
  const schema = schemas.get(after.kind);
  if (schema === undefined) return [];
  return immutableFields(schema)
    .filter(({ field }) => !isDeepStrictEqual(fieldOf(before, field), fieldOf(after, field)))
    .map(({ field, message }) => `spec.${field}: ${message}`);
}

function fieldOf({ spec }: ClusterObject, field: string): unknown {
  return (spec as Readonly<Record<string, unknown>> | undefined)?.[field];
}
