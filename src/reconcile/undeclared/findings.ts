import type { Kind } from "#src/kinds/kind.ts";
import { carriedMarker } from "#src/kinds/marker.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";
import type { PlatformSession } from "#src/platform-client/session.ts";
import { identityIn, isOneOf, operatorOf } from "#src/reconcile/observe/operator-identities.ts";
import type { Sources } from "#src/reconcile/observe/sources.ts";
import type { MonotonicTime } from "#src/time/clock.ts";
import { hasSurelyExpired } from "#src/reconcile/policy/issued.ts";
import { isMarkerOf } from "./declarations.ts";
import { grantOf } from "#src/platform-client/grant.ts";
import type { Sighting } from "./sightings.ts";

/** A resource that nobody declared. */
export interface Finding extends Omit<Sighting, "isNew"> {
  readonly kind: Kind;
  readonly external: ExternalResource;
  /** When the list or read that showed it had started. */
  readonly listedAt: MonotonicTime;
}

/** What lies directly in one group and is not declared. */
export interface GroupFindings {
  /** Those that have been known for the longest time first. */
  readonly findings: readonly Finding[];
  /** Whether an identity of another owner is in the group, or has a role binding in it. */
  readonly otherOwnerPresent: boolean;
}

/** What one credential sees. */
export interface SessionFindings {
  /** The groups that were looked at, by uid. */
  readonly groups: ReadonlyMap<string, GroupFindings>;
  /** Groups above the session's roots whose role bindings may not be listed. */
  readonly unreadableGroups: ReadonlySet<string>;
  /** The undeclared identities that have a role binding, by uid. */
  readonly boundIdentities: ReadonlySet<string>;
}

export interface FindingsInput {
  readonly session: PlatformSession;
  readonly kinds: readonly Kind[];
  readonly stores: Sources["stores"];
  readonly owners: readonly string[];
  /** The groups to look at. */
  readonly groups: ReadonlySet<string>;
  /** The role bindings of the groups above the session's roots; null where they may not be listed. */
  readonly above: ReadonlyMap<string, readonly ExternalResource[] | null>;
  /** When the first of their lists was started. */
  readonly aboveListedAt: MonotonicTime;
  /** In milliseconds since the epoch. */
  readonly wallClock: number;
  readonly isDeclared: (kind: Kind, external: ExternalResource) => boolean;
  /** Whether an object may record the resource soon: it is reported only if it is seen again. */
  readonly mayBeRecordedSoon: (kind: Kind, external: ExternalResource) => boolean;
  /** Since when, and in how many resyncs, the resource was seen, this one included. */
  readonly seen: (external: ExternalResource) => Sighting;
}

/** Visits every resource in the views of the session once. */
export function findUndeclared(input: FindingsInput): SessionFindings {
  const { session, kinds, groups, above, aboveListedAt, wallClock, isDeclared, mayBeRecordedSoon, seen } = input;
  const found = new Map<string, Finding[]>();
  const shared = new Set<string>();
  const visit = (kind: Kind, group: string, external: ExternalResource, listedAt: MonotonicTime) => {
    if (hasOtherOwner(input, external)) shared.add(group);
    // An invite that has expired grants nothing: the platform keeps it, and it would be reported for ever.
    if (isDeclared(kind, external) || hasSurelyExpired(kind, external, wallClock)) return;
    const { isNew, ...sighting } = seen(external);
    if (isNew && mayBeRecordedSoon(kind, external)) return;
    const finding = { kind, external, listedAt, ...sighting };
    const others = found.get(group);
    if (others === undefined) found.set(group, [finding]);
    else others.push(finding);
  };
  for (const kind of kinds) {
    const view = session.viewOf(kind.collection);
    for (const external of view.resources()) {
      const group = kind.collection.uids.parentOf(external.uid);
      const state = group === undefined || !groups.has(group) ? undefined : view.stateOf(external.uid);
      if (group !== undefined && state?.is === "present") visit(kind, group, external, state.seenAt);
    }
  }
  const bindingKind = kinds.find(({ name }) => name === "RoleBinding");
  for (const [group, bindings] of above)
    if (groups.has(group) && bindings !== null && bindingKind !== undefined)
      for (const binding of bindings) visit(bindingKind, group, binding, aboveListedAt);

  const order = new Map(kinds.map(({ name }, index) => [name, -index]));
  const sorted = (findings: readonly Finding[]) => findings.toSorted((a, b) => compare(order, a, b));
  return {
    groups: new Map(
      Array.from(groups, (group) => [
        group,
        { findings: sorted(found.get(group) ?? []), otherOwnerPresent: shared.has(group) },
      ]),
    ),
    unreadableGroups: new Set([...above].flatMap(([group, bindings]) => (bindings === null ? [group] : []))),
    boundIdentities: boundIdentities(input, found),
  };
}

/** Whether `external` is an identity of another owner, its operator's included, or a role binding of one. */
function hasOtherOwner(input: FindingsInput, external: ExternalResource): boolean {
  const { session, kinds, owners } = input;
  const identity = identityIn(kinds, session, grantOf(external)?.identity.uid ?? external.uid);
  if (identity === undefined) return false;
  const marker = carriedMarker(identity);
  if (marker !== undefined) return !isMarkerOf(owners, marker);
  const operator = operatorOf(input, identity);
  return operator !== undefined && !isOneOf(owners, operator);
}

function boundIdentities(
  { session, kinds, above }: FindingsInput,
  found: ReadonlyMap<string, readonly Finding[]>,
): ReadonlySet<string> {
  const identities = new Set(
    [...found.values()].flatMap((findings) =>
      findings.flatMap(({ kind, external }) => (kind.name === "Identity" ? [external.uid] : [])),
    ),
  );
  const bound = new Set<string>();
  if (identities.size === 0) return bound;
  const bindingKind = kinds.find(({ name }) => name === "RoleBinding");
  const bindings = bindingKind === undefined ? [] : session.viewOf(bindingKind.collection).resources();
  const check = (binding: ExternalResource) => {
    const uid = grantOf(binding)?.identity.uid;
    if (uid !== undefined && identities.has(uid)) bound.add(uid);
  };
  for (const binding of bindings) check(binding);
  for (const others of above.values()) for (const binding of others ?? []) check(binding);
  return bound;
}

/** By the time of the first sight; then role bindings first, because they grant; then by uid. */
function compare(order: ReadonlyMap<string, number>, a: Finding, b: Finding): number {
  return (
    compareTexts(a.firstSeenTime, b.firstSeenTime) ||
    (order.get(a.kind.name) ?? 0) - (order.get(b.kind.name) ?? 0) ||
    compareTexts(a.external.uid, b.external.uid)
  );
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
