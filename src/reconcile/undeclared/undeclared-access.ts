import { timestamp } from "#src/api/timestamp.ts";
import { createHash } from "node:crypto";
import type { Group } from "#src/api/group.ts";
import type { Undeclared } from "#src/api/status.ts";
import type { ExternalIdentity } from "#src/kinds/identity.ts";
import { carriedMarker, objectOf } from "#src/kinds/marker.ts";
import { keyOf } from "#src/kube/object.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";
import type { PlatformSession } from "#src/platform-client/session.ts";
import { parentOf } from "#src/platform-client/uid.ts";
import type { CachedResource } from "#src/reconcile/observe/cached-resource.ts";
import { identityIn, isCredential } from "#src/reconcile/observe/operator-identities.ts";
import type { ObservedUndeclared, Removal, SparingReason } from "#src/reconcile/observe/observed.ts";
import type { Sources, UndeclaredSource } from "#src/reconcile/observe/sources.ts";
import { type BreakerLimits, opensBreaker } from "#src/reconcile/policy/breaker.ts";
import { type IdentityFacts, reasonToSpare, reasonToSpareGroup } from "#src/reconcile/policy/sparing.ts";
import { accessDeclared, listedUndeclared } from "#src/reconcile/policy/undeclared.ts";
import { permitsParent, permitsResource } from "#src/reconcile/tenancy/boundary.ts";
import type { Governance, TenantContext } from "#src/reconcile/tenancy/tenancy.ts";
import type { MonotonicTime } from "#src/time/clock.ts";
import { listAbove, type RoleBindingsAbove } from "./above-roots.ts";
import { ancestorsOf } from "./ancestors.ts";
import { type Declarations, isMarkerOf, readDeclarations } from "./declarations.ts";
import { type Finding, findUndeclared, type SessionFindings } from "./findings.ts";
import { grantOf } from "./grant.ts";
import { isNamed } from "./names.ts";
import { listPeople, type People } from "./people.ts";
import { RemovalHistory } from "./removal-history.ts";

export interface UndeclaredAccessOptions {
  readonly sources: Pick<
    Sources,
    "kinds" | "stores" | "tenancy" | "owners" | "ownerId" | "serviceAccountIssuer" | "publicIssuers" | "clock"
  >;
  /** When removing this many resources of a Tenant at once stops and asks. */
  readonly breakerLimits: BreakerLimits;
  /** What the annotation `iam.muster.dev/confirm` of the Tenant with this name says. */
  readonly confirmationOf: (tenant: string) => string | undefined;
}

/** The share of one Tenant, for its status. */
export interface TenantUndeclared {
  /**
   * The resources that no object declares in the groups that the Tenant's objects use, and in the groups above them: those
   * that have been known for the longest time first. As many as there are.
   */
  readonly uids: readonly string[];
  /** Groups above whose role bindings may not be listed; the first ten. */
  readonly unreadableGroups: readonly string[];
  /** Null if the breaker is closed. */
  readonly held: HeldRemovals | null;
}

/** Removals that wait until a person sets the annotation `iam.muster.dev/confirm` of the Tenant to `id`. */
export interface HeldRemovals {
  readonly id: string;
  readonly uids: ReadonlySet<string>;
}

type Seen = Pick<Finding, "firstSeenTime" | "firstSeenAt" | "seenIn">;

/** What is known of one session since its last resync. */
interface SessionState {
  readonly findings: SessionFindings;
  /** By uid. As large as what was found. */
  readonly seen: ReadonlyMap<string, Seen>;
  readonly above: RoleBindingsAbove;
  /** Null if no Group said Remove at the last resync. */
  readonly people: People | null;
}

/** The removals in one group since the last resync. */
interface GroupRemovals {
  readonly attempted: Set<string>;
  /** Resources that were found to be named when their turn came. */
  readonly named: Set<string>;
  readonly removed: Set<string>;
  pausedUntil: MonotonicTime;
}

/** After this number of removals, the group lets others go first for a moment: a reconcile has a bounded number of steps. */
const removalsAtOnce = 10;
const pauseMs = 100;

/**
 * Shows access that was granted outside of Kubernetes next to what objects declare, and removes it where it was asked to.
 *
 * **What is looked at.** For each Tenant, the groups that its objects manage, observe or name by uid, as far as they are
 * within its boundary, and the groups above them. Of each group: the role bindings, identities and child groups directly in
 * it. Below the session's roots all of them are in the views after a resync, and cost no further call. Above the roots, only
 * the role bindings are listed, one call per group, because nothing else up there grants anything below; what may not be
 * listed is named on the Tenant. Identity providers are listed only while some Group says Remove.
 *
 * **Expected flow.** After each complete resync of a session, `assess` compares its views with what objects declare
 * (`declarations.ts`). It takes one pass over the objects and one over the resources. It returns the Groups whose
 * status is out of date or that have something to remove, to be reconciled. Their reconcile calls `observe`, writes the
 * status, and removes one resource per step, each after a look at the stores as they are at that moment (`names.ts`).
 *
 * **Who sees what.** A Group reports what is directly in it; a Tenant's share has counts and uids only. Of an identity
 * outside of the Tenant's groups only the uid is shown, and of a role outside only the uid unless it is built in. `Ignore`
 * hides nothing from the share, nor from the metric.
 *
 * **Memory.** When a resource was first seen is remembered by uid while it exists, and in `status.undeclared` for the ten
 * that have been known for the longest time, so that a restart changes no time that a status shows. In how many resyncs a
 * resource was seen is forgotten when the process ends: a removal then waits for two more.
 *
 * **Guarantees.** Nothing is removed that an object in any state names, nor while a store is not synced, nor outside of a
 * group whose own managed Group says Remove. What the operator cannot judge is spared (`policy/sparing.ts`).
 *
 * **Caveats.** The stores show the namespaces that the operator watches. A removal that fails is repeated after the next
 * resync.
 */
export class UndeclaredAccess implements UndeclaredSource {
  readonly #options: UndeclaredAccessOptions;
  readonly #sessions = new WeakMap<PlatformSession, SessionState>();
  readonly #shares = new Map<string, TenantUndeclared>();
  /** By the uid of the group; since the last resync. */
  readonly #removals = new Map<string, GroupRemovals>();
  readonly #history = new RemovalHistory();

  constructor(options: UndeclaredAccessOptions) {
    this.#options = options;
  }

  /** What was removed since the last resync is not in it. Undefined until the Tenant's session was listed for the first time. */
  shareOf(tenant: string): TenantUndeclared | undefined {
    const share = this.#shares.get(tenant);
    if (share === undefined) return undefined;
    return { ...share, uids: share.uids.filter((uid) => !this.#isRemoved(parentOf(uid) ?? "", uid)) };
  }

  /** How many resources there are that nobody declared, by kind. A resource that several credentials see counts once. */
  counts(): ReadonlyMap<string, number> {
    const { kinds, tenancy } = this.#options.sources;
    const uids = new Map(kinds.map(({ name }) => [name, new Set<string>()]));
    for (const session of tenancy.sessions)
      for (const [group, { findings }] of this.#sessions.get(session)?.findings.groups ?? [])
        for (const { kind, external } of findings)
          if (!this.#isRemoved(group, external.uid)) uids.get(kind.name)?.add(external.uid);
    return new Map(Array.from(uids, ([kind, { size }]) => [kind, size]));
  }

  /**
   * Compares what `session` sees with what objects declare. Called after each complete resync of the session; does not throw.
   * @returns the keys of the Group objects to reconcile.
   */
  async assess(session: PlatformSession): Promise<readonly string[]> {
    const { sources } = this.#options;
    const before = this.#sessions.get(session);
    const above = await listAbove(session, sources.kinds, before?.above);
    const people = this.#groups(session).some(({ resource }) => saysRemove(resource))
      ? await listPeople(session)
      : null;
    // Nothing awaits from here on: objects and views are those of one moment.
    const declarations = readDeclarations(sources);
    const seen = new Map<string, Seen>();
    const findings = findUndeclared({
      session,
      kinds: sources.kinds,
      stores: sources.stores,
      owners: sources.owners,
      groups: this.#groupsToLookAt(session, declarations),
      above,
      isDeclared: (kind, external) => declarations.isDeclared(session, kind, external),
      seen: this.#seeing(session, before?.seen, seen),
    });
    this.#sessions.set(session, { findings, seen, above, people });
    for (const group of findings.groups.keys()) this.#removals.delete(group);
    this.#updateShares(session, findings, declarations);
    return this.#outdated(session);
  }

  /** The keys of the Group objects whose removals wait for the confirmation `id` of the Tenant. */
  groupsHeldBy(tenant: string, id: string): readonly string[] {
    const { stores, tenancy } = this.#options.sources;
    if (this.#shares.get(tenant)?.held?.id !== id) return [];
    return [...stores.get("Group").values()].flatMap((cached) => {
      const governance = tenancy.governanceOf(cached.resource);
      const waits = saysRemove(cached.resource) && governance.by === "tenant" && governance.context.name === tenant;
      return waits ? [keyOf(cached)] : [];
    });
  }

  observe({ resource }: CachedResource, governance: Governance, uid: string | undefined): ObservedUndeclared | null {
    if (!isGroup(resource) || resource.metadata.deletionTimestamp !== undefined) return null;
    if (governance.by === "unserved") return null;
    if (uid === undefined || governance.by !== "tenant" || resource.spec.undeclared === "Ignore")
      return { is: "unreported" };
    const { context } = governance;
    if (!permitsParent(context.boundary, uid)) return { is: "unreported" };
    const state = this.#sessions.get(context.session);
    const found = state?.findings.groups.get(uid);
    if (state === undefined || found === undefined)
      return context.session.createdRecently(uid)
        ? { is: "assessed", counts: {}, first: [], spared: null, confirmId: null, removal: null }
        : null;
    const findings = found.findings.filter(({ external }) => !this.#isRemoved(uid, external.uid));
    const counts: Record<string, number> = {};
    for (const { kind } of findings) counts[kind.name] = (counts[kind.name] ?? 0) + 1;
    const first = findings.slice(0, listedUndeclared).map((finding) => describe(context, finding));
    const assessed = { is: "assessed", counts, first, spared: null, confirmId: null, removal: null } as const;
    if (resource.spec.undeclared !== "Remove" || governance.serves !== "everything") return assessed;
    return { ...assessed, ...this.#planRemoval(resource, uid, context, state, findings) };
  }

  recordRemoval({ resource }: CachedResource, uid: string, outcome: "removed" | "failed"): void {
    const group = resource.status?.uid;
    if (group === undefined) return;
    const { sources } = this.#options;
    const removals = this.#removalsOf(group);
    removals.attempted.add(uid);
    if (removals.attempted.size % removalsAtOnce === 0) removals.pausedUntil = sources.clock.monotonic() + pauseMs;
    if (outcome === "failed") return;
    removals.removed.add(uid);
    for (const session of sources.tenancy.sessions) {
      const { findings = [] } = this.#sessions.get(session)?.findings.groups.get(group) ?? {};
      const finding = findings.find(({ external }) => external.uid === uid);
      if (finding === undefined) continue;
      this.#history.record(identityKey(finding), sources.clock.monotonic());
      return;
    }
  }

  #planRemoval(
    resource: Group,
    group: string,
    context: TenantContext,
    state: SessionState,
    findings: readonly Finding[],
  ): Pick<Extract<ObservedUndeclared, { is: "assessed" }>, "spared" | "confirmId" | "removal"> {
    const { sources, confirmationOf } = this.#options;
    const { held = null } = this.#shares.get(context.name) ?? {};
    const isHeld = held !== null && confirmationOf(context.name) !== held.id;
    const reasonOf = this.#judge(resource, group, context, state);
    const removals = this.#removals.get(group);
    const spared: Partial<Record<SparingReason, number>> = {};
    let due: Finding | undefined;
    for (const finding of findings) {
      const reason = reasonOf(finding) ?? (isHeld ? "held" : undefined);
      if (reason === undefined && due === undefined && this.#isUnnamed(context.session, group, finding)) due = finding;
      const shown =
        reason ?? (this.#removals.get(group)?.named.has(finding.external.uid) === true ? "named" : undefined);
      if (shown !== undefined) spared[shown] = (spared[shown] ?? 0) + 1;
    }
    const now = sources.clock.monotonic();
    const removal: Removal | null =
      due === undefined
        ? null
        : removals !== undefined && now < removals.pausedUntil
          ? { is: "later", until: removals.pausedUntil }
          : { is: "due", resource: describe(context, due) };
    return { spared, confirmId: isHeld && "held" in spared ? held.id : null, removal };
  }

  /** The reason to spare a finding, except that objects name it or that the breaker is open. */
  #judge(
    resource: Group,
    group: string,
    context: TenantContext,
    { findings, people }: SessionState,
  ): (finding: Finding) => SparingReason | undefined {
    const { sources } = this.#options;
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
      otherOwnerPresent: findings.groups.get(group)?.otherOwnerPresent ?? true,
    });
    if (sparesGroup !== undefined) return () => sparesGroup;
    const recentRemovals = this.#history.recent(sources.clock.monotonic());
    const attempted = this.#removals.get(group)?.attempted;
    return (finding) => {
      const { kind, external, seenIn } = finding;
      return reasonToSpare({
        kind: kind.name,
        inBounds:
          permitsResource(boundary, external.uid) && session.permissions?.ownBindings.has(external.uid) === false,
        identity: this.#identityFacts(session, people, grantOf(external)?.identity.uid ?? external.uid),
        bound: kind.name === "Identity" && findings.boundIdentities.has(external.uid),
        seenIn,
        recentRemovals: (recentRemovals.get(identityKey(finding)) ?? []).filter((at) => at <= finding.firstSeenAt)
          .length,
        attempted: attempted?.has(external.uid) ?? false,
      });
    };
  }

  #identityFacts(session: PlatformSession, people: People | null, uid: string): IdentityFacts | null {
    const { sources } = this.#options;
    const { kinds, tenancy } = sources;
    const identity = identityIn(kinds, session, uid);
    if (identity === undefined || people?.isKnown(parentOf(uid) ?? uid) !== true) return null;
    return {
      credential: isCredential(sources, session, uid),
      breakGlass: tenancy.breakGlassIdentities.has(uid),
      marker: this.#markerOf(identity),
      person: people.isPerson(identity as ExternalIdentity),
    };
  }

  #markerOf(identity: ExternalResource): IdentityFacts["marker"] {
    const { owners, stores } = this.#options.sources;
    const marker = carriedMarker(identity);
    if (marker === undefined) return "none";
    if (!isMarkerOf(owners, marker)) return "foreign";
    return stores.get("Identity").index("object", objectOf(marker)).length > 0 ? "ours" : "orphan";
  }

  /** Whether no object names the finding, as the stores are now. What was named once is spared until the next resync. */
  #isUnnamed(session: PlatformSession, group: string, { kind, external }: Finding): boolean {
    const { named } = this.#removalsOf(group);
    if (!named.has(external.uid) && isNamed(this.#options.sources, session, kind, external)) named.add(external.uid);
    return !named.has(external.uid);
  }

  #removalsOf(group: string): GroupRemovals {
    const known = this.#removals.get(group);
    if (known !== undefined) return known;
    const removals = {
      attempted: new Set<string>(),
      named: new Set<string>(),
      removed: new Set<string>(),
      pausedUntil: 0,
    };
    this.#removals.set(group, removals);
    return removals;
  }

  #isRemoved(group: string, uid: string): boolean {
    return this.#removals.get(group)?.removed.has(uid) === true;
  }

  /** The groups that objects of the session's Tenants use, and the groups above them. */
  #groupsToLookAt(session: PlatformSession, declarations: Declarations): ReadonlySet<string> {
    const groups = new Set<string>();
    for (const context of this.#contexts(session))
      for (const group of groupsOf(context, declarations)) groups.add(group);
    return groups;
  }

  #seeing(
    session: PlatformSession,
    before: ReadonlyMap<string, Seen> | undefined,
    seen: Map<string, Seen>,
  ): (external: { readonly uid: string }) => Seen {
    const { clock } = this.#options.sources;
    const at = clock.monotonic();
    const now = timestamp(clock.now());
    const recorded = before === undefined ? this.#recordedTimes(session) : undefined;
    return ({ uid }) => {
      const { firstSeenTime = recorded?.get(uid) ?? now, firstSeenAt = at, seenIn = 0 } = before?.get(uid) ?? {};
      const next = { firstSeenTime, firstSeenAt, seenIn: seenIn + 1 };
      seen.set(uid, next);
      return next;
    };
  }

  /** When a previous process first saw what the statuses list. */
  #recordedTimes(session: PlatformSession): ReadonlyMap<string, string> {
    return new Map(
      this.#groups(session).flatMap(({ resource: { status } }) =>
        (status?.undeclared ?? []).map(({ uid, firstSeenTime }) => [uid, firstSeenTime] as const),
      ),
    );
  }

  #updateShares(session: PlatformSession, findings: SessionFindings, declarations: Declarations): void {
    const contexts = this.#contexts(session);
    for (const context of contexts) {
      const groups = groupsOf(context, declarations);
      const found = groups.flatMap((group) => findings.groups.get(group)?.findings ?? []);
      this.#shares.set(context.name, {
        uids: found.toSorted(byFirstSight).map(({ external }) => external.uid),
        unreadableGroups: groups.filter((group) => findings.unreadableGroups.has(group)).slice(0, listedUndeclared),
        held: this.#heldRemovals(session, context, declarations),
      });
    }
    const served = new Set(Array.from(this.#options.sources.tenancy.contexts, ({ name }) => name));
    for (const name of this.#shares.keys()) if (!served.has(name)) this.#shares.delete(name);
  }

  /** The removals of a Tenant, if there are too many of them at once. */
  #heldRemovals(session: PlatformSession, context: TenantContext, { managed }: Declarations): HeldRemovals | null {
    const state = this.#sessions.get(session);
    if (state === undefined) return null;
    const uids: string[] = [];
    let others = 0;
    for (const { resource } of this.#groups(session)) {
      const { uid } = resource.status ?? {};
      const governance = this.#options.sources.tenancy.governanceOf(resource);
      if (uid === undefined || !isGroup(resource) || !saysRemove(resource)) continue;
      if (governance.by !== "tenant" || governance.context.name !== context.name) continue;
      const reasonOf = this.#judge(resource, uid, context, state);
      for (const finding of state.findings.groups.get(uid)?.findings ?? [])
        if (reasonOf(finding) === undefined) uids.push(finding.external.uid);
        else others += 1;
    }
    if (
      !opensBreaker(uids.length, uids.length + others + (managed.get(context.name) ?? 0), this.#options.breakerLimits)
    )
      return null;
    const before = this.#shares.get(context.name)?.held;
    // What is left of a confirmed removal needs no other confirmation.
    if (before?.id === this.#options.confirmationOf(context.name) && uids.every((uid) => before?.uids.has(uid)))
      return before ?? null;
    const id = createHash("sha256")
      .update([context.name, ...uids.toSorted()].join("\n"))
      .digest("hex")
      .slice(0, 16);
    return { id, uids: new Set(uids) };
  }

  /** The Group objects whose status differs from what was found, or that have something to remove. */
  #outdated(session: PlatformSession): string[] {
    return this.#groups(session).flatMap((cached) => {
      const { status } = cached.resource;
      const governance = this.#options.sources.tenancy.governanceOf(cached.resource);
      const undeclared = this.observe(cached, governance, status?.uid);
      if (undeclared?.is !== "assessed") return [];
      const condition = status?.conditions?.find(({ type }) => type === "AccessDeclared");
      const listed = (status?.undeclared ?? []).map(({ uid }) => uid).join(" ");
      const isCurrent =
        undeclared.removal === null &&
        condition !== undefined &&
        condition.observedGeneration === cached.metadata.generation &&
        condition.message === accessDeclared(undeclared)?.message &&
        listed === undeclared.first.map(({ uid }) => uid).join(" ");
      return isCurrent ? [] : [keyOf(cached)];
    });
  }

  #contexts(session: PlatformSession): TenantContext[] {
    return Array.from(this.#options.sources.tenancy.contexts).filter((context) => context.session === session);
  }

  /** The Group objects that are governed by a Tenant of the session. */
  #groups(session: PlatformSession): CachedResource[] {
    const { stores, tenancy } = this.#options.sources;
    return [...stores.get("Group").values()].filter(({ resource }) => {
      const governance = tenancy.governanceOf(resource);
      return governance.by === "tenant" && governance.context.session === session;
    });
  }
}

/** The groups that the objects of a Tenant use, and the groups above them, each once. */
function groupsOf({ name }: TenantContext, { usedGroups }: Declarations): string[] {
  const used = [...(usedGroups.get(name) ?? [])];
  return [...new Set([...used, ...used.flatMap(ancestorsOf)])];
}

function isGroup(resource: CachedResource["resource"]): resource is Group {
  return resource.kind === "Group";
}

function saysRemove(resource: CachedResource["resource"]): boolean {
  return isGroup(resource) && resource.spec.undeclared === "Remove";
}

function byFirstSight(a: Finding, b: Finding): number {
  return `${a.firstSeenTime} ${a.external.uid}` < `${b.firstSeenTime} ${b.external.uid}` ? -1 : 1;
}

/** What identifies a resource that is created again under another uid. */
function identityKey({ kind: { name, collection }, external }: Finding): string {
  const key = grantOf(external) === undefined ? collection.nameOf(external) : collection.naturalKeyOf(external);
  return `${name} ${collection.uids.parentOf(external.uid) ?? ""} ${key ?? external.uid}`;
}

/** What the status shows of a finding. */
function describe({ boundary }: TenantContext, { kind, external, firstSeenTime }: Finding): Undeclared {
  const grant = grantOf(external);
  const name = kind.collection.nameOf(external);
  const mayShowRole =
    grant !== undefined && (parentOf(grant.role.uid) === undefined || permitsResource(boundary, grant.role.uid));
  return {
    kind: kind.name,
    uid: external.uid,
    ...(name === undefined || name === "" ? {} : { name }),
    ...(grant === undefined
      ? {}
      : {
          identityUid: grant.identity.uid,
          role: mayShowRole && grant.role.name !== "" ? grant.role.name : grant.role.uid,
        }),
    firstSeenTime,
  };
}
