/** What Kubernetes keeps with every object, as far as Muster looks at it. The API server has validated it. */
export interface ObjectMeta {
  name: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  /** Counts the changes of the spec. */
  generation?: number;
  creationTimestamp?: string;
  /** Set once the deletion has been asked for; the object is gone when its last finalizer is. */
  deletionTimestamp?: string;
  finalizers?: string[];
  annotations?: Record<string, string>;
  labels?: Record<string, string>;
}
