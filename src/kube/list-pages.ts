import type { KubeApi } from "./api.ts";
import { isTooLarge, KubeError } from "./errors.ts";
import type { KubeList, KubeObject, ResourceKind } from "./object.ts";

/** More objects are not asked for at once: each page is in memory as text and as objects. */
const pageLimit = 200;
/** Ten million objects, in pages of ordinary size. A longer list would not end. */
const maxPages = 20_000;

/**
 * The pages of a list, one after the other. A page that is larger than a response may be is asked for again with half as many
 * objects, and so are those after it.
 * @param namespace absent: of all namespaces, or of a cluster-scoped resource
 * @throws {KubeError} also after 20,000 pages, and where a page leads to itself
 */
export async function* listPages<T extends KubeObject>(
  kube: Pick<KubeApi, "list">,
  resource: ResourceKind,
  signal: AbortSignal,
  namespace?: string,
): AsyncGenerator<KubeList<T>> {
  const call = `list ${resource.plural}`;
  let limit = pageLimit;
  let token: string | undefined;
  for (let pages = 0; pages < maxPages; ) {
    let page: KubeList<T>;
    try {
      page = await kube.list<T>(resource, {
        signal,
        limit,
        ...(namespace === undefined ? {} : { namespace }),
        ...(token === undefined ? {} : { continue: token }),
      });
    } catch (error) {
      if (!isTooLarge(error) || limit === 1) throw error;
      limit = Math.ceil(limit / 2);
      continue;
    }
    pages += 1;
    yield page;
    const next = page.metadata.continue || undefined;
    if (next === undefined) return;
    if (next === token) throw KubeError.noResponse(call, "a page of the list leads to itself");
    token = next;
  }
  throw KubeError.noResponse(call, `the list has more than ${maxPages} pages`);
}
