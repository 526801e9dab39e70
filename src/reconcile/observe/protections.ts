import type { Kind } from "#src/kinds/kind.ts";
import { carriedMarker, ownerOf } from "#src/kinds/marker.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";
import type { TenantContext } from "#src/reconcile/tenancy/tenancy.ts";
import type { Protection } from "./observed.ts";
import { identityIn, isCredential } from "./operator-identities.ts";
import type { Sources } from "./sources.ts";

export type ProtectionSources = Pick<Sources, "kinds" | "stores" | "tenancy" | "owners">;

/** Those of the resources that are found which Muster never writes. Each is judged by what it is now. */
export function protectionsOf(
  sources: Sources,
  context: TenantContext,
  kind: Kind,
  claimed: string | undefined,
  found: readonly ExternalResource[],
): readonly Protection[] {
  const protections: Protection[] = [];
  if (claimed !== undefined && isRootOrOwn(context, kind, claimed)) protections.push({ uid: claimed, because: "root" });
  for (const external of found) {
    const because = protectionOf(sources, context, kind, external);
    if (because !== undefined) protections.push({ uid: external.uid, because });
  }
  return protections;
}

/** What is in a root group is none, although a singleton has the uid of its group. */
function isRootOrOwn(
  { session }: Pick<TenantContext, "session">,
  { collection: { uids } }: Kind,
  uid: string,
): boolean {
  return !uids.isSingleton && (uids.parentOf(uid) === undefined || session.roots.includes(uid));
}

/** Whether a credential of this operator has its permissions from the role. */
function isRoleOfCredential({ tenancy }: ProtectionSources, role: string): boolean {
  return Iterator.from(tenancy.sessions).some(({ permissions }) => permissions?.ownRoles.has(role) === true);
}

/** Why the resource is never written, or never adopted; undefined if it may be. */
export function protectionOf(
  sources: ProtectionSources,
  context: Pick<TenantContext, "session">,
  kind: Kind,
  external: ExternalResource,
): Protection["because"] | undefined {
  const { tenancy, owners, kinds } = sources;
  const { session } = context;
  const { uid } = external;
  if (isRootOrOwn(context, kind, uid)) return "root";
  const identity = kind.identityOf(external);
  if (session.permissions?.ownBindings.has(uid) === true) return "credential";
  if (kind.bindable !== null && isRoleOfCredential(sources, uid)) return "credential";
  if (identity === undefined) return undefined;
  if (isCredential(sources, session, identity)) return "credential";
  if (tenancy.breakGlassIdentities.has(identity)) return "breakGlass";
  if (identity === uid) return undefined;
  const seen = identityIn(kinds, session, identity);
  const marker = seen === undefined ? undefined : carriedMarker(seen);
  return marker !== undefined && !owners.includes(ownerOf(marker)) ? "otherOwner" : undefined;
}
