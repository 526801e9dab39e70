import type { ListQuery, PlatformApi } from "./api.ts";
import { PlatformFailure } from "./failure.ts";
import type { ExternalResources } from "./external-resource.ts";

export interface CompleteList<R> {
  readonly rows: readonly R[];
  /** Whether every page told the same total and the rows are as many: nothing came or went meanwhile. */
  readonly stable: boolean;
}

/**
 * All pages of a list in the order of uids, in which a row that neither comes nor goes is neither lost nor repeated.
 * @throws {PlatformFailure} also where a page does not continue the one before (an expired page token starts over).
 */
export async function listAll<C extends keyof ExternalResources>(
  api: PlatformApi,
  collection: C,
  query: Omit<ListQuery, "pageToken">,
  signal: AbortSignal,
): Promise<CompleteList<ExternalResources[C]>> {
  const rows: ExternalResources[C][] = [];
  let total: number | undefined;
  let stable = true;
  let pageToken: string | undefined;
  do {
    const page = await api.list(collection, { ...query, ...(pageToken === undefined ? {} : { pageToken }) }, signal);
    const [last, first] = [rows.at(-1), page.rows[0]];
    if (last !== undefined && first !== undefined && first.uid <= last.uid)
      throw new PlatformFailure(`list ${collection}`, { kind: "noResponse", message: "a page started over" });
    stable &&= page.totalCount === (total ??= page.totalCount);
    rows.push(...page.rows);
    pageToken = page.nextPageToken;
  } while (pageToken !== undefined);
  return { rows, stable: stable && rows.length === total };
}
