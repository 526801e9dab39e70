import type { Resource } from "#src/api/custom-resource.ts";
import type { Kind } from "#src/kinds/kind.ts";
import { mayHaveManaged } from "#src/kinds/may-have-managed.ts";
import type { ReferenceField, ReferencePurpose } from "#src/kinds/reference-field.ts";
import type { PlatformSession } from "#src/platform-client/session.ts";
import { isWithin } from "#src/platform-client/uid.ts";
import type { Governance, Tenancy } from "#src/reconcile/tenancy/tenancy.ts";
import type { CachedResource } from "./cached-resource.ts";
import { hasManager, isRecorded } from "./claims.ts";
import { findingOf } from "./finding.ts";
import type { Observed, References, Unrecorded } from "./observed.ts";
import { protectionOf } from "./protections.ts";
import type { ReconcileState } from "./reconcile-state.ts";
import type { Sources } from "./sources.ts";
import { uidByMarker } from "./uid-by-marker.ts";

/**
 * Observes what an earlier process may have created for an object, whatever a Tenant permits now. The resource is found by
 * its marker, or by what the references mean; and through the session of the object's Tenant if that lists the group, else
 * through any that does: it is only looked for, and never written.
 * @returns null where `Observed.matches` says all there is: see `Unrecorded`.
 */
export function observeUnrecorded(
  sources: Sources,
  kind: Kind,
  cached: CachedResource,
  markers: Observed["markers"],
  state: ReconcileState,
  governance: Exclude<Governance, { by: "unserved" }>,
  references: References,
): Unrecorded | null {
  const { resource } = cached;
  const { uid } = resource.status ?? {};
  if (!mayHaveManaged(resource)) return null;
  if ((uid !== undefined && isRecorded(resource, uid)) || state.bornHere || state.posted !== undefined) return null;
  if (!isUnpermitted(resource, governance, references)) return null;
  // An object with spec.uid never creates anything.
  if (cached.invalid !== undefined || resource.spec.uid !== undefined) return { is: "impossible" };
  return identify(sources, kind, cached, markers, governance);
}

/** Whether no Tenant permits what the object refers to, and nothing is waited for that could change that. */
function isUnpermitted(
  { metadata, spec }: Resource,
  governance: Exclude<Governance, { by: "unserved" }>,
  references: References,
): boolean {
  if (governance.by !== "tenant" || references.are === "denied") return true;
  return references.are !== "resolved" && (metadata.deletionTimestamp !== undefined || spec.expiresAt !== undefined);
}

/** What there is on the platform that an object may have created: what has one of the markers, or the grant that its references mean. */
export function identify(
  sources: Sources,
  kind: Kind,
  cached: CachedResource,
  markers: readonly string[],
  governance: Governance,
): Unrecorded {
  const uids: Partial<Record<ReferencePurpose, string>> = {};
  let isRoleUnread = false;
  for (const field of kind.references(cached.resource)) {
    const meant = meaningOf(sources, kind, field, cached.resource, governance);
    if (meant.is === "impossible" || meant.is === "unknown") return meant;
    if (meant.is === "unreadRole") isRoleUnread = true;
    else uids[field.purpose] = meant.uid;
  }
  const { parent: group } = uids;
  if (group === undefined) return { is: "impossible" };
  const sessions = sessionsOver(sources.tenancy, group, governance);
  const latest = sessions
    .flatMap((session) => {
      const view = session.viewOf(kind.collection);
      const snapshot = view.snapshotOf(group);
      return snapshot === undefined ? [] : [{ session, view, snapshot }];
    })
    .toSorted((a, b) => b.snapshot.startedAt - a.snapshot.startedAt)[0];
  // To list is to read the roles, too.
  if (latest === undefined || isRoleUnread)
    return { is: "identified", group, uids, isListable: sessions.length > 0, snapshot: null, found: [], kept: [] };
  const finding = findingOf(kind);
  const keys = finding.keysOfMeant(kind, uids, markers);
  const equal = keys
    .flatMap((key) => latest.view.withKey(key))
    .filter((external) => !hasManager(sources, kind, external, cached))
    .map((external) => ({ uid: external.uid, protection: protectionOf(sources, latest, kind, external) }));
  // The operator never deletes what belongs to a credential, whoever created it.
  const mayBeOurs = equal.filter(({ protection }) => protection !== "root" && protection !== "credential");
  const isKept = ({ protection }: (typeof equal)[number]) => protection !== undefined && finding.areEqualsDoubtful;
  const uidsOf = (some: typeof equal) => some.map(({ uid }) => uid);
  const found = uidsOf(mayBeOurs.filter((one) => !isKept(one)));
  return {
    is: "identified",
    group,
    uids,
    isListable: true,
    snapshot: latest.snapshot,
    found,
    kept: uidsOf(mayBeOurs.filter(isKept)),
  };
}

type Meaning =
  | { readonly is: "uid"; readonly uid: string }
  | { readonly is: "unreadRole" }
  | Extract<Unrecorded, { is: "impossible" | "unknown" }>;

/** The uid that a reference means, whether or not a Tenant permits it. */
function meaningOf(
  sources: Sources,
  kind: Kind,
  { target }: ReferenceField,
  { metadata }: Resource,
  governance: Governance,
): Meaning {
  const { stores, tenancy } = sources;
  switch (target.by) {
    case "uid":
      return { is: "uid", uid: target.uid };
    case "roleName": {
      const catalogs = Array.from(tenancy.sessions, ({ roles }) => roles).filter((roles) => roles !== undefined);
      if (catalogs.length === 0) return { is: "unreadRole" };
      const role = catalogs.flatMap(({ byName }) => byName.get(target.name) ?? [])[0];
      return role === undefined ? { is: "impossible" } : { is: "uid", uid: role.uid };
    }
    case "resource": {
      const store = stores.get(target.kind);
      if (!store.synced) return { is: "unknown" };
      const { namespace = metadata.namespace ?? "", name } = target.reference;
      const key = `${namespace}/${name}`;
      const uid = store.get(key)?.resource.status?.uid ?? uidByMarker(sources, target.kind, key);
      if (uid !== undefined) return { is: "uid", uid };
      // A marker is looked for wherever it may be. Only what has none is identified by what its references mean.
      const lost = findingOf(kind).areEqualsDoubtful ? lostStatus(sources, target.kind, key, governance) : undefined;
      if (lost !== undefined) return lost;
      // What such a resource refers to goes after it: if that is gone, or was never there, so is the resource.
      return { is: "impossible" };
    }
  }
}

/** What is known of an object without a uid in its status if that may be lost, as after a restore; undefined if it is not. */
function lostStatus(
  { kinds, stores, states, clock, tenancy }: Sources,
  kindName: string,
  key: string,
  governance: Governance,
): Extract<Meaning, { is: "unknown" }> | undefined {
  const kind = kinds.find(({ name }) => name === kindName);
  const cached = stores.get(kindName).get(key);
  if (kind === undefined || cached === undefined || governance.by !== "tenant") return undefined;
  if (states.get(kindName).get(key, cached, clock.monotonic()).bornHere) return undefined;
  const { metadata, resource } = cached;
  const isUnseen = resource.status?.conditions === undefined && metadata.deletionTimestamp === undefined;
  // What only observes finds its resource by the name, and reports that soon.
  const unseen = isUnseen ? ({ is: "unknown" } as const) : undefined;
  const target = tenancy.governanceOf(resource);
  if (!mayHaveManaged(resource) || target.by !== "tenant") return unseen;
  const { session, settledAt } = target.context;
  const view = session.viewOf(kind.collection);
  const group = session.roots.find((root) => (view.snapshotOf(root)?.startedAt ?? -1) < settledAt);
  if (group === undefined) return unseen;
  if (session === governance.context.session) return { is: "unknown", unlisted: { kind: kindName, group } };
  // The session of another Tenant lists it for its own object, which is looked for when that goes.
  return metadata.deletionTimestamp === undefined ? unseen : { is: "unknown" };
}

/** The session through which the children of `group` are listed for an object that no Tenant permits. */
export function sessionThatLists(
  tenancy: Pick<Tenancy, "sessions">,
  { collection }: Kind,
  group: string,
  governance: Governance,
): PlatformSession | undefined {
  const sessions = sessionsOver(tenancy, group, governance);
  return (
    sessions.find(({ permissions }) => permissions?.allow(collection.listCapability, group) !== false) ?? sessions[0]
  );
}

/** Where the session of the object's Tenant lists the group, the others do not count: they do not see what it deletes. */
function sessionsOver(
  { sessions }: Pick<Tenancy, "sessions">,
  group: string,
  governance: Governance,
): PlatformSession[] {
  const over = [...sessions].filter(({ groups }) => groups.some((one) => isWithin(group, one)));
  const own = governance.by === "tenant" ? governance.context.session : undefined;
  return own !== undefined && over.includes(own) ? [own] : over;
}
