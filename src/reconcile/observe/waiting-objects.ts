import type { PlatformSession } from "#src/platform-client/session.ts";
import { isServedBy } from "#src/reconcile/tenancy/tenancy.ts";
import type { ReconcileState } from "./reconcile-state.ts";
import type { Sources } from "./sources.ts";

/** The objects of a kind that are waiting, and that the session reconciles. */
export function* waitingObjects(
  { states, stores, tenancy }: Pick<Sources, "states" | "stores" | "tenancy">,
  session: PlatformSession,
  kind: string,
): Iterable<readonly [key: string, state: ReconcileState]> {
  const store = stores.get(kind);
  const own = tenancy.namespacesOf(session);
  const namespaces = own === undefined ? undefined : new Set(own);
  for (const [key, state] of states.get(kind).waiting()) {
    const cached = store.get(key);
    if (cached === undefined) continue;
    const { namespace = "", deletionTimestamp } = cached.metadata;
    if (namespaces !== undefined && !namespaces.has(namespace) && deletionTimestamp === undefined) continue;
    if (isServedBy(tenancy, cached.resource, session)) yield [key, state];
  }
}
