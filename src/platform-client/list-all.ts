import { isInScope, type ListQuery, type ReadApi, resourcesPerPage } from "./api.ts";
import type { ExternalResource, ResourceType } from "./collection.ts";
import { PlatformFailure } from "./failure.ts";

export interface CompleteList<R> {
  readonly resources: readonly R[];
  /** Whether every page reported the same total, equal to the number of resources: nothing was created or deleted meanwhile. */
  readonly stable: boolean;
}

/** Bounds of one list, far above what the platform permits below one root group by default. */
const maxResources = 500_000;
/** Pages may be shorter than requested. */
const maxPages = 10_000;
/** The length of the resources as JSON. */
const maxCharacters = 256 * 1024 * 1024;

/**
 * Reads all pages of a list. The pages are ordered by uid, so a resource that exists throughout is neither skipped nor
 * repeated.
 * @throws {PlatformFailure} of kind `noResponse` also where a page does not continue the one before it, because an expired
 * page token starts the list over; where a resource is not in the requested scope; and where the list exceeds 500,000
 * resources, 10,000 pages or 256 Mi characters.
 */
export async function listAll<R extends ExternalResource>(
  api: ReadApi,
  type: ResourceType<R>,
  query: Omit<ListQuery, "pageToken">,
  signal: AbortSignal,
): Promise<CompleteList<R>> {
  const malformed = (message: string) => new PlatformFailure(`list ${type.name}`, { kind: "noResponse", message });
  const resources: R[] = [];
  let total: number | undefined;
  let stable = true;
  let pageToken: string | undefined;
  let characters = 0;
  for (let pages = 0; pages < maxPages; pages += 1) {
    const page = await api.list(type, { ...query, ...(pageToken === undefined ? {} : { pageToken }) }, signal);
    if (page.resources.length > resourcesPerPage) throw malformed(`a page has more than ${resourcesPerPage} resources`);
    const [last, first] = [resources.at(-1), page.resources[0]];
    if (last !== undefined && first !== undefined && first.uid <= last.uid)
      throw malformed("the list started over at one of its pages");
    for (const resource of page.resources) {
      if (!isInScope(type, resource.uid, query.scope))
        throw malformed(`the resource ${resource.uid} is outside of the scope of the list`);
      characters += JSON.stringify(resource).length;
      resources.push(resource);
    }
    if (resources.length > maxResources || characters > maxCharacters) throw malformed("the list is too large");
    stable &&= page.totalCount === (total ??= page.totalCount);
    pageToken = page.nextPageToken;
    if (pageToken === undefined) return { resources, stable: stable && resources.length === total };
  }
  throw malformed(`the list has more than ${maxPages} pages`);
}
