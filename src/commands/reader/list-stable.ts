import type { ListQuery, ReadApi } from "#src/platform-client/api.ts";
import type { ExternalResource, ResourceType } from "#src/platform-client/collection.ts";
import { listAll } from "#src/platform-client/list-all.ts";

/** How often a list is read that changes meanwhile. */
const attempts = 3;

/**
 * Reads all pages of a list, as it was at one moment.
 * @throws {PlatformFailure}
 * @throws {Error} if resources are created or deleted during each of three attempts
 */
export async function listStable<R extends ExternalResource>(
  api: ReadApi,
  type: ResourceType<R>,
  query: Omit<ListQuery, "pageToken">,
  signal: AbortSignal,
): Promise<readonly R[]> {
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const { resources, stable } = await listAll(api, type, query, signal);
    if (stable) return resources;
  }
  throw new Error(
    `${type.name} were created or deleted while they were listed, ${attempts} times: run the command again`,
  );
}
