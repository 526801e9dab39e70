import { kinds } from "#src/kinds/kinds.ts";
import { PerKind } from "#src/kinds/per-kind.ts";
import type { KubeObject } from "#src/kube/object.ts";
import type { PlatformSession } from "#src/platform-client/session.ts";
import { ReconcileStates } from "#src/reconcile/observe/reconcile-states.ts";
import { newResourceStores } from "#src/reconcile/observe/resource-stores.ts";
import { root } from "#src/reconcile/policy/observed-fixture.testing.ts";
import { everything } from "#src/reconcile/tenancy/boundary.testing.ts";
import { singleTenant } from "#src/reconcile/tenancy/single-tenant.testing.ts";
import type { Enqueue } from "./enqueue.ts";

/**
 * For tests of what wakes objects: objects of one Tenant, and the keys of those that are woken, such as `Group team/shop`. Its
 * Tenant lists the role `viewer`, and by its uid the role `listedRole`.
 */
export function wakeWorld(objects: readonly KubeObject[], session: Partial<PlatformSession> = {}) {
  const stores = newResourceStores(kinds);
  for (const [kind, store] of stores.entries()) {
    const own = objects.filter((one) => one.kind === kind);
    store.replace({ namespace: undefined, objects: own, resourceVersion: "5", versionAtStart: "0" });
  }
  const served = session as PlatformSession;
  const boundary = everything({ roots: [root], roles: ["viewer", listedRole], namespaces: null });
  const tenancy = singleTenant({
    name: "team",
    session: served,
    boundary,
    identity: "",
    credentialEpoch: () => 1,
    settledAt: 0,
  });
  const states = new PerKind(kinds, () => new ReconcileStates());
  const woken: string[] = [];
  const enqueue: Enqueue = (kind, key) => void woken.push(`${kind} ${key}`);
  return { sources: { kinds, stores, states, tenancy }, session: served, woken, enqueue };
}

export const listedRole = `${root}/9999999999999999`;

/** Remembers of an object of the world that it waits for something. */
export function markWaiting({ sources: { stores, states } }: ReturnType<typeof wakeWorld>, kind: string, key: string) {
  const cached = stores.get(kind).get(key);
  if (cached === undefined) throw new Error(`the world has no ${kind} ${key}`);
  states.get(kind).get(key, cached, 0);
  states.get(kind).update(key, cached.metadata.uid ?? "", (state) => ({ ...state, waitingSince: 0 }));
}
