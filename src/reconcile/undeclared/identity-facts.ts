import type { ExternalIdentity } from "#src/kinds/identity.ts";
import { carriedMarker, objectOf } from "#src/kinds/marker.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";
import type { PlatformSession } from "#src/platform-client/session.ts";
import { parentOf } from "#src/platform-client/uid.ts";
import { identityIn, isCredential } from "#src/reconcile/observe/operator-identities.ts";
import type { Sources } from "#src/reconcile/observe/sources.ts";
import type { IdentityFacts } from "#src/reconcile/policy/sparing.ts";
import { isMarkerOf } from "./declarations.ts";
import type { People } from "./listed-people.ts";

export type IdentitySources = Pick<Sources, "kinds" | "stores" | "tenancy" | "owners">;

/** What is known of the identity with this uid; null if it cannot be read, or if it may be a person. */
export function identityFacts(
  sources: IdentitySources,
  session: PlatformSession,
  people: People | null,
  uid: string,
): IdentityFacts | null {
  const { kinds, tenancy } = sources;
  const identity = identityIn(kinds, session, uid);
  if (identity === undefined || people?.isKnown(parentOf(uid) ?? uid) !== true) return null;
  return {
    credential: isCredential(sources, session, uid),
    breakGlass: tenancy.breakGlassIdentities.has(uid),
    marker: markerOf(sources, identity),
    person: people.isPerson(identity as ExternalIdentity),
  };
}

function markerOf({ owners, stores }: IdentitySources, identity: ExternalResource): IdentityFacts["marker"] {
  const marker = carriedMarker(identity);
  if (marker === undefined) return "none";
  if (!isMarkerOf(owners, marker)) return "foreign";
  return stores.get("Identity").index("object", objectOf(marker)).length > 0 ? "ours" : "orphan";
}
