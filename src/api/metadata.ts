/** The fields of Kubernetes object metadata that Muster uses. The API server has validated them. */
export interface ObjectMeta {
  name: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  /** Incremented by the API server whenever the spec changes. */
  generation?: number;
  creationTimestamp?: string;
  /** Set once deletion was requested. The object is removed when its last finalizer is. */
  deletionTimestamp?: string;
  finalizers?: string[];
  annotations?: Record<string, string>;
  labels?: Record<string, string>;
}
