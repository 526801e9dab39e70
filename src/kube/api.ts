import type { KubeStatus } from "./errors.ts";
import type { KubeList, KubeObject, ResourceKind } from "./object.ts";

export interface CallOptions {
  /** Ends the call at once; the promise then rejects with the signal's reason. */
  readonly signal: AbortSignal;
  /** Milliseconds from the call to the end of the answer. The client has a default; a watch has none. */
  readonly deadlineMs?: number;
}

export interface ListOptions extends CallOptions {
  /** Absent: all namespaces, or a cluster-scoped resource. */
  readonly namespace?: string;
  readonly limit?: number;
  /** From the page before. */
  readonly continue?: string;
  /** Absent: the most recent state. */
  readonly resourceVersion?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export interface WatchOptions {
  readonly signal: AbortSignal;
  readonly namespace?: string;
  /** Events after this version are told. */
  readonly resourceVersion: string;
  /** The server ends the stream after this. */
  readonly timeoutSeconds: number;
}

export type WatchEvent =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: KubeObject }
  /** All events up to `metadata.resourceVersion` have been told; nothing else in the object means anything. */
  | { readonly type: "BOOKMARK"; readonly object: KubeObject }
  | { readonly type: "ERROR"; readonly object: KubeStatus };

export interface PatchOptions extends CallOptions {
  readonly subresource?: "status";
}

export interface DeleteOptions extends CallOptions {
  /** Refused with a conflict where the object has another uid. */
  readonly uid?: string;
  readonly resourceVersion?: string;
}

/** `authentication.k8s.io/v1` TokenRequest. */
export interface TokenRequest {
  readonly audiences: readonly string[];
  /** At least 600. */
  readonly expirationSeconds: number;
}

export interface ServiceAccountToken {
  readonly token: string;
  /** RFC 3339. */
  readonly expirationTimestamp: string;
}

/**
 * The only door to Kubernetes, so that a double in memory can stand behind it. Every method throws a `KubeError` and
 * nothing else, or the reason of `signal` when that was aborted. `namespace` is undefined for cluster-scoped resources.
 * What is returned is a fresh, plain JSON value; the type parameter is the caller's claim, and nothing checks it.
 */
export interface KubeApi {
  get<T extends KubeObject = KubeObject>(
    resource: ResourceKind,
    namespace: string | undefined,
    name: string,
    options: CallOptions,
  ): Promise<T>;

  /** One page; all of it where `limit` is absent. */
  list<T extends KubeObject = KubeObject>(resource: ResourceKind, options: ListOptions): Promise<KubeList<T>>;

  /**
   * Events, bookmarks among them, until the server ends the stream: then the iteration is done. A status that refuses
   * the watch, a cut connection or a line that is no event throws.
   */
  watch(resource: ResourceKind, options: WatchOptions): AsyncIterable<WatchEvent>;

  create<T extends KubeObject>(
    resource: ResourceKind,
    namespace: string | undefined,
    object: object,
    options: CallOptions,
  ): Promise<T>;

  /** PUT: `object` as it shall be, whole; guarded by its `metadata.resourceVersion`. */
  replace<T extends KubeObject>(
    resource: ResourceKind,
    namespace: string | undefined,
    name: string,
    object: object,
    options: CallOptions,
  ): Promise<T>;

  /**
   * JSON merge patch (RFC 7386). `metadata.uid` and `metadata.resourceVersion` in the body are guards: where they do
   * not hold nothing is written, and the error is one for which `isConflict` holds.
   */
  patch<T extends KubeObject>(
    resource: ResourceKind,
    namespace: string | undefined,
    name: string,
    body: object,
    options: PatchOptions,
  ): Promise<T>;

  /** Asks for the deletion; finalizers may keep the object for longer. */
  delete(resource: ResourceKind, namespace: string | undefined, name: string, options: DeleteOptions): Promise<void>;

  /** A token of the service account `name`, for the audiences asked. */
  createToken(
    namespace: string,
    name: string,
    request: TokenRequest,
    options: CallOptions,
  ): Promise<ServiceAccountToken>;
}
