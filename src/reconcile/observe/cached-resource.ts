import { readyCondition } from "#src/api/condition.ts";
import type { Resource } from "#src/api/custom-resource.ts";
import type { ObjectMeta } from "#src/api/metadata.ts";
import { parseWithSchema } from "#src/api/schema-mistake.ts";
import type { Kind } from "#src/kinds/kind.ts";
import { objectHash } from "#src/kinds/marker.ts";
import { referredKinds } from "#src/kinds/referred-kinds.ts";
import { secretKey, secretLocationOf } from "#src/kinds/secret-location.ts";
import { wantedName } from "#src/kinds/unique-name.ts";
import type { KubeObject } from "#src/kube/object.ts";
import type { ReadStore } from "#src/kube/store.ts";

/** A custom resource as the store caches it: typed, or with the reason why it does not match its schema. */
export interface CachedResource {
  readonly metadata: ObjectMeta;
  readonly resource: Resource;
  readonly invalid: string | undefined;
  /** The part of the marker that identifies the object, computed once. */
  readonly objectHash: string;
}

export type ResourceIndex = keyof ReturnType<typeof resourceIndexes>;

/** A store of custom resources, as its readers see it. */
export type ResourceStore = ReadStore<CachedResource, ResourceIndex>;

/**
 * Parses an object that the API server sent. The API server validated it, but perhaps with another version of the
 * CustomResourceDefinition: an object that does not match the schema is kept, so that its status can report it and its
 * deletion still works. The spec of `before` is reused if the generation is the same.
 */
export function parseResource(kind: Kind, object: KubeObject, before?: CachedResource): CachedResource {
  const raw = object as unknown as Resource;
  const hash = before?.objectHash ?? objectHash(kind.name, raw.metadata.namespace ?? "", raw.metadata.name);
  if (before !== undefined && before.metadata.generation === raw.metadata.generation)
    return {
      metadata: raw.metadata,
      resource: { ...raw, spec: before.resource.spec },
      invalid: before.invalid,
      objectHash: hash,
    };
  const parsed = parseWithSchema(kind.definition.specSchema, raw.spec);
  if ("value" in parsed) {
    const resource = { ...raw, spec: parsed.value };
    return { metadata: resource.metadata, resource, invalid: undefined, objectHash: hash };
  }
  const path = ["spec", ...parsed.mistake.path].map(String).join(".");
  const invalid = `${path}: ${parsed.mistake.message}`;
  const { deletion, management } = (raw.spec as Partial<Resource["spec"]> | undefined)?.policy ?? {};
  const spec = {
    ...raw.spec,
    policy: {
      management: management === "Observe" ? management : "Full",
      adoption: "Never",
      ...(deletion === "Delete" || deletion === "Orphan" || deletion === "Protect" ? { deletion } : {}),
      drift: "Report",
    },
  };
  return { metadata: raw.metadata, resource: { ...raw, spec } as Resource, invalid, objectHash: hash };
}

/** The indexes of a store of custom resources. */
export function resourceIndexes(kind: Kind) {
  return {
    /** By the objects that an object refers to. */
    refersTo: (cached: CachedResource) => referencedKeys(kind, cached),
    /** By the uids by which an object refers to others, and their kinds. */
    refersToUid: (cached: CachedResource) => referencedUids(kind, cached).map((one) => uidKey(one.kind, one.uid)),
    /** By the uids that an object claims. */
    claims: claimedUids,
    /** By what no two objects may want: a name below a parent, or a grant. */
    wants: (cached: CachedResource) => wantedKeys(kind, cached),
    /** By the part of the marker that identifies the object. */
    object: ({ objectHash: hash }: CachedResource): readonly string[] => [hash],
    /** By namespace. */
    namespace: ({ metadata: { namespace = "" } }: CachedResource): readonly string[] => [namespace],
    /**
     * The objects that are not Ready because of a Conflict with another resource, by what they may be in conflict over, and
     * all of them under `anyConflict`.
     */
    inConflict: (cached: CachedResource): readonly string[] =>
      isInConflict(cached) ? [anyConflict, ...contestedKeys(kind, cached)] : [],
  } as const;
}

/** Those of the indexes that only the name, the namespace and the spec determine. */
export const resourceSpecIndexes = [
  "refersTo",
  "refersToUid",
  "wants",
  "object",
  "namespace",
] as const satisfies ResourceIndex[];

/** The keys, as from `referenceKey`, of the objects that an object refers to. */
export function referencedKeys(kind: Kind, { resource, invalid }: CachedResource): readonly string[] {
  if (invalid !== undefined) return [];
  return kind.references(resource).flatMap(({ target }) => {
    if (target.by !== "resource") return [];
    const { namespace = resource.metadata.namespace ?? "", name } = target.reference;
    return [referenceKey(target.kind, namespace, name)];
  });
}

/** The key of the index `refersToUid`. A uid alone says little: that of a group is that of its account association, too. */
export function uidKey(kind: string, uid: string): string {
  return `${kind} ${uid}`;
}

/** The uids by which an object refers to others, with their kinds. */
export function referencedUids(
  kind: Kind,
  { resource, invalid }: CachedResource,
): readonly { readonly kind: string; readonly uid: string }[] {
  if (invalid !== undefined) return [];
  return kind
    .references(resource)
    .flatMap(({ purpose, target }) => (target.by === "uid" ? [{ kind: referredKinds[purpose], uid: target.uid }] : []));
}

/** The key of the index `wants` for the references of an object as it writes them. */
function wantedKeys(kind: Kind, { resource, invalid }: CachedResource): readonly string[] {
  if (invalid !== undefined) return [];
  const targets = kind.references(resource).map(({ target }) => {
    if (target.by === "uid") return target.uid;
    if (target.by === "roleName") return target.name;
    const { namespace = resource.metadata.namespace ?? "", name } = target.reference;
    return referenceKey(target.kind, namespace, name);
  });
  return [wantedKey(kind, resource, targets) ?? []].flat();
}

/** The key of the index `wants` for these references: each a uid, a key of an object, or the name of a role. */
export function wantedKey(kind: Kind, resource: Resource, targets: readonly string[]): string | undefined {
  return kind.identification.contested(targets, wantedName(kind, resource), secretKeyOf(kind, resource));
}

function secretKeyOf(kind: Kind, resource: Resource): string | undefined {
  const at = secretLocationOf(kind, resource);
  return at && secretKey(at);
}

/** The reason of the condition Ready; undefined before it was reported. */
export function readyReason(resource: Resource | undefined): string | undefined {
  return readyCondition(resource ?? {})?.reason;
}

/** Whether the object is not Ready because of a Conflict. */
export function isInConflict({ resource }: CachedResource): boolean {
  return readyReason(resource) === "Conflict";
}

/** What an object may be in conflict over with others: uids, and its name without regard to where. */
export function contestedKeys(kind: Kind, cached: CachedResource): readonly string[] {
  const name = wantedName(kind, cached.resource);
  return [...claimedUids(cached), ...(name === undefined ? [] : [contestedName(name)])];
}

/** The key of the index `inConflict` for every object in it. */
export const anyConflict = "any";

/** The key of the index `inConflict` for a name. */
export function contestedName(name: string): string {
  return `name ${name}`;
}

/** The uids that an object claims. */
export function claimedUids({ resource }: CachedResource): readonly string[] {
  return [...new Set([resource.spec.uid, resource.status?.uid].filter((uid) => uid !== undefined))];
}

/** The key of the index `refersTo`, such as `Group team/payments`. */
export function referenceKey(kind: string, namespace: string, name: string): string {
  return `${kind} ${namespace}/${name}`;
}
