const largestPage = "200";
/** More than any platform permits below one root group by default, also where pages are shorter. */
const maxPages = 10_000;

/**
 * The pages of a list of any collection. The operator's own loop, `platform-client/list-all.ts`, knows the collection, and proves
 * that the list is complete.
 * @param read reads one page, as a JSON object
 * @param path of the list, with its filters
 * @throws {Error} if the response is not a list
 */
export async function* pagesOf(
  read: (path: string) => Promise<Readonly<Record<string, unknown>> | undefined>,
  path: string,
): AsyncGenerator<readonly object[]> {
  const [where = "", query] = path.split("?");
  const parameters = new URLSearchParams(query);
  if (!parameters.has("page_size") && !parameters.has("pageSize")) parameters.set("page_size", largestPage);
  parameters.delete("pageToken");
  for (let pages = 0; pages < maxPages; pages += 1) {
    const page = (await read(`${where}?${parameters.toString()}`)) ?? {};
    const lists = Object.values(page).filter((value): value is readonly unknown[] => Array.isArray(value));
    const [items] = lists;
    if (items === undefined || lists.length > 1) throw new Error(`--paginate: ${where} does not return a list`);
    yield items.filter((item): item is object => typeof item === "object" && item !== null);
    const { nextPageToken: next } = page;
    if (typeof next !== "string" || next === "") return;
    if (next === parameters.get("page_token")) throw new Error("the platform repeats a page; the list is not complete");
    parameters.set("page_token", next);
  }
  throw new Error(`the list has more than ${maxPages} pages, and is not complete: use a filter`);
}
