import type { Kind } from "#src/kinds/kind.ts";
import { keyOf } from "#src/kube/object.ts";
import type { ChangeSource } from "#src/kube/store.ts";
import type { ManagedCollection } from "#src/platform-client/collection.ts";
import type { PlatformSession } from "#src/platform-client/session.ts";
import type { CachedResource } from "./observe/cached-resource.ts";
import { missingObjects } from "./observe/missing-objects.ts";
import { servedObjects } from "./observe/served-objects.ts";
import type { Sources } from "./observe/sources.ts";
import { type BreakerLimits, opensBreaker } from "./policy/breaker.ts";
import type { Enqueue } from "./wake/enqueue.ts";
import { watchListedRoles } from "./wake/listed-role-users.ts";
import type { Changes } from "./wake/change.ts";
import { wake } from "./wake/wake.ts";

/**
 * Turns changes into keys to reconcile. Whom each change wakes is the table in `wake/wake.ts`. Before that, what the change says is
 * remembered: which objects exist, and what the breakers hold.
 */
export function connectWatchHandlers(sources: Sources, breakerLimits: BreakerLimits, enqueue: Enqueue): void {
  const { kinds, stores, tenancy } = sources;
  const after = <Cause extends keyof Changes>(cause: Cause, change: Changes[Cause]) =>
    wake(sources, cause, change, enqueue);
  for (const kind of kinds) {
    const store = stores.get(kind.name);
    store.onChange((before, now, source) => {
      remember(sources, kind, before, now, source);
      after("object", { kind, before, after: now, source });
    });
    store.onSynced(() => after("kindRead", {}));
  }
  const kindOf = (collection: ManagedCollection) => kinds.find((one) => one.collection.name === collection.name);
  tenancy.onSession((session) => {
    session.onSnapshot((collection, changed, scope) => {
      const kind = kindOf(collection);
      if (kind === undefined) return;
      const missing = scope === undefined ? [] : missingObjects(sources, session, kind, scope);
      const view = session.viewOf(collection);
      const isPresent = (uid: string) => view.stateOf(uid).is === "present";
      // All objects are looked at only where that can change something: this happens for each creation in an older group, too.
      if (missing.length > 0 || !changed.every(isPresent) || !sources.breakers.isIdle(kind.name))
        assessBreakers(sources, breakerLimits, session, kind);
      after("platform", { session, kind, changed, missing });
    });
    session.onNameReleased((collection, name, uid) => {
      const kind = kindOf(collection);
      if (kind !== undefined) after("nameReleased", { session, kind, name, uid });
    });
    session.onPermissionsChanged(() => after("session", { session }));
    session.onRecovery(() => after("session", { session }));
    session.onTrialWanted(() => after("trialWanted", { session }));
    watchListedRoles(sources, session, () => after("listedRoles", { session }));
  });
  tenancy.onChange((change) => {
    after("tenancy", change);
    const served = new Set(Array.from(tenancy.contexts, ({ name }) => name));
    for (const tenant of change.tenants) if (!served.has(tenant)) sources.breakers.retire(tenant);
  });
}

function remember(
  { states, clock, soleLeaderSince }: Sources,
  kind: Kind,
  before: CachedResource | undefined,
  after: CachedResource | undefined,
  source: ChangeSource,
): void {
  if (after === undefined) {
    if (before !== undefined) states.get(kind.name).forget(keyOf(before));
    return;
  }
  const now = clock.monotonic();
  // An object that a previous leader may have seen is not new.
  const bornHere = before === undefined && source === "watch" && now >= soleLeaderSince;
  states.get(kind.name).get(keyOf(after), after, now, bornHere);
}

function assessBreakers(sources: Sources, breakerLimits: BreakerLimits, session: PlatformSession, kind: Kind): void {
  // What issues a code disappears when it is used, and is not created again: there is nothing to hold.
  if (!kind.identification.createdAgain) return;
  const opens = (missing: number, managed: number) => opensBreaker(missing, managed, breakerLimits);
  for (const [tenant, uids] of managedUids(sources, session, kind))
    sources.breakers.of(tenant, kind.name).assess(session.viewOf(kind.collection), uids, opens);
}

/** The uids that objects of the session record in their status, by their Tenants, except objects that are being deleted. */
function managedUids(sources: Sources, session: PlatformSession, kind: Kind): ReadonlyMap<string, readonly string[]> {
  const isManaged = ({ resource: { status, metadata } }: CachedResource) =>
    status?.uid !== undefined && metadata.deletionTimestamp === undefined;
  const byTenant = new Map<string, string[]>();
  for (const { resource } of servedObjects(sources, session, kind.name, isManaged)) {
    const { uid } = resource.status ?? {};
    const governance = sources.tenancy.governanceOf(resource);
    if (uid === undefined || governance.by !== "tenant") continue;
    const uids = byTenant.get(governance.context.name);
    if (uids === undefined) byTenant.set(governance.context.name, [uid]);
    else uids.push(uid);
  }
  return byTenant;
}
