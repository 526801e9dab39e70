import type { ObjectMeta } from "#src/api/metadata.ts";
import { type KindName, type Resource, type ResourceDefinition, resourceDefinitions } from "#src/api/resource.ts";
import { kinds } from "#src/kinds/kinds.ts";
import type { KubeObject } from "#src/kube/object.ts";
import type { ReadStore } from "#src/kube/store.ts";
import { objectHash } from "#src/kinds/marker.ts";

/** A custom resource as the store caches it: typed, or with the reason why it does not match its schema. */
export interface CachedResource {
  readonly metadata: ObjectMeta;
  readonly resource: Resource;
  readonly invalid: string | undefined;
  /** The part of the marker that identifies the object, computed once. */
  readonly objectHash: string;
}

export type ResourceIndex = keyof typeof resourceIndexes;

/** A store of custom resources, as its readers see it. */
export type ResourceStore = ReadStore<CachedResource, ResourceIndex>;

const specSchemas = new Map<KindName, ResourceDefinition["specSchema"]>(
  resourceDefinitions.map(({ kind, specSchema }) => [kind, specSchema]),
);

/**
 * Parses an object that the API server sent. The API server validated it, but perhaps with another version of the
 * CustomResourceDefinition: an object that does not match the schema is kept, so that its status can report it and its
 * deletion still works. The spec of `before` is reused if the generation is the same.
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

/** The indexes of a store of custom resources. */
export const resourceIndexes = {
  /** By the objects that an object refers to: `Group team/payments`. */
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
  /** By the uids that an object claims. */
  claims: ({ resource }: CachedResource): readonly string[] => [
    ...new Set([resource.spec.uid, resource.status?.uid].filter((uid) => uid !== undefined)),
  ],
  /** By the part of the marker that identifies the object. */
  object: ({ objectHash: hash }: CachedResource): readonly string[] => [hash],
  /** Under `yes`: the objects that are not Ready because of a Conflict with another resource. */
  inConflict: ({ resource: { status } }: CachedResource): readonly string[] =>
    status?.conditions?.some(({ type, reason }) => type === "Ready" && reason === "Conflict") === true ? ["yes"] : [],
} as const;

/** The key of the index `refersTo`. */
export function referenceKey(kind: string, namespace: string, name: string): string {
  return `${kind} ${namespace}/${name}`;
}
