import type { Kind } from "#src/kinds/kind.ts";
import { wantedName } from "#src/kinds/unique-name.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";
import type { CollectionView } from "#src/platform-client/collection-view.ts";
import type { TenantContext } from "#src/reconcile/tenancy/tenancy.ts";
import type { CachedResource } from "./cached-resource.ts";
import { childrenOf } from "./children.ts";
import { claimantOf, claimedUid, claimOf } from "./claim.ts";
import { claimedState } from "./claimed-state.ts";
import { hasManager, recordedUid, rivalOf } from "./claims.ts";
import { findingOf, type Seeker } from "./finding.ts";
import { mayWant } from "./may-want.ts";
import { nameCircleOf } from "./name-circle.ts";
import type { Observed, ObservedExternal } from "./observed.ts";
import type { Sources } from "./sources.ts";
import { wantedByOthers } from "./wanted-by-others.ts";

/** What a session shows; `unrecorded.ts` observes what others show, too. */
type SeenExternal = Omit<ObservedExternal, "unrecorded">;

/**
 * What the session of the object's Tenant shows that is the object's, or may be, and who else has it or wants it.
 * @param keys the natural keys under which it is found
 */
export function externalOf(
  sources: Sources,
  context: TenantContext,
  seeker: Seeker,
  keys: readonly string[],
): SeenExternal {
  const { kind, cached, resolved, state } = seeker;
  const { resource } = cached;
  const { session } = context;
  const view = session.viewOf(kind.collection);
  const finding = findingOf(kind);
  const claimed = claimedUid(cached) ?? finding.uidWithoutRecord(sources, seeker);
  const claim = claimed === undefined ? null : claimOf(sources, kind, cached, claimed, view, context.name);
  const matches = finding.find(view, keys, seeker).filter((external) => !hasManager(sources, kind, external, cached));
  const hasWanted = (other: CachedResource) => hasWhatItWants(sources, view, kind, other);
  const settled = resolved === undefined || hasWanted(cached);
  const namesakes = settled ? [] : namesakesOf(view, seeker);
  const nameConflicts = namesakes
    .filter(({ uid }) => uid !== claimed || claim?.external.is === "gone")
    .filter((external) => !matches.includes(external))
    .map((external) => ({ external, claimedBy: claimantOf(sources, kind, external, cached) }));
  const present = claim?.external.is === "present" ? [claim.external.resource] : [];
  return {
    claim,
    matches,
    wantedByOthers: wantedByOthers(sources, context, kind, cached, [...present, ...matches], hasWanted),
    nameConflicts,
    nameCircle: nameCircleOf(sources, view, kind, cached, nameConflicts[0]?.external),
    rival:
      settled || resource.spec.policy.management !== "Full"
        ? null
        : rivalOf(
            kind,
            cached,
            resolved.uids,
            { storeOf: (one) => sources.stores.get(one), roles: session.roles },
            { mayWant: (other) => mayWant(sources, kind, other), has: hasWanted },
          ),
    children: claimed === undefined ? [] : childrenOf(sources, session, claimed, state),
  };
}

/** Without a Tenant there is no session for the object, and nothing is known but what is the object's beyond doubt. */
export function externalWithoutSession(
  sources: Sources,
  kind: Kind,
  cached: CachedResource,
  markers: Observed["markers"],
): SeenExternal {
  const claimed = claimedUid(cached);
  const views = Array.from(sources.tenancy.sessions, (session) => session.viewOf(kind.collection));
  return {
    claim: claimed === undefined ? null : claimOf(sources, kind, cached, claimed, undefined, null),
    matches: views.flatMap((view) => findingOf(kind).findAnywhere(view, markers)),
    wantedByOthers: [],
    nameConflicts: [],
    nameCircle: [],
    rival: null,
    children: [],
  };
}

/** What has the name that the object wants, below the parent that it wants. */
function namesakesOf(
  view: CollectionView<ExternalResource>,
  { kind, cached, resolved }: Seeker,
): readonly ExternalResource[] {
  const [parent, name] = [resolved?.uids.parent, wantedName(kind, cached.resource)];
  return parent === undefined || name === undefined ? [] : view.named(parent, name);
}

/** Whether the recorded resource of an object is what it wants. */
function hasWhatItWants(
  { owners }: Sources,
  view: CollectionView<ExternalResource>,
  kind: Kind,
  cached: CachedResource,
): boolean {
  const uid = recordedUid(cached);
  if (uid === undefined) return false;
  const external = claimedState(owners, view, cached, uid);
  if (external.is === "gone") return false;
  return findingOf(kind).isWanted(kind, cached, external.is === "present" ? external.resource : undefined);
}
