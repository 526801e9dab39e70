/** What Kubernetes keeps with every object, as far as this program looks at it. */
export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  /** Comparable for objects of one resource: see `compareResourceVersions`. */
  readonly resourceVersion?: string;
  /** Counts the changes of the spec. */
  readonly generation?: number;
  readonly creationTimestamp?: string;
  /** Set once the deletion has been asked for; the object is gone when its last finalizer is. */
  readonly deletionTimestamp?: string;
  readonly finalizers?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

export interface KubeList<T extends KubeObject = KubeObject> {
  readonly metadata: {
    readonly resourceVersion?: string;
    /** Absent on the last page. */
    readonly continue?: string;
  };
  readonly items: readonly T[];
}

/** A resource as the API server addresses it. */
export interface ResourceKind {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

/** `namespace/name`; the name alone for what is cluster-scoped. */
export function keyOf(object: { readonly metadata: ObjectMeta }): string {
  const { namespace, name } = object.metadata;
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/**
 * Orders two versions of one resource: negative where `a` is older. Kubernetes promises that they are decimal integers
 * of any length without leading zeros, so that no number type has to hold them.
 */
export function compareResourceVersions(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** What `kubectl apply` leaves for itself: as large as the object, and of no use here. */
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/**
 * The object without `managedFields` and kubectl's copy of it, which together are more than half of what arrives. For
 * what is kept in memory; the argument is used up.
 */
export function withoutBulk(object: KubeObject): KubeObject {
  const { managedFields: _, annotations, ...metadata } = object.metadata as ObjectMeta & { managedFields?: unknown };
  if (annotations === undefined) return { ...object, metadata };
  if (annotations[lastApplied] === undefined) return { ...object, metadata: { ...metadata, annotations } };
  const { [lastApplied]: __, ...others } = annotations;
  return { ...object, metadata: { ...metadata, annotations: others } };
}
