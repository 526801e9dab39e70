import type { Kind } from "#src/kinds/kind.ts";
import { keyOf } from "#src/kube/object.ts";
import type { PlatformSession } from "#src/platform-client/session.ts";
import type { CachedResource } from "#src/reconcile/observe/cached-resource.ts";
import { servedObjects } from "#src/reconcile/observe/served-objects.ts";
import type { Sources } from "#src/reconcile/observe/sources.ts";
import type { Enqueue } from "./enqueue.ts";
import { wakeAllWaiting } from "./waiting.ts";

/**
 * What the session's Tenants permit depends on what the roles are that they list. Calls `onChange` after a read of the roles showed
 * that one of them changed. A change of the lists is a change of the Tenants, which wakes their objects itself.
 */
export function watchListedRoles(
  sources: Pick<Sources, "tenancy">,
  session: PlatformSession,
  onChange: () => void,
): void {
  let known: ReadonlyMap<string, string> = new Map();
  session.onPermissionsRead(() => {
    const before = known;
    known = listedRoles(sources, session);
    if (Iterator.from(known).some(([role, content]) => (before.get(role) ?? content) !== content)) onChange();
  });
}

/** The objects of the session that declare or bind roles, and all that wait. */
export function wakeObjectsOfListedRoles(
  sources: Pick<Sources, "kinds" | "stores" | "states" | "tenancy">,
  session: PlatformSession,
  enqueue: Enqueue,
): void {
  wakeAllWaiting(sources, enqueue);
  for (const kind of sources.kinds)
    for (const cached of servedObjects(sources, session, kind.name))
      if (usesRoles(kind, cached)) enqueue(kind.name, keyOf(cached), { priority: "low" });
}

/** What the platform says of each role that a Tenant of the session lists, by its name or uid. */
function listedRoles({ tenancy }: Pick<Sources, "tenancy">, session: PlatformSession): ReadonlyMap<string, string> {
  const { roles } = session;
  const listed = new Set<string>();
  for (const context of tenancy.contexts)
    if (context.session === session) for (const role of context.boundary.roles) listed.add(role);
  return new Map(
    Array.from(listed, (role) => {
      const found = roles?.byName.get(role) ?? roles?.byUid.get(role);
      return [role, found === undefined ? "" : [found.uid, ...found.capabilities].join(" ")] as const;
    }),
  );
}

function usesRoles(kind: Kind, { resource, invalid }: CachedResource): boolean {
  return (
    kind.bindable !== null ||
    (invalid === undefined && kind.references(resource).some(({ purpose }) => purpose === "role"))
  );
}
