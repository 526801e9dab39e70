/** The fields of `meta/v1.ObjectMeta` that are used. */
export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  /** Comparable between objects of one resource: see `compareResourceVersions`. */
  readonly resourceVersion?: string;
  /** Incremented by every change of the spec. */
  readonly generation?: number;
  readonly creationTimestamp?: string;
  /** Set once the deletion has been requested; the object exists until its last finalizer is removed. */
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
    /** How many objects are on the pages that follow; absent on the last one. */
    readonly remainingItemCount?: number;
  };
  readonly items: readonly T[];
}

/** Identifies a resource of the API server. */
export interface ResourceKind {
  /** Empty: the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
}

/** Returns `namespace/name`, or the name alone for a cluster-scoped object. */
export function keyOf(object: { readonly metadata: ObjectMeta }): string {
  const { namespace, name } = object.metadata;
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/**
 * Compares two versions of one resource: negative if `a` is older, 0 if they are equal. Kubernetes guarantees decimal
 * integers without leading zeros. They may exceed a number's precision, so they are compared as strings.
 */
export function compareResourceVersions(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The annotation in which `kubectl apply` keeps a copy of the object. */
export const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/**
 * Returns the object without `managedFields` and without kubectl's copy of it, to save memory: together they are more
 * than half of its size. Everything else is shared with the argument.
 */
export function withoutBulk(object: KubeObject): KubeObject {
  const { managedFields: _, annotations, ...metadata } = object.metadata as ObjectMeta & { managedFields?: unknown };
  if (annotations === undefined) return { ...object, metadata };
  if (annotations[lastApplied] === undefined) return { ...object, metadata: { ...metadata, annotations } };
  const { [lastApplied]: __, ...others } = annotations;
  return { ...object, metadata: { ...metadata, annotations: others } };
}
