import type { Kind } from "#src/kinds/kind.ts";
import { keyOf } from "#src/kube/object.ts";
import type { PlatformSession } from "#src/platform-client/session.ts";
import type { CachedResource } from "#src/reconcile/observe/cached-resource.ts";
import type { ObservedUndeclared } from "#src/reconcile/observe/observed-undeclared.ts";
import type { Sources, UndeclaredSource } from "#src/reconcile/observe/sources.ts";
import { servedObjects } from "#src/reconcile/observe/served-objects.ts";
import type { BreakerLimits } from "#src/reconcile/policy/breaker.ts";
import { accessDeclared, listedUndeclared } from "#src/reconcile/policy/undeclared.ts";
import { permitsParent } from "#src/reconcile/tenancy/boundary.ts";
import type { Governance, TenantContext } from "#src/reconcile/tenancy/tenancy.ts";
import type { MonotonicTime } from "#src/time/clock.ts";
import { minutes } from "#src/time/durations.ts";
import { listAbove, type RoleBindingsAbove } from "./above-roots.ts";
import { ancestorsOf } from "./ancestors.ts";
import { type Declarations, isInStatus, readDeclarations } from "./declarations.ts";
import { describeFinding, recurrenceKey } from "./finding-description.ts";
import { type Finding, findUndeclared, type SessionFindings } from "./findings.ts";
import { type HeldRemovals, heldRemovals } from "./held-removals.ts";
import { Names } from "./names.ts";
import { listPeople, type People } from "./listed-people.ts";
import { judge, planRemoval } from "./removal-plan.ts";
import { Removals } from "./removals.ts";
import { isGroup, saysRemove, type SessionState } from "./session-state.ts";
import { continueSightings } from "./sightings.ts";

export interface UndeclaredAccessOptions {
  readonly sources: Pick<
    Sources,
    "kinds" | "stores" | "tenancy" | "owners" | "ownerId" | "serviceAccounts" | "publicIssuers" | "clock"
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

/** The share of one Tenant as of the last resync. */
interface Share extends Omit<TenantUndeclared, "uids"> {
  /** Those that have been known for the longest time first. */
  readonly findings: readonly Finding[];
}

/** What objects declare also depends on the roles that were read, and on the time. */
const declarationsMs = minutes(1);

/** What was listed outside of the views, and is to be confirmed. */
interface Peeked {
  readonly aboveListedAt: MonotonicTime;
  readonly above: () => Promise<RoleBindingsAbove>;
  /** Undefined if no Group said Remove. */
  readonly people: (() => Promise<People>) | undefined;
}

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
 * status, and removes one resource per step (`removal-plan.ts`), each after a look at the stores as they are at that moment
 * (`names.ts`). What an object takes over meanwhile is a finding no longer; the Group that reports it is reconciled soon.
 *
 * **Who sees what.** A Group reports what is directly in it; a Tenant's share has counts and uids only. Of an identity
 * outside of the Tenant's groups only the uid is shown, and of a role outside only the uid unless it is built in. `Ignore`
 * hides nothing from the share, nor from the metric.
 *
 * **Memory.** When a resource was first seen is remembered by uid while it exists, and in `status.undeclared` for the ten
 * that have been known for the longest time, so that a restart changes no time that a status shows. In how many resyncs a
 * resource was seen is forgotten when the process ends: a removal then waits for two more. What was removed is remembered
 * (`removals.ts`), so that no session that sees the group removes or reports it again.
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
  readonly #shares = new Map<string, Share>();
  /** What was listed for the resync that is running. */
  readonly #peeked = new WeakMap<PlatformSession, Peeked>();
  readonly #removals = new Removals();
  readonly #names: Names;
  /** Undefined after a change. The resyncs of many sessions share one pass over all objects. */
  #declarations: { readonly read: Declarations; readonly readAt: MonotonicTime } | undefined;

  constructor(options: UndeclaredAccessOptions) {
    this.#options = options;
    this.#names = new Names(options.sources);
    const forget = () => {
      this.#declarations = undefined;
    };
    for (const store of options.sources.stores.values()) store.onChange(forget);
    options.sources.tenancy.onChange(forget);
  }

  /** What was removed or taken over since the last resync is not in it. Undefined until the Tenant's session was listed for the first time. */
  shareOf(tenant: string): TenantUndeclared | undefined {
    const share = this.#shares.get(tenant);
    if (share === undefined) return undefined;
    const { findings, unreadableGroups, held } = share;
    return { uids: this.#remaining(findings).map(({ external }) => external.uid), unreadableGroups, held };
  }

  /** How many resources there are that nobody declared, by kind. A resource that several credentials see counts once. */
  counts(): ReadonlyMap<string, number> {
    const { kinds, tenancy } = this.#options.sources;
    const uids = new Map(kinds.map(({ name }) => [name, new Set<string>()]));
    for (const session of tenancy.sessions)
      for (const { findings } of this.#sessions.get(session)?.findings.groups.values() ?? [])
        for (const finding of this.#remaining(findings)) uids.get(finding.kind.name)?.add(finding.external.uid);
    return new Map(Array.from(uids, ([kind, { size }]) => [kind, size]));
  }

  /** Lists what a resync does not. Called before it, so that what confirms its lists confirms these, too. Does not throw. */
  async prepare(session: PlatformSession): Promise<void> {
    this.#peeked.set(session, await this.#peek(session));
  }

  async #peek(session: PlatformSession): Promise<Peeked> {
    const { kinds, clock } = this.#options.sources;
    const aboveListedAt = clock.monotonic();
    const above = await listAbove(session, kinds, this.#sessions.get(session)?.above);
    const people = this.#groups(session).some(({ resource }) => saysRemove(resource))
      ? await listPeople(session)
      : undefined;
    return { aboveListedAt, above, people };
  }

  /**
   * Compares what `session` sees with what objects declare. Called after each complete resync of the session; does not throw.
   * @returns the keys of the Group objects to reconcile.
   */
  async assess(session: PlatformSession): Promise<readonly string[]> {
    const { sources } = this.#options;
    const before = this.#sessions.get(session);
    const peeked = this.#peeked.get(session) ?? (await this.#peek(session));
    this.#peeked.delete(session);
    const above = await peeked.above();
    const saysRemoveNow = this.#groups(session).some(({ resource }) => saysRemove(resource));
    const people = saysRemoveNow ? await (await (peeked.people ?? listPeople(session)))() : null;
    const { aboveListedAt } = peeked;
    // Nothing awaits from here on: objects and views are those of one moment.
    const declarations = this.#declared();
    const { note, sightings } = continueSightings(before?.sightings, this.#groups(session), sources.clock);
    const findings = findUndeclared({
      session,
      kinds: sources.kinds,
      stores: sources.stores,
      owners: sources.owners,
      groups: this.#groupsToLookAt(session, declarations),
      above,
      aboveListedAt,
      wallClock: sources.clock.now(),
      isDeclared: (kind, external) => declarations.isDeclared(session, kind, external),
      mayBeRecordedSoon: (kind, external) => declarations.mayBeRecordedSoon(kind, external),
      seen: note,
    });
    this.#sessions.set(session, { findings, sightings, above, people });
    this.#removals.forgetAttempts(session);
    const all = [...sources.stores.get("Group").values()];
    if (!all.some(({ resource }) => saysRemove(resource))) this.#names.release();
    this.#updateShares(session, findings, declarations);
    return this.#outdated(session);
  }

  /** How many removals of the Tenant wait for a confirmation. */
  heldRemovalsIn(tenant: string): number {
    return this.#unconfirmed(tenant)?.uids.size ?? 0;
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
    if (!isGroup(resource)) return null;
    if (governance.by === "unserved") return null;
    if (uid === undefined || governance.by !== "tenant" || resource.spec.undeclared === "Ignore")
      return { is: "unreported" };
    const { context } = governance;
    if (!permitsParent(context.boundary, uid)) return { is: "unreported" };
    const state = this.#sessions.get(context.session);
    const found = state?.findings.groups.get(uid);
    if (state === undefined || found === undefined)
      return context.session.createdAt(uid) !== undefined
        ? { is: "assessed", counts: {}, first: [], spared: null, confirmId: null, removal: null }
        : null;
    const findings = this.#remaining(found.findings);
    const counts: Record<string, number> = {};
    for (const { kind } of findings) counts[kind.name] = (counts[kind.name] ?? 0) + 1;
    const first = findings.slice(0, listedUndeclared).map((finding) => describeFinding(context, finding));
    const assessed = { is: "assessed", counts, first, spared: null, confirmId: null, removal: null } as const;
    if (!saysRemove(resource) || governance.serves !== "everything") return assessed;
    const { sources } = this.#options;
    const [removals, names] = [this.#removals, this.#names];
    const plan = { sources, removals, names, context, state, resource, group: uid };
    return { ...assessed, ...planRemoval(plan, findings, this.#unconfirmed(context.name)) };
  }

  recordRemoval({ resource }: CachedResource, uid: string, outcome: "removed" | "failed"): void {
    const { sources } = this.#options;
    const group = resource.status?.uid;
    const governance = sources.tenancy.governanceOf(resource);
    if (group === undefined || governance.by !== "tenant") return;
    const now = sources.clock.monotonic();
    const { session } = governance.context;
    this.#removals.recordAttempt(session, group, uid, now);
    if (outcome === "failed") return;
    const { findings = [] } = this.#sessions.get(session)?.findings.groups.get(group) ?? {};
    const finding = findings.find(({ external }) => external.uid === uid);
    this.#removals.recordRemoved(uid, finding && recurrenceKey(finding), now);
  }

  groupsThatReport({ collection }: Kind, uid: string): readonly string[] {
    const group = collection.uids.parentOf(uid);
    const { tenancy, stores } = this.#options.sources;
    const isReported = Iterator.from(tenancy.sessions).some(
      (session) => this.#sessions.get(session)?.sightings.has(uid) === true,
    );
    return group === undefined || !isReported ? [] : stores.get("Group").index("claims", group).map(keyOf);
  }

  /** The findings that were not removed since they were listed, and that no object has taken over since. */
  #remaining(findings: readonly Finding[]): readonly Finding[] {
    return findings.filter(
      ({ kind, external, listedAt }) =>
        !this.#removals.isRemoved(external.uid, listedAt) && !isInStatus(this.#options.sources, kind, external),
    );
  }

  /** The removals of a Tenant that nobody has confirmed; null if there are none. */
  #unconfirmed(tenant: string): HeldRemovals | null {
    const { held = null } = this.#shares.get(tenant) ?? {};
    return held === null || this.#options.confirmationOf(tenant) === held.id ? null : held;
  }

  /** What the objects declare. It is read again after any of them, or a Tenant, has changed. */
  #declared(): Declarations {
    const now = this.#options.sources.clock.monotonic();
    if (this.#declarations === undefined || now >= this.#declarations.readAt + declarationsMs)
      this.#declarations = { read: readDeclarations(this.#options.sources), readAt: now };
    return this.#declarations.read;
  }

  /** The groups that objects of the session's Tenants use, and the groups above them. */
  #groupsToLookAt(session: PlatformSession, declarations: Declarations): ReadonlySet<string> {
    const groups = new Set<string>();
    for (const context of this.#contexts(session))
      for (const group of groupsOf(context, declarations)) groups.add(group);
    return groups;
  }

  #updateShares(session: PlatformSession, findings: SessionFindings, declarations: Declarations): void {
    const removing = this.#groups(session).filter(({ resource }) => saysRemove(resource));
    for (const context of this.#contexts(session)) {
      const groups = groupsOf(context, declarations);
      const found = groups.flatMap((group) => findings.groups.get(group)?.findings ?? []);
      this.#shares.set(context.name, {
        findings: found.toSorted(byFirstSight),
        unreadableGroups: groups.filter((group) => findings.unreadableGroups.has(group)).slice(0, listedUndeclared),
        held: this.#heldRemovals(session, context, declarations, removing),
      });
    }
    const served = new Set(Array.from(this.#options.sources.tenancy.contexts, ({ name }) => name));
    for (const name of this.#shares.keys()) if (!served.has(name)) this.#shares.delete(name);
  }

  /**
   * The removals of a Tenant, if there are too many of them at once.
   * @param removing the Group objects of the session that say Remove
   */
  #heldRemovals(
    session: PlatformSession,
    context: TenantContext,
    { managed }: Declarations,
    removing: readonly CachedResource[],
  ): HeldRemovals | null {
    const { sources, breakerLimits: limits, confirmationOf } = this.#options;
    const state = this.#sessions.get(session);
    if (state === undefined) return null;
    const { name: tenant } = context;
    const due: string[] = [];
    let others = managed.get(tenant) ?? 0;
    for (const { resource } of removing) {
      const { uid: group } = resource.status ?? {};
      const governance = sources.tenancy.governanceOf(resource);
      if (group === undefined || !isGroup(resource)) continue;
      if (governance.by !== "tenant" || governance.context.name !== tenant) continue;
      const reasonOf = judge({ sources, removals: this.#removals, context, state, resource, group });
      for (const finding of this.#remaining(state.findings.groups.get(group)?.findings ?? []))
        if (reasonOf(finding) === undefined) due.push(finding.external.uid);
        else others += 1;
    }
    const before = this.#shares.get(tenant)?.held ?? null;
    return heldRemovals({ tenant, due, others, limits, before, confirmation: confirmationOf(tenant) });
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
    return [...servedObjects(this.#options.sources, session, "Group")];
  }
}

/** The groups that the objects of a Tenant use, and the groups above them, each once. */
function groupsOf({ name }: TenantContext, { usedGroups }: Declarations): string[] {
  const used = [...(usedGroups.get(name) ?? [])];
  return [...new Set([...used, ...used.flatMap(ancestorsOf)])];
}

function byFirstSight(a: Finding, b: Finding): number {
  return `${a.firstSeenTime} ${a.external.uid}` < `${b.firstSeenTime} ${b.external.uid}` ? -1 : 1;
}
