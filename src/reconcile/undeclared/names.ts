import type { Kind } from "#src/kinds/kind.ts";
import { carriedMarker, objectOf } from "#src/kinds/marker.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";
import type { PlatformSession } from "#src/platform-client/session.ts";
import { parentOf } from "#src/platform-client/uid.ts";
import { type CachedResource, claimedUids } from "#src/reconcile/observe/cached-resource.ts";
import type { Sources } from "#src/reconcile/observe/sources.ts";
import { grantOf } from "./grant.ts";

/**
 * Whether any object of the cluster, in any state and of any Tenant, names `external`: by its uid, by its marker, by its
 * name, or as a role binding that may be the object's. Where that is not certain, it does. Reads the stores as they are now,
 * so it is called right before a removal: an object may have been created a moment ago.
 */
export function isNamed(
  { kinds, stores }: Pick<Sources, "kinds" | "stores">,
  session: PlatformSession,
  kind: Kind,
  external: ExternalResource,
): boolean {
  for (const other of kinds)
    for (const cached of stores.get(other.name).values()) {
      // An object that does not match its schema may name anything.
      if (cached.invalid !== undefined) return true;
      if (other.name === kind.name && mayBe(cached, kind, external)) return true;
      if (refersToUid(other, cached, external.uid)) return true;
      if (other.name === kind.name && mayGrant(stores, session, other, cached, external)) return true;
    }
  return false;
}

/** Whether `external` may be the resource of the object. */
function mayBe(cached: CachedResource, { hasMarker, collection }: Kind, external: ExternalResource): boolean {
  const uids = claimedUids(cached);
  if (uids.includes(external.uid)) return true;
  if (!hasMarker) return false;
  const marker = carriedMarker(external);
  if (marker !== undefined && objectOf(marker) === cached.objectHash) return true;
  return uids.length === 0 && collection.nameOf(external) === nameOf(cached);
}

function nameOf({ resource: { spec, metadata } }: CachedResource): string {
  return "name" in spec && typeof spec.name === "string" ? spec.name : metadata.name;
}

function refersToUid(kind: Kind, { resource }: CachedResource, uid: string): boolean {
  const { identityUid, roleUid, parentUid } = resource.status ?? {};
  return (
    [identityUid, roleUid, parentUid].includes(uid) ||
    kind.references(resource).some(({ target }) => target.by === "uid" && target.uid === uid)
  );
}

/** Whether the role binding `external` may be the one that the object declares. */
function mayGrant(
  stores: Sources["stores"],
  session: PlatformSession,
  kind: Kind,
  { resource }: CachedResource,
  external: ExternalResource,
): boolean {
  const grant = grantOf(external);
  if (grant === undefined) return false;
  const { identityUid, roleUid, parentUid } = resource.status ?? {};
  const uids = { parent: parentOf(external.uid), identity: grant.identity.uid, role: grant.role.uid };
  if (parentUid === uids.parent && identityUid === uids.identity && roleUid === uids.role) return true;
  return kind.references(resource).every(({ role, target }) => {
    const uid = uids[role];
    switch (target.by) {
      case "uid":
        return target.uid === uid;
      case "roleName":
        return session.roles === undefined || session.roles.byName.get(target.name)?.uid === uid;
      case "resource": {
        const namespace = target.reference.namespace ?? resource.metadata.namespace ?? "";
        const referent = stores.get(target.kind).get(`${namespace}/${target.reference.name}`);
        // What an object without a uid will be is not known.
        return (
          referent !== undefined && (claimedUids(referent).length === 0 || claimedUids(referent).includes(uid ?? ""))
        );
      }
    }
  });
}
