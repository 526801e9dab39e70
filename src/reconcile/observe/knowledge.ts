import { wantedName } from "#src/kinds/unique-name.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";
import type { CollectionView } from "#src/platform-client/collection-view.ts";
import { overwriteKey } from "#src/platform-client/post-ledger.ts";
import type { TenantContext } from "#src/reconcile/tenancy/tenancy.ts";
import type { MonotonicTime } from "#src/time/clock.ts";
import { findingOf, type Seeker } from "./finding.ts";
import { extensionsFor } from "./foreign-parent.ts";
import type { Knowledge, ObservedExternal, ReadTime } from "./observed.ts";
import type { Sources } from "./sources.ts";

/** Since when the session knows what it has of the platform, as far as an absence is proven by that. */
export function knowledgeOf(
  { settleMs }: Pick<Sources, "settleMs">,
  context: TenantContext,
  seeker: Seeker,
  keys: readonly string[],
  { matches, nameConflicts }: Pick<ObservedExternal, "matches" | "nameConflicts">,
  foreignParent: readonly string[],
): Knowledge {
  const { kind, cached, resolved } = seeker;
  const { session, settledAt } = context;
  const view = session.viewOf(kind.collection);
  const [key, parent, name] = [
    findingOf(kind).postKeyOf(seeker),
    resolved?.uids.parent,
    wantedName(kind, cached.resource),
  ];
  return {
    snapshot: (parent === undefined ? undefined : view.snapshotOf(parent)) ?? null,
    rootSnapshots: [...session.roots, ...extensionsFor(context, foreignParent)].map((group) => ({
      group,
      snapshot: view.snapshotOf(group) ?? null,
    })),
    parentCreatedAt: (parent === undefined ? undefined : session.createdAt(parent)) ?? null,
    postUnknownSince: latestOf([
      key === undefined ? undefined : session.postUnknownSince(kind.collection, key),
      parent === undefined ? undefined : session.posts.unknownSince(overwriteKey(kind.collection, parent)),
    ]),
    createdElsewhereAt: latestOf(keys.map((one) => session.createdElsewhereAt(kind.collection, one, parent))),
    createdHere: key === undefined ? [] : session.posts.createdBy(key),
    readTimes: readTimesOf(view, [...matches, ...nameConflicts.map(({ external }) => external)]),
    nameListedAt:
      parent === undefined || name === undefined ? null : (session.nameListedAt(kind.collection, parent, name) ?? null),
    settledAt,
    settleMs,
  };
}

/** Without a session, nothing was listed. */
export function noKnowledge({ soleLeaderSince, settleMs }: Pick<Sources, "soleLeaderSince" | "settleMs">): Knowledge {
  return {
    snapshot: null,
    rootSnapshots: [],
    parentCreatedAt: null,
    postUnknownSince: null,
    createdElsewhereAt: null,
    createdHere: [],
    readTimes: [],
    nameListedAt: null,
    settledAt: soleLeaderSince,
    settleMs,
  };
}

function readTimesOf(
  view: CollectionView<ExternalResource>,
  resources: readonly ExternalResource[],
): readonly ReadTime[] {
  return resources.flatMap(({ uid }) => {
    const known = view.stateOf(uid);
    return known.is === "present" ? [{ uid, at: known.seenAt }] : [];
  });
}

function latestOf(times: readonly (MonotonicTime | undefined)[]): MonotonicTime | null {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? null : Math.max(...known);
}
