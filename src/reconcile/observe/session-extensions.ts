import type { PlatformSession } from "#src/platform-client/session.ts";
import { isServedBy } from "#src/reconcile/tenancy/tenancy.ts";
import type { Sources } from "./sources.ts";

/** Ends the extensions of a session to groups in which none of its objects has a resource any longer. */
export function retainExtensions(
  { stores, tenancy }: Pick<Sources, "stores" | "tenancy">,
  session: PlatformSession,
): void {
  // Most sessions have none.
  if (session.groups.length === session.roots.length) return;
  const extensions = new Set(session.groups.filter((group) => !session.roots.includes(group)));
  const used = new Set<string>();
  for (const store of stores.values())
    for (const { resource } of store.values()) {
      const parent = resource.status?.parentUid;
      // Who serves an object is looked up only for the few that have their resource in such a group.
      if (parent === undefined || !extensions.has(parent) || used.has(parent)) continue;
      if (isServedBy(tenancy, resource, session)) used.add(parent);
    }
  session.retainExtensions((group) => used.has(group));
}
