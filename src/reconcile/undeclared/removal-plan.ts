import type { Group } from "#src/api/group.ts";
import { sameContent } from "#src/platform-client/collection-view.ts";
import type { PlatformSession } from "#src/platform-client/session.ts";
import { parentOf } from "#src/platform-client/uid.ts";
import type { ObservedUndeclared, Removal, SparingReason } from "#src/reconcile/observe/observed-undeclared.ts";
import type { Sources } from "#src/reconcile/observe/sources.ts";
import { reasonToSpare, reasonToSpareGroup } from "#src/reconcile/policy/sparing.ts";
import { permitsResource } from "#src/reconcile/tenancy/boundary.ts";
import type { TenantContext } from "#src/reconcile/tenancy/tenancy.ts";
import type { MonotonicTime } from "#src/time/clock.ts";
import { isProviderAbsent } from "./absent-providers.ts";
import { describeFinding, recurrenceKey } from "./finding-description.ts";
import type { Finding } from "./findings.ts";
import { grantOf } from "#src/platform-client/grant.ts";
import type { HeldRemovals } from "./held-removals.ts";
import { identityFacts } from "./identity-facts.ts";
import type { Names } from "./names.ts";
import type { Removals } from "./removals.ts";
import type { SessionState } from "./session-state.ts";

/** What the removals in a group are planned from. */
export interface RemovalContext {
  readonly sources: Pick<Sources, "kinds" | "stores" | "tenancy" | "owners" | "clock">;
  readonly removals: Removals;
  readonly names: Names;
  readonly context: TenantContext;
  readonly state: SessionState;
  /** The Group object, which says Remove. */
  readonly resource: Group;
  /** The uid of the group. */
  readonly group: string;
}

type Plan = Pick<Extract<ObservedUndeclared, { is: "assessed" }>, "spared" | "confirmId" | "removal">;

/**
 * The next removal in a group, and why the other findings are spared.
 * @param held the removals that wait for a confirmation; null if there are none.
 */
export function planRemoval(given: RemovalContext, findings: readonly Finding[], held: HeldRemovals | null): Plan {
  const { sources, removals, context, group } = given;
  const { session } = context;
  const reasonOf = judge(given);
  const spared: Partial<Record<SparingReason, number>> = {};
  let due: Finding | undefined;
  for (const finding of findings) {
    const reason = reasonOf(finding) ?? (held === null ? undefined : "held");
    if (reason === undefined && due === undefined && isUnchanged(session, finding) && isUnnamed(given, finding))
      due = finding;
    const shown = reason ?? (removals.wasNamed(session, group, finding.external.uid) ? "named" : undefined);
    if (shown !== undefined) spared[shown] = (spared[shown] ?? 0) + 1;
  }
  const until = removals.pausedUntil(session, group);
  const removal: Removal | null =
    due === undefined
      ? null
      : sources.clock.monotonic() < until
        ? { is: "later", until }
        : { is: "due", resource: describeFinding(context, due), readAt: readAt(session, due) };
  return { spared, confirmId: held !== null && "held" in spared ? held.id : null, removal };
}

/** The reason to spare a finding, except that objects name it or that the breaker is open. */
export function judge(given: Omit<RemovalContext, "names">): (finding: Finding) => SparingReason | undefined {
  const { sources, removals, context, state, resource, group } = given;
  const { findings, people } = state;
  const { session, boundary } = context;
  const sparesGroup = reasonToSpareGroup({
    tenantAllows: boundary.undeclared === "Remove",
    managed:
      resource.spec.policy.management === "Full" &&
      resource.status?.uid === group &&
      resource.status?.management !== "Observed" &&
      parentOf(group) !== undefined &&
      !session.roots.includes(group),
    synced: people !== null && [...sources.stores.values()].every((store) => store.synced),
    providersKnown: people?.isKnown(group) === true,
    declaredProvidersPresent: people !== null && !isProviderAbsent(sources, people, group),
    otherOwnerPresent: findings.groups.get(group)?.otherOwnerPresent ?? true,
  });
  if (sparesGroup !== undefined) return () => sparesGroup;
  const recentRemovals = removals.recent(sources.clock.monotonic());
  return (finding) => {
    const { kind, external, seenIn } = finding;
    return reasonToSpare({
      kind: kind.name,
      inBounds: permitsResource(boundary, external.uid) && session.permissions?.ownBindings.has(external.uid) === false,
      identity: identityFacts(sources, session, people, grantOf(external)?.identity.uid ?? external.uid),
      bound: kind.name === "Identity" && findings.boundIdentities.has(external.uid),
      seenIn,
      recentRemovals: (recentRemovals.get(recurrenceKey(finding)) ?? []).filter((at) => at <= finding.firstSeenAt)
        .length,
      attempted: removals.wasAttempted(session, group, external.uid),
    });
  };
}

/** Whether nothing shows that the resource is another one than was found, or gone: the next resync judges it. */
function isUnchanged(session: PlatformSession, { kind, external }: Finding): boolean {
  const known = session.viewOf(kind.collection).stateOf(external.uid);
  return known.is === "present" ? sameContent(known.resource, external) : known.is !== "gone";
}

function readAt(session: PlatformSession, { kind, external }: Finding): MonotonicTime | null {
  const known = session.viewOf(kind.collection).stateOf(external.uid);
  return known.is === "present" ? known.seenAt : null;
}

/** Whether no object names the finding, as the stores are now. What was named once is spared until the next resync. */
function isUnnamed({ names, removals, context: { session }, group }: RemovalContext, finding: Finding): boolean {
  const { kind, external } = finding;
  if (removals.wasNamed(session, group, external.uid)) return false;
  if (!names.has(session, kind, external)) return true;
  removals.recordNamed(session, group, external.uid);
  return false;
}
