import { carriedMarker, ownerHash } from "#src/kinds/marker.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";
import { recordedOwner } from "#src/platform-client/owner-record.ts";
import type { PlatformSession } from "#src/platform-client/session.ts";
import { isManaged } from "./is-managed.ts";
import type { Sources } from "./sources.ts";

// The identities that other operators assume: of other clusters, and of other classes in this cluster. What they are is
// determined from the resource itself: its description records the owner (see `muster bootstrap`).

/** The identity with this uid, as the session last saw it; undefined if it has not seen it, or if that is outdated. */
export function identityIn(
  kinds: Sources["kinds"],
  session: PlatformSession,
  uid: string,
): ExternalResource | undefined {
  for (const kind of kinds) {
    const state = session.viewOf(kind.collection).stateOf(uid);
    if (state.is === "present" && kind.identityOf(state.resource) === uid) return state.resource;
  }
  return undefined;
}

/**
 * The owner that the identity records as the one who assumes it; undefined if it is not an operator's. An identity that an
 * object manages is not one, whatever was written into its description: otherwise that would keep Muster from correcting and
 * deleting it.
 */
export function operatorOf(
  { kinds, stores }: Pick<Sources, "kinds" | "stores">,
  identity: ExternalResource,
): string | undefined {
  const owner = recordedOwner(identity.description ?? "");
  if (owner === undefined || carriedMarker(identity) !== undefined) return undefined;
  return isManaged({ kinds, stores }, identity.uid) ? undefined : owner;
}

/**
 * Whether it has to be read first who uses the identity. What is not known is not taken for nobody's: after a start, or
 * while the lists fail, it may be the credential of another operator.
 */
export function isUnknown(
  { kinds, stores, tenancy }: Pick<Sources, "kinds" | "stores" | "tenancy">,
  session: PlatformSession,
  uid: string,
): boolean {
  const isSeen = kinds.some(({ principal, collection }) => {
    if (principal === null) return false;
    const { is } = session.viewOf(collection).stateOf(uid);
    return is === "present" || is === "gone";
  });
  return !isSeen && !tenancy.credentialIdentities.has(uid) && !isManaged({ kinds, stores }, uid);
}

/** Whether an operator or a Tenant uses the identity as its credential. */
export function isCredential(
  sources: Pick<Sources, "kinds" | "stores" | "tenancy">,
  session: PlatformSession,
  uid: string,
): boolean {
  if (sources.tenancy.credentialIdentities.has(uid)) return true;
  const identity = identityIn(sources.kinds, session, uid);
  return identity !== undefined && operatorOf(sources, identity) !== undefined;
}

/** Whether `recorded`, as an operator's identity records it, is one of these owners. */
export function isOneOf(owners: Sources["owners"] | readonly string[], recorded: string): boolean {
  const [ownerId = "", operatorClass] = recorded.split("/");
  return owners.includes(ownerHash(ownerId, operatorClass));
}
