import type { MonotonicTime } from "#src/time/clock.ts";
import type { ExternalResource, ResourceType } from "./collection.ts";

/** The maximum number of resources on one page of a list. */
export const resourcesPerPage = 200;

/** Which part of a collection a list covers: everything below a group, or only the group's direct children. */
export type ListScope = { readonly descendantsOf: string } | { readonly childrenOf: string };

/** The group whose descendants or children the scope covers. */
export function groupOfScope(scope: ListScope): string {
  return "descendantsOf" in scope ? scope.descendantsOf : scope.childrenOf;
}

/** Whether a list of the scope covers the resource with this uid; a list without a scope covers every one. */
export function isInScope({ uids }: ResourceType, uid: string, scope: ListScope | undefined): boolean {
  if (scope === undefined) return true;
  return "descendantsOf" in scope ? uids.isBelow(uid, scope.descendantsOf) : uids.parentOf(uid) === scope.childrenOf;
}

export interface ListQuery {
  /** Absent: everything that the caller can see. */
  readonly scope?: ListScope;
  /** Absent: whatever the uids. At most as many as one page has. */
  readonly uids?: readonly string[];
  /** Query parameters of the collection, such as `{ identity: UID }` for role bindings. */
  readonly filter?: Readonly<Record<string, string>>;
  readonly pageToken?: string;
}

export interface ResourcePage<R> {
  readonly resources: readonly R[];
  /** Absent on the last page. */
  readonly nextPageToken?: string;
  /** How many resources match the query, on all pages together. */
  readonly totalCount: number;
}

/** What only reads. Whoever has nothing else changes nothing on the platform. */
export type ReadApi = Pick<PlatformApi, "list" | "get">;

/**
 * The only way to the platform's resources, so that tests can replace the platform by an in-memory double. Every method
 * throws a `PlatformFailure` and nothing else, except the reason of `signal` after it was aborted.
 */
export interface PlatformApi {
  /** Returns one page of at most 200 resources, ordered by uid. */
  list<R extends ExternalResource>(
    type: ResourceType<R>,
    query: ListQuery,
    signal: AbortSignal,
  ): Promise<ResourcePage<R>>;
  get<R extends ExternalResource>(type: ResourceType<R>, uid: string, signal: AbortSignal): Promise<R>;
  /** Returns the created resource, which is a direct child of `parent`. */
  create<R extends ExternalResource>(
    type: ResourceType<R>,
    parent: string,
    body: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<R>;
  /**
   * Changes only the fields in `mask`, and returns the updated resource.
   * @param sendBefore the request depends on what was read just before: it is sent once, and before this time or not at all,
   * and then rejects with `paused`.
   */
  update<R extends ExternalResource>(
    type: ResourceType<R>,
    uid: string,
    body: Readonly<Record<string, unknown>>,
    mask: readonly string[],
    signal: AbortSignal,
    sendBefore?: MonotonicTime,
  ): Promise<R>;
  /** @param sendBefore as of `update`. */
  delete(type: ResourceType, uid: string, signal: AbortSignal, sendBefore?: MonotonicTime): Promise<void>;
}
