import type { ExternalResources } from "./external-resource.ts";

export interface ListQuery {
  readonly scope?: { readonly descendantsOf: string } | { readonly childrenOf: string };
  readonly filter?: Readonly<Record<string, string>>;
  readonly pageToken?: string;
}

export interface Page<R> {
  readonly rows: readonly R[];
  /** Absent on the last page. */
  readonly nextPageToken?: string;
  readonly totalCount: number;
}

/**
 * The one door to the platform's resources, so that a double in memory can stand behind it. Every method throws a
 * `PlatformFailure` and nothing else, or what `signal` was aborted with.
 */
export interface PlatformApi {
  /** One page of at most 200 rows in the order of their uids. */
  list<C extends keyof ExternalResources>(
    collection: C,
    query: ListQuery,
    signal: AbortSignal,
  ): Promise<Page<ExternalResources[C]>>;
  get<C extends keyof ExternalResources>(
    collection: C,
    uid: string,
    signal: AbortSignal,
  ): Promise<ExternalResources[C]>;
  /** Answers with what was made, which lies directly below `parent`. */
  create<C extends keyof ExternalResources>(
    collection: C,
    parent: string,
    body: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<ExternalResources[C]>;
  /** Changes the fields in `mask` and no others. */
  update<C extends keyof ExternalResources>(
    collection: C,
    uid: string,
    body: Readonly<Record<string, unknown>>,
    mask: readonly string[],
    signal: AbortSignal,
  ): Promise<ExternalResources[C]>;
  delete(collection: keyof ExternalResources, uid: string, signal: AbortSignal): Promise<void>;
}
