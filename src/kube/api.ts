import type { KubeStatus } from "./errors.ts";
import type { KubeList, KubeObject, ResourceKind } from "./object.ts";

export interface CallOptions {
  /** Aborts the call at once; the promise then rejects with the signal's reason. */
  readonly signal: AbortSignal;
  /** Milliseconds from the call to the end of the response; default: the client's. */
  readonly deadlineMs?: number;
}

export interface ListOptions extends CallOptions {
  /** Absent: all namespaces, or a cluster-scoped resource. */
  readonly namespace?: string;
  readonly limit?: number;
  /** The token of the previous page. */
  readonly continue?: string;
}

export interface WatchOptions {
  readonly signal: AbortSignal;
  readonly namespace?: string;
  /** The watch starts after this version. */
  readonly resourceVersion: string;
  /** The API server ends the stream after this time. */
  readonly timeoutSeconds: number;
}

export type WatchEvent =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: KubeObject }
  /** All events up to `metadata.resourceVersion` have been sent. The object has no other meaningful field. */
  | { readonly type: "BOOKMARK"; readonly object: KubeObject }
  | { readonly type: "ERROR"; readonly object: KubeStatus };

export interface WriteOptions extends CallOptions {
  /** Whether the API server only checks the request, as far as admission, and writes nothing. */
  readonly dryRun?: boolean;
  /** The user whose request it is (impersonation); default: the caller. */
  readonly asUser?: string;
}

export interface PatchOptions extends WriteOptions {
  readonly subresource?: "status" | "scale";
}

export interface DeleteOptions extends CallOptions {
  /** A precondition: the call fails with a conflict if the object has another uid. */
  readonly uid?: string;
  /** A precondition: the call fails with a conflict if the object has another version. */
  readonly resourceVersion?: string;
}

/** `authentication.k8s.io/v1` TokenRequest. */
export interface TokenRequest {
  readonly audiences: readonly string[];
  /** At least 600 seconds. */
  readonly expirationSeconds: number;
}

export interface ServiceAccountToken {
  readonly token: string;
  /** RFC 3339. */
  readonly expirationTimestamp: string;
}

/**
 * The Kubernetes API, as far as the operator uses it; tests implement it in memory. Every method throws a `KubeError`,
 * or the reason of `signal` if that has aborted, and nothing else. `namespace` is undefined for cluster-scoped resources.
 * Objects in responses are new plain JSON values. Their type parameter is not checked.
 */
export interface KubeApi {
  get<T extends KubeObject = KubeObject>(
    resource: ResourceKind,
    namespace: string | undefined,
    name: string,
    options: CallOptions,
  ): Promise<T>;

  /** Returns one page, or everything if `limit` is absent. */
  list<T extends KubeObject = KubeObject>(resource: ResourceKind, options: ListOptions): Promise<KubeList<T>>;

  /**
   * Yields events, including bookmarks, until the API server ends the stream. An error status, a broken connection and
   * a line that is not an event throw.
   */
  watch(resource: ResourceKind, options: WatchOptions): AsyncIterable<WatchEvent>;

  create<T extends KubeObject>(
    resource: ResourceKind,
    namespace: string | undefined,
    object: object,
    options: WriteOptions,
  ): Promise<T>;

  /** Replaces the whole object (PUT); a conflict if its `metadata.resourceVersion` is not the current one. */
  replace<T extends KubeObject>(
    resource: ResourceKind,
    namespace: string | undefined,
    name: string,
    object: object,
    options: CallOptions,
  ): Promise<T>;

  /**
   * Applies a JSON merge patch (RFC 7386). `metadata.uid` and `metadata.resourceVersion` in the body are preconditions:
   * if one fails, nothing is written, and `isConflict` is true for the error.
   */
  patch<T extends KubeObject>(
    resource: ResourceKind,
    namespace: string | undefined,
    name: string,
    body: object,
    options: PatchOptions,
  ): Promise<T>;

  /** Requests the deletion; the object exists until its last finalizer is removed. */
  delete(resource: ResourceKind, namespace: string | undefined, name: string, options: DeleteOptions): Promise<void>;

  /** Returns a token of the service account `name` for the requested audiences. */
  createToken(
    namespace: string,
    name: string,
    request: TokenRequest,
    options: CallOptions,
  ): Promise<ServiceAccountToken>;
}
