import type { AccessState } from "#src/access/access-state.ts";
import type { ReadApi } from "#src/platform-client/api.ts";
import type { ExternalResource, ResourceType } from "#src/platform-client/collection.ts";
import { listAll } from "#src/platform-client/list-all.ts";
import type { PlatformReader } from "./connect-reader.ts";
import { groups, identities, roleBindings, roles } from "./resource-types.ts";

/** How often a list is read that changes meanwhile. */
const attempts = 3;

/**
 * Reads everything that the caller may list of a platform's access control: four lists, at the same time, in pages of 200.
 * @throws {PlatformFailure}
 * @throws {Error} if resources are created or deleted during each of three attempts
 */
export async function readAccessState(
  { api, scopes, seesEverything }: Pick<PlatformReader, "api" | "scopes" | "seesEverything">,
  signal: AbortSignal,
): Promise<AccessState> {
  const [knownGroups, knownIdentities, knownRoles, bindings] = await Promise.all([
    listStable(api, groups, signal),
    listStable(api, identities, signal),
    listStable(api, roles, signal),
    listStable(api, roleBindings, signal),
  ]);
  return {
    groups: knownGroups,
    identities: knownIdentities,
    roles: knownRoles,
    bindings,
    seesEverything,
    ...(scopes === undefined ? {} : { scopes }),
  };
}

async function listStable<R extends ExternalResource>(
  api: ReadApi,
  type: ResourceType<R>,
  signal: AbortSignal,
): Promise<readonly R[]> {
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const { resources, stable } = await listAll(api, type, {}, signal);
    if (stable) return resources;
  }
  throw new Error(
    `${type.name} were created or deleted while they were listed, ${attempts} times: run the command again`,
  );
}
