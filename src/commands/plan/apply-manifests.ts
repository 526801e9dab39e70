import { isDeepStrictEqual } from "node:util";
import { immutableFields } from "#src/api/rule.ts";
import { keyOf } from "#src/kube/object.ts";
import type { ClusterObject, MemoryCluster } from "#src/plan/memory-cluster.ts";
import { subjectOf } from "#src/plan/make-plan.ts";
import type { EarlierApply } from "./applied-fields.ts";
import { mergeApplied } from "./merge-applied.ts";
import type { Manifest } from "./read-manifests.ts";
import { parseSpec, type SpecSchemas } from "./read-object.ts";

const nothing: EarlierApply = { onClient: new Map(), onServer: new Map() };

/**
 * Applies manifests as `kubectl apply` does. What it merges of the spec with what others have set is checked again.
 * @param appliedTo what an earlier apply has set, by the kind and the key of the object
 * @throws {Error} that names file, document and field of everything that the API server would refuse
 */
export function applyManifests(
  cluster: MemoryCluster,
  manifests: readonly Manifest[],
  schemas: SpecSchemas,
  appliedTo: ReadonlyMap<string, EarlierApply> = new Map(),
): void {
  const mistakes: string[] = [];
  const merged = manifests.map((manifest) => {
    const { object, where } = manifest;
    const before = cluster.find(object.kind, keyOf(object));
    if (before === undefined) {
      mistakes.push(...inLeavingNamespace(cluster, object).map((mistake) => `${where}: ${mistake}`));
      return object;
    }
    const after = merge(before, manifest, appliedTo.get(subjectOf(object)) ?? nothing, schemas);
    const found = [
      ...ofAnother(before, object),
      ...("mistake" in after ? [after.mistake] : changedForever(before, after.object, schemas)),
    ];
    mistakes.push(...found.map((mistake) => `${where}: ${mistake}`));
    return "object" in after ? after.object : object;
  });
  if (mistakes.length > 0) throw new Error(`the API server would refuse these changes\n  ${mistakes.join("\n  ")}`);
  for (const object of merged) cluster.put(object);
}

/** The object after the apply, with default values, or why the API server would refuse it. */
function merge(
  before: ClusterObject,
  manifest: Manifest,
  applied: EarlierApply,
  schemas: SpecSchemas,
): { readonly object: ClusterObject } | { readonly mistake: string } {
  const object = mergeApplied(before, manifest, applied);
  const schema = schemas.get(object.kind);
  if (schema === undefined) return { object };
  const parsed = parseSpec(schema, object.spec);
  return "mistake" in parsed ? parsed : { object: { ...object, spec: parsed.spec } };
}

/** That an object which does not exist yet is in a namespace that is being deleted. */
function inLeavingNamespace(cluster: MemoryCluster, { metadata: { namespace } }: ClusterObject): readonly string[] {
  const found = namespace === undefined ? undefined : cluster.find("Namespace", namespace);
  return found?.metadata.deletionTimestamp === undefined
    ? []
    : [`metadata.namespace: the namespace ${namespace} is being deleted: nothing can be created in it`];
}

/** The fields of the metadata by which a file says that it is of another object, or of an earlier version of the object. */
function ofAnother({ metadata: before }: ClusterObject, { metadata: after }: ClusterObject): readonly string[] {
  const fields = [
    ["uid", "is that of another object: remove it"],
    ["resourceVersion", "the object has changed since: remove it, or start again from the present object"],
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
