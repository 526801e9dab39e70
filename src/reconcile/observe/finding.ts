import { isDeepStrictEqual } from "node:util";
import { readyCondition } from "#src/api/condition.ts";
import type { Kind } from "#src/kinds/kind.ts";
import { recordedNaturalKey } from "#src/kinds/records.ts";
import { mayHaveManaged } from "#src/kinds/may-have-managed.ts";
import type { ResolvedUids } from "#src/kinds/reference-field.ts";
import { secretLocationOf } from "#src/kinds/secret-location.ts";
import { takenName, wantedName } from "#src/kinds/unique-name.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";
import type { CollectionView } from "#src/platform-client/collection-view.ts";
import { type CachedResource, isInConflict } from "./cached-resource.ts";
import type { Observed, References } from "./observed.ts";
import type { ReconcileState } from "./reconcile-state.ts";
import type { Sources } from "./sources.ts";

/** The object that something is looked for, and what is known of it. */
export interface Seeker {
  readonly kind: Kind;
  readonly cached: CachedResource;
  readonly markers: Observed["markers"];
  /** Undefined if they are not known, or not permitted. */
  readonly resolved: Extract<References, { are: "resolved" }> | undefined;
  readonly state: ReconcileState;
}

type View = Pick<CollectionView<ExternalResource>, "withKey" | "childrenOf">;

/**
 * How what may be an object's is found among what was seen of the platform: what follows for an observation from how the resources
 * of a kind are identified (`kinds/identification.ts`).
 */
export interface Finding {
  /** The natural keys under which resources of the object are found, or were created elsewhere. */
  keysOf(seeker: Seeker): readonly string[];
  /** The natural key by which the session knows the POSTs for the object; undefined if there is none. */
  postKeyOf(seeker: Seeker): string | undefined;
  /** What may be the object's, in `view`. @param keys as from `keysOf` */
  find(view: View, keys: readonly string[], seeker: Seeker): readonly ExternalResource[];
  /** What is the object's beyond doubt, whatever its references mean. */
  findAnywhere(view: View, markers: readonly string[]): readonly ExternalResource[];
  /** The natural keys of what references mean, or of what carries one of the markers. */
  keysOfMeant(kind: Kind, uids: ResolvedUids, markers: readonly string[]): readonly string[];
  /** The uid of what was created before the status recorded it, as far as something else says which it is. */
  uidWithoutRecord(
    sources: Pick<Sources, "secrets">,
    seeker: Pick<Seeker, "cached" | "kind" | "state">,
  ): string | undefined;
  /** Whether the recorded resource of an object is what it wants. @param external undefined if it was not seen */
  isWanted(kind: Kind, cached: CachedResource, external: ExternalResource | undefined): boolean;
  /** Whether an object with these references takes `external`, which nothing marks as another one's. */
  takes(kind: Kind, references: Extract<References, { are: "resolved" }>, external: ExternalResource): boolean;

  /** Whether nothing but what its references mean shows what an earlier process created for an object. */
  readonly needsMeaning: boolean;
  /** Whether equal resources may be those of others, so that none of them is proven to be an object's. */
  readonly areEqualsDoubtful: boolean;
}

const findingByMarker: Finding = {
  keysOf: ({ markers }) => markers,
  postKeyOf: ({ markers }) => markers[0],
  find: (view, keys, { kind, resolved }) => {
    const parent = resolved?.uids.parent;
    return keys
      .flatMap((key) => view.withKey(key))
      .filter(({ uid }) => parent === undefined || kind.collection.uids.parentOf(uid) === parent);
  },
  findAnywhere: (view, markers) => markers.flatMap((marker) => view.withKey(marker)),
  keysOfMeant: (_kind, _uids, markers) => markers,
  uidWithoutRecord: () => undefined,
  // What was not seen has the name that the spec had when it was last applied.
  isWanted: (kind, cached, external) =>
    external === undefined
      ? !isInConflict(cached) && readyCondition(cached.resource)?.observedGeneration === cached.metadata.generation
      : takenName(kind, external) === wantedName(kind, cached.resource),
  takes: () => false,
  needsMeaning: false,
  areEqualsDoubtful: false,
};

const unmarked = {
  keysOf: ({ kind, cached, resolved, state: { posted } }) => {
    const keys = [resolved?.naturalKey, recordedNaturalKey(kind, cached.resource.status), posted?.naturalKey];
    return [...new Set(keys.filter((key) => key !== undefined))];
  },
  postKeyOf: ({ resolved, state: { posted } }) => resolved?.naturalKey ?? posted?.naturalKey,
  findAnywhere: () => [],
  // The session of another Tenant may not have seen that it is gone: an object in Conflict does not have it any longer.
  isWanted: (_kind, cached) => !isInConflict(cached),
  areEqualsDoubtful: true,
} satisfies Partial<Finding>;

const findingByFields: Finding = {
  ...unmarked,
  find: (view, keys) => keys.flatMap((key) => view.withKey(key)),
  keysOfMeant: ({ identification }, uids) => [identification.naturalKey(uids, "")],
  uidWithoutRecord: () => undefined,
  takes: ({ collection }, { naturalKey }, external) => naturalKey === collection.naturalKeyOf(external),
  needsMeaning: true,
};

const findingBySecret: Finding = {
  ...unmarked,
  /** What may have been created for the object with a code that nobody has: what equals the spec. */
  find: (view, _keys, { kind, cached, resolved, state: { bornHere, posted, issued } }) => {
    const mayHaveLost = posted !== undefined || (!bornHere && mayHaveManaged(cached.resource));
    const isNext = cached.resource.status?.management === undefined && issued === undefined;
    const parent = resolved?.uids.parent;
    if (resolved === undefined || parent === undefined || !mayHaveLost || !isNext) return [];
    const { desired } = resolved;
    return view.childrenOf(parent).filter((one) => isDeepStrictEqual(kind.actual(one, desired), desired));
  },
  keysOfMeant: () => [],
  /** What this process created, or else what the Secret that the spec names says. */
  uidWithoutRecord: ({ secrets }, { kind, cached: { resource, invalid }, state: { issued } }) => {
    if (resource.status?.management !== undefined) return undefined;
    if (issued !== undefined) return issued.uid;
    const at = invalid === undefined ? secretLocationOf(kind, resource) : undefined;
    const read = at && secrets.lastRead(at);
    return read?.is === "found" ? (read.issuedUid ?? undefined) : undefined;
  },
  // It is found by its Secret, whatever it grants.
  takes: () => true,
  needsMeaning: false,
};

/** How the resources of a kind are found. */
export function findingOf({ identification }: Pick<Kind, "identification">): Finding {
  switch (identification.by) {
    case "marker":
      return findingByMarker;
    case "fields":
      return findingByFields;
    case "secret":
      return findingBySecret;
  }
}
