import type { AccessState, KnownCaller } from "#src/access/access-state.ts";
import type { TokenClaims } from "#src/login/token-claims.ts";
import type { PlatformReader } from "#src/commands/reader/connect-reader.ts";
import { listStable } from "#src/commands/reader/list-stable.ts";
import { groupInvites, groups, identities, identityProviders, roleBindings, roles } from "./resource-types.ts";

/** What `readAccessState` lists. */
export const accessTypes = [groups, identities, roles, roleBindings, identityProviders, groupInvites] as const;

interface AboutToken {
  readonly claims: (Pick<TokenClaims, "scopes"> & Partial<Pick<TokenClaims, "identity" | "capabilities">>) | undefined;
}

/**
 * Reads everything that the caller may list of a platform's access control: six lists, at the same time, in pages of 200.
 * @throws {PlatformFailure}
 * @throws {Error} if resources are created or deleted during each of three attempts
 */
export async function readAccessState(
  { api, claims, seesEverything }: Pick<PlatformReader, "api" | "seesEverything"> & AboutToken,
  signal: AbortSignal,
): Promise<AccessState> {
  const [knownGroups, knownIdentities, knownRoles, bindings, providers, invites] = await Promise.all([
    listStable(api, groups, {}, signal),
    listStable(api, identities, {}, signal),
    listStable(api, roles, {}, signal),
    listStable(api, roleBindings, {}, signal),
    listStable(api, identityProviders, {}, signal),
    listStable(api, groupInvites, {}, signal),
  ]);
  return {
    groups: knownGroups,
    identities: knownIdentities,
    roles: knownRoles,
    bindings,
    loginGrants: [...providers, ...invites],
    seesEverything,
    ...(claims?.scopes === undefined ? {} : { scopes: claims.scopes }),
    ...(claims?.identity === undefined ? {} : { caller: callerOf(claims.identity, claims.capabilities) }),
  };
}

function callerOf(identity: string, capabilities: readonly string[] | undefined): KnownCaller {
  return { identity, ...(capabilities === undefined ? {} : { capabilities }) };
}
