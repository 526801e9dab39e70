import type { ListQuery, PlatformApi } from "./api.ts";
import type { ExternalResource, ResourceType } from "./collection.ts";
import { PlatformFailure } from "./failure.ts";

export interface CompleteList<R> {
  readonly resources: readonly R[];
  /** Whether every page reported the same total, equal to the number of resources: nothing was created or deleted meanwhile. */
  readonly stable: boolean;
}

/**
 * Reads all pages of a list. The pages are ordered by uid, so a resource that exists throughout is neither skipped nor
 * repeated.
 * @throws {PlatformFailure} of kind `noResponse` also where a page does not continue the one before it, because an expired
 * page token starts the list over.
 */
export async function listAll<R extends ExternalResource>(
  api: PlatformApi,
  type: ResourceType<R>,
  query: Omit<ListQuery, "pageToken">,
  signal: AbortSignal,
): Promise<CompleteList<R>> {
  const resources: R[] = [];
  let total: number | undefined;
  let stable = true;
  let pageToken: string | undefined;
  do {
    const page = await api.list(type, { ...query, ...(pageToken === undefined ? {} : { pageToken }) }, signal);
    const [last, first] = [resources.at(-1), page.resources[0]];
    if (last !== undefined && first !== undefined && first.uid <= last.uid)
      throw new PlatformFailure(`list ${type.name}`, {
        kind: "noResponse",
        message: "the list started over at one of its pages",
      });
    stable &&= page.totalCount === (total ??= page.totalCount);
    resources.push(...page.resources);
    pageToken = page.nextPageToken;
  } while (pageToken !== undefined);
  return { resources, stable: stable && resources.length === total };
}
