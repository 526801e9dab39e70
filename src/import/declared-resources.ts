import type { Resource } from "#src/api/custom-resource.ts";
import type { Kind } from "#src/kinds/kind.ts";
import type { ReferencePurpose, Target } from "#src/kinds/reference-field.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";

/** The objects of a kind in a cluster, in all namespaces. */
export interface ClusterObjects {
  readonly kind: Kind;
  readonly objects: readonly Resource[];
}

/** Which object of a cluster is meant. The kind follows from what it declares. */
export interface ObjectName {
  readonly namespace: string;
  readonly name: string;
}

/**
 * Which resources the objects of a cluster declare: those that they record, and until they record one, what they describe: a
 * resource by its uid, a grant, or the singleton of a group. Objects that only observe declare nothing. If several declare the same, the
 * one counts to which the operator gives it: one that records it, or else the oldest.
 */
export class DeclaredResources {
  /** The uids that objects record or name, by kind, namespace and name. */
  readonly #uids = new Map<string, string>();
  readonly #builtInRoles: ReadonlyMap<string, string>;
  /** By kind, and by uid or natural key. */
  readonly #declarations = new Map<string, ObjectName>();

  /** @param builtInRoles the uids of the built-in roles by their names */
  constructor(cluster: readonly ClusterObjects[], builtInRoles: ReadonlyMap<string, string>) {
    this.#builtInRoles = builtInRoles;
    const all = cluster.flatMap(({ kind, objects }) => objects.map((object) => ({ kind, object })));
    for (const { kind, object } of all) {
      const uid = uidOf(object);
      if (uid !== undefined) this.#uids.set(keyOf(kind.name, nameOf(object)), uid);
    }
    const managing = all.filter(({ object }) => object.spec.policy?.management !== "Observe");
    for (const { kind, object } of managing.toSorted((one, other) => compareClaims(one.object, other.object)))
      for (const declared of this.#declaredBy(kind, object)) {
        const key = `${kind.name} ${declared}`;
        if (!this.#declarations.has(key)) this.#declarations.set(key, nameOf(object));
      }
  }

  /** The object that declares a resource, whether it has the resource or waits for it; undefined if none does. */
  objectFor(kind: Kind, resource: ExternalResource): ObjectName | undefined {
    const natural = kind.identification.by === "marker" ? undefined : kind.collection.naturalKeyOf(resource);
    return this.objectOf(kind.name, resource.uid) ?? this.#declarations.get(`${kind.name} ${natural}`);
  }

  /** The object that declares the resource with this uid; undefined if none does. */
  objectOf(kind: string, uid: string): ObjectName | undefined {
    return this.#declarations.get(`${kind} ${uid}`);
  }

  /** The uids and natural keys of what an object declares. */
  #declaredBy(kind: Kind, object: Resource): readonly string[] {
    const uid = uidOf(object);
    const known = uid === undefined ? [] : [uid];
    const { isSingleton } = kind.collection.uids;
    if (kind.identification.by === "marker" && !isSingleton) return known;
    const uids = this.#resolve(kind, object);
    if (uids === undefined) return known;
    return [...known, isSingleton ? (uids.parent ?? "") : kind.identification.naturalKey(uids, "")];
  }

  /** To what the references of an object lead; undefined if one leads nowhere, or the cluster has an object that is not valid. */
  #resolve(kind: Kind, object: Resource): Readonly<Partial<Record<ReferencePurpose, string>>> | undefined {
    const { success, data: spec } = kind.definition.specSchema.safeParse(object.spec);
    if (!success) return undefined;
    const uids: Partial<Record<ReferencePurpose, string>> = {};
    for (const { purpose, target } of kind.references({ ...object, spec })) {
      const uid = this.#targetOf(target, object);
      if (uid === undefined) return undefined;
      uids[purpose] = uid;
    }
    return uids;
  }

  #targetOf(target: Target, object: Resource): string | undefined {
    switch (target.by) {
      case "uid":
        return target.uid;
      case "roleName":
        return this.#builtInRoles.get(target.name);
      case "resource":
        return this.#uids.get(keyOf(target.kind, { ...nameOf(object), ...target.reference }));
    }
  }
}

function uidOf({ spec, status }: Resource): string | undefined {
  return status?.uid ?? spec.uid;
}

function nameOf({ metadata: { name, namespace = "" } }: Resource): ObjectName {
  return { namespace, name };
}

function keyOf(kind: string, { namespace, name }: ObjectName): string {
  return `${kind} ${namespace}/${name}`;
}

function compareClaims(one: Resource, other: Resource): number {
  return rankOf(one) < rankOf(other) ? -1 : 1;
}

/** In the order in which the operator gives a resource to one of several objects. */
function rankOf(object: Resource): string {
  const isRecorded = object.status?.uid !== undefined;
  return [isRecorded ? 0 : 1, object.metadata.creationTimestamp ?? "", keyOf("", nameOf(object))].join(" ");
}
