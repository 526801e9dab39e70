import { isDeepStrictEqual } from "node:util";
import { immutableFields } from "#src/api/rule.ts";
import { keyOf } from "#src/kube/object.ts";
import type { ClusterObject, MemoryCluster } from "#src/plan/memory-cluster.ts";
import type { Manifest, SpecSchemas } from "./read-manifests.ts";

/** @throws {Error} that names file, document and field of everything that the API server would refuse */
export function applyManifests(cluster: MemoryCluster, manifests: readonly Manifest[], schemas: SpecSchemas): void {
  const mistakes = manifests.flatMap(({ object, where }) => {
    const before = cluster.find(object.kind, keyOf(object));
    return before === undefined ? [] : changedForever(before, object, schemas).map((mistake) => `${where}: ${mistake}`);
  });
  if (mistakes.length > 0) throw new Error(`the API server would refuse these changes\n  ${mistakes.join("\n  ")}`);
  for (const { object } of manifests) cluster.apply(object);
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
