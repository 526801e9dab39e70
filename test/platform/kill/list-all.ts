import type { PlatformAdmin } from "#test/support/harness/platform-admin.ts";

export interface Resource {
  readonly uid: string;
}

/**
 * Lists all resources of a collection below a group.
 * @throws {Error} if `totalCount` differs from the number of listed resources
 */
export async function listAll<T extends Resource>(
  platform: PlatformAdmin,
  collection: string,
  group: string,
): Promise<T[]> {
  const all: T[] = [];
  for (let token: string | undefined = ""; token !== undefined; ) {
    const query: string = `page_size=200&uidp.descendants_of=${group}&page_token=${token}`;
    const page: Record<string, unknown> = await platform.call("GET", `${collection}?${query}`);
    all.push(...(page[collection] as T[]));
    token = page["nextPageToken"] as string | undefined;
    if (token === undefined && Number(page["totalCount"]) !== all.length)
      throw new Error(`partial write: totalCount is ${String(page["totalCount"])}, ${all.length} ${collection} listed`);
  }
  return all;
}
