import { parseJsonObject } from "#src/json/parse-json.ts";
import type { PlatformApi } from "./platform-api.ts";

const largestPage = "200";
/** More than any platform permits below one root group by default, also where pages are shorter. */
const maxPages = 10_000;

/**
 * The resources of a list, page by page.
 * @param path of the list, with its filters
 * @throws {Error} if the response is not a list
 */
export async function* pagesOf(api: Pick<PlatformApi, "call">, path: string): AsyncGenerator<object> {
  const [where = "", query] = path.split("?");
  const parameters = new URLSearchParams(query);
  if (!parameters.has("page_size") && !parameters.has("pageSize")) parameters.set("page_size", largestPage);
  parameters.delete("pageToken");
  for (let pages = 0; pages < maxPages; pages += 1) {
    const page = parseJsonObject(await api.call({ method: "GET", path: `${where}?${parameters.toString()}` })) ?? {};
    const lists = Object.values(page).filter((value): value is readonly unknown[] => Array.isArray(value));
    const [items] = lists;
    if (items === undefined || lists.length > 1) throw new Error(`--paginate: ${where} does not return a list`);
    for (const item of items) if (typeof item === "object" && item !== null) yield item;
    const { nextPageToken: next } = page;
    if (typeof next !== "string" || next === "") return;
    if (next === parameters.get("page_token")) throw new Error("the platform repeats a page; --paginate has stopped");
    parameters.set("page_token", next);
  }
  throw new Error(`the list has more than ${maxPages} pages; --paginate has stopped. Use a filter`);
}
