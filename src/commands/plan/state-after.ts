import type { AccessState, LoginGrant } from "#src/access/access-state.ts";
import {
  groupInvites,
  groups,
  identities,
  identityProviders,
  roleBindings,
  roles,
} from "#src/commands/access/resource-types.ts";
import type { ResourceType } from "#src/platform-client/collection.ts";
import { isPlanned } from "#src/plan/planned-uid.ts";
import type { PlatformWrite } from "#src/plan/overlay-platform.ts";

/** The collections whose writes `stateAfter` makes. */
export const comparedCollections: readonly string[] = [
  groups,
  identities,
  roles,
  roleBindings,
  identityProviders,
  groupInvites,
].map(({ name }) => name);

/** What was read of a platform's access control, as it would be after the writes. */
export function stateAfter(state: AccessState, writes: readonly PlatformWrite[]): AccessState {
  const after = {
    ...state,
    groups: changed(state.groups, groups, writes),
    identities: changed(state.identities, identities, writes),
    roles: changed(state.roles, roles, writes),
    loginGrants: [
      ...changed(grantsThrough(state, "identityProvider"), identityProviders, writes),
      ...changed(grantsThrough(state, "groupInvite"), groupInvites, writes),
    ],
  };
  // The platform deletes the role bindings of an identity together with it.
  const isDeleted = new Set(writes.filter(({ do: made }) => made === "delete").map(({ uid }) => uid));
  const bindings = changed(state.bindings, roleBindings, writes);
  return { ...after, bindings: bindings.filter(({ identity }) => !isDeleted.has(identity.uid)) };
}

/**
 * The resources that the writes change or delete, and that are not in the state: they cannot be compared. A plan writes only what its
 * caller sees, so they were created or deleted while it was made.
 */
export function unlistedResources(state: AccessState, writes: readonly PlatformWrite[]): readonly string[] {
  const { bindings, groups: inTree, identities: known, loginGrants, roles: bindable } = state;
  const listed = new Set([inTree, known, bindable, bindings, loginGrants].flat().map(({ uid }) => uid));
  const isCompared = ({ before, collection }: PlatformWrite) =>
    before !== undefined && comparedCollections.includes(collection);
  return writes
    .filter((write) => isCompared(write) && !isPlanned(write.uid) && !listed.has(write.uid))
    .map(({ uid }) => uid);
}

function grantsThrough({ loginGrants }: AccessState, through: LoginGrant["through"]): readonly LoginGrant[] {
  return loginGrants.filter((grant) => grant.through === through);
}

function changed<R extends { readonly uid: string }>(
  known: readonly R[],
  { name, schema }: ResourceType<R>,
  writes: readonly PlatformWrite[],
): readonly R[] {
  const resources = new Map(known.map((resource) => [resource.uid, resource]));
  for (const { after, before, collection, uid } of writes) {
    if (collection !== name) continue;
    if (after === undefined) resources.delete(uid);
    // What exists and was not listed must not look as if it were created.
    else if (before === undefined || resources.has(uid))
      // A write shows what the operator knows of the resource: when it was last seen, for example, stays.
      resources.set(uid, { ...resources.get(uid), ...schema.parse(JSON.parse(JSON.stringify(after))) });
  }
  return [...resources.values()];
}
