import type { ObjectMeta } from "#src/api/metadata.ts";
import { type KindName, type Resource, type ResourceDefinition, resourceDefinitions } from "#src/api/resource.ts";
import { kinds } from "#src/kinds/kinds.ts";
import type { KubeObject } from "#src/kube/object.ts";
import { objectHash } from "#src/kinds/marker.ts";

/** A custom resource as the store holds it: typed, or marked with why it does not fit its schema. */
export interface CachedResource {
  readonly metadata: ObjectMeta;
  readonly resource: Resource;
  readonly invalid: string | undefined;
  /** The part of its marker that tells which object it is: a hash, made once. */
  readonly objectHash: string;
}

const specSchemas = new Map<KindName, ResourceDefinition["specSchema"]>(
  resourceDefinitions.map(({ kind, specSchema }) => [kind, specSchema]),
);

/**
 * Reads what the API server gave. It has validated the object, but perhaps by another version of the definition: what
 * does not fit is kept, so that its status can say so and its deletion still works. A spec that was read `before` is not
 * read again: it is the same as long as the generation is.
 */
export function parseResource(kind: KindName, object: KubeObject, before?: CachedResource): CachedResource {
  const raw = object as unknown as Resource;
  const hash = before?.objectHash ?? objectHash(kind, raw.metadata.namespace ?? "", raw.metadata.name);
  if (before !== undefined && before.metadata.generation === raw.metadata.generation)
    return {
      metadata: raw.metadata,
      resource: { ...raw, spec: before.resource.spec },
      invalid: before.invalid,
      objectHash: hash,
    };
  const parsed = specSchemas.get(kind)?.safeParse(raw.spec);
  if (parsed?.success === true) {
    const resource = { ...raw, spec: parsed.data } as Resource;
    return { metadata: resource.metadata, resource, invalid: undefined, objectHash: hash };
  }
  const issue = parsed?.error.issues[0];
  const invalid = `spec${issue === undefined ? "" : [...issue.path].map((part) => `.${String(part)}`).join("")}: ${issue?.message ?? "unknown kind"}`;
  const deletion =
    (raw.spec as Partial<Resource["spec"]> | undefined)?.policy?.deletion === "Orphan" ? "Orphan" : "Delete";
  const spec = { ...raw.spec, policy: { adoption: "Never", deletion, drift: "Report" } };
  return { metadata: raw.metadata, resource: { ...raw, spec } as Resource, invalid, objectHash: hash };
}

/** Under what custom resources are found besides their name. */
export const resourceIndexes = {
  /** What they refer to: `Group team/payments`. */
  refersTo: ({ resource, invalid }: CachedResource): readonly string[] =>
    invalid === undefined
      ? kinds[resource.kind]
          .references(resource)
          .flatMap(({ target }) =>
            target.by === "resource"
              ? [
                  referenceKey(
                    target.kind,
                    target.reference.namespace ?? resource.metadata.namespace ?? "",
                    target.reference.name,
                  ),
                ]
              : [],
          )
      : [],
  /** The uids that they stand for. */
  claims: ({ resource }: CachedResource): readonly string[] => [
    ...new Set([resource.spec.uid, resource.status?.uid].filter((uid) => uid !== undefined)),
  ],
  /** The part of its marker that tells which object it is. */
  object: ({ objectHash: hash }: CachedResource): readonly string[] => [hash],
  /** `yes` for those whose way is barred by another thing. */
  inConflict: ({ resource: { status } }: CachedResource): readonly string[] =>
    status?.conditions?.some(({ type, reason }) => type === "Ready" && reason === "Conflict") === true ? ["yes"] : [],
} as const;

export function referenceKey(kind: string, namespace: string, name: string): string {
  return `${kind} ${namespace}/${name}`;
}
