import type { Kind } from "#src/kinds/kind.ts";
import { carriedMarker, ownerOf } from "#src/kinds/marker.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";
import { parentOf } from "#src/platform-client/uid.ts";
import type { TenantContext } from "#src/reconcile/tenancy/tenancy.ts";
import type { Protection } from "./observed.ts";
import type { Sources } from "./sources.ts";

/** Those of the resources that are found which Muster never writes. Each is judged by what it is now. */
export function protectionsOf(
  sources: Sources,
  context: TenantContext,
  kind: Kind,
  claimed: string | undefined,
  found: readonly ExternalResource[],
): readonly Protection[] {
  const protections: Protection[] = [];
  if (claimed !== undefined && isRootOrOwn(context, claimed)) protections.push({ uid: claimed, because: "root" });
  for (const external of found) {
    const because = protectionOf(sources, context, kind, external);
    if (because !== undefined) protections.push({ uid: external.uid, because });
  }
  return protections;
}

function isRootOrOwn({ session }: TenantContext, uid: string): boolean {
  return parentOf(uid) === undefined || session.roots.includes(uid);
}

function protectionOf(
  { tenancy, owners, kinds }: Sources,
  context: TenantContext,
  kind: Kind,
  external: ExternalResource,
): Protection["because"] | undefined {
  const { session, boundary } = context;
  const { uid } = external;
  if (isRootOrOwn(context, uid)) return "root";
  const identity = kind.identityOf(external);
  if (session.permissions?.ownBindings.has(uid) === true) return "credential";
  if (identity === undefined) return undefined;
  if (tenancy.credentialIdentities.has(identity)) return "credential";
  if (boundary.breakGlass.includes(identity)) return "breakGlass";
  if (identity === uid) return undefined;
  for (const one of kinds) {
    const state = session.viewOf(one.collection).stateOf(identity);
    const marker =
      state.is === "present" && one.identityOf(state.resource) === identity ? carriedMarker(state.resource) : undefined;
    if (marker !== undefined && !owners.includes(ownerOf(marker))) return "otherOwner";
  }
  return undefined;
}
