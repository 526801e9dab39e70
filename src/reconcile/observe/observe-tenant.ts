import { confirmAnnotation } from "#src/api/annotations.ts";
import { describeProblem } from "#src/platform-client/failure.ts";
import type { OwnerCheck } from "#src/platform-client/owner-check.ts";
import type { MissingCapability } from "#src/platform-client/permissions.ts";
import type { PlatformSession } from "#src/platform-client/session.ts";
import { isWithin } from "#src/platform-client/uid.ts";
import { type OuterBound, permitsKind, permitsResource } from "#src/reconcile/tenancy/boundary.ts";
import type { SessionReport } from "#src/reconcile/tenancy/session-report.ts";
import type { CachedTenant } from "#src/reconcile/tenancy/cached-tenant.ts";
import type { LiveTenancy, TenantStore } from "#src/reconcile/tenancy/live-tenancy.ts";
import type { TenantContext } from "#src/reconcile/tenancy/tenancy.ts";
import { findTenantProblems } from "#src/reconcile/tenancy/tenant-problems.ts";
import { problemsOfTenant, type TenantFacts } from "#src/reconcile/tenancy/tenant-report.ts";
import type { ObjectCount, TenantObservation } from "#src/reconcile/tenancy/tenant-status.ts";
import { isReadyValue } from "./readiness.ts";
import { observeRefusals } from "./refusals.ts";
import type { Sources } from "./sources.ts";

/** The undeclared resources that concern one Tenant. */
export interface UndeclaredOfTenant {
  readonly uids: readonly string[];
  /** Groups above those of the Tenant whose role bindings cannot be listed. */
  readonly unreadableGroups: readonly string[];
  /** The removals that wait for a confirmation, or were confirmed by the annotation; null if there are none. */
  readonly held: { readonly id: string; readonly uids: ReadonlySet<string> } | null;
}

/** The sources that the observation of a Tenant is read from. */
export interface TenantObservationSources {
  readonly sources: Sources;
  readonly tenancy: LiveTenancy;
  readonly tenants: TenantStore;
  readonly outer: OuterBound;
  /** The owner that the operator's identity must record. */
  readonly owner: string;
  readonly ownerCheck: OwnerCheck;
  /** What the last check of a session showed. */
  readonly reportOf: (session: PlatformSession) => SessionReport;
  /** The orphans of all kinds that the last resync found; null before the first. */
  readonly orphans: () => readonly string[] | null;
  /** Undefined before the first resync. */
  readonly undeclared: (tenant: string) => UndeclaredOfTenant | undefined;
  /** How many objects of the Tenant were abandoned since the process started. */
  readonly abandoned: (tenant: string) => number;
}

/** Observes one Tenant, from caches only. @returns undefined if this operator does not serve it, or it does not exist. */
export function observeTenant(given: TenantObservationSources, name: string): TenantObservation | undefined {
  const { sources, tenancy, tenants } = given;
  const tenant = tenants.get(name);
  if (tenant === undefined) return undefined;
  const context = tenancy.contextOf(name);
  // A namespace that the operator's settings do not allow is selected, but not governed.
  const namespaces = tenancy.namespacesSelectedBy(name).filter((one) => tenancy.tenantsOf(one).includes(name));
  const share = given.undeclared(name);
  const held = share?.held ?? null;
  const isConfirmed = held?.id === tenant.metadata.annotations?.[confirmAnnotation];
  const orphans = given.orphans();
  return {
    tenant,
    ownerId: given.owner,
    namespaces: namespaces.length,
    objects: sources.kinds.map(({ name: kind }) => ({ kind, count: countObjects(sources, kind, namespaces) })),
    problems: problemsOfTenant(factsOf(given, tenant, context, namespaces)),
    unverified: context === undefined ? null : findUnverified(given.reportOf(context.session)),
    orphans: context === undefined ? [] : (orphans?.filter((uid) => permitsResource(context.boundary, uid)) ?? null),
    undeclared: share?.uids ?? null,
    unreadableGroups: share?.unreadableGroups ?? null,
    abandoned: given.abandoned(name),
    breakers: [...sources.breakers.open(name)].map(([kind, open]) => ({ kind, ...open })),
    heldRemovals: held === null || isConfirmed ? null : { id: held.id, resources: held.uids.size },
    now: sources.clock.now(),
  };
}

function factsOf(
  { sources, tenancy, outer, owner, ownerCheck, reportOf }: TenantObservationSources,
  { spec, invalid }: CachedTenant,
  context: TenantContext | undefined,
  namespaces: readonly string[],
): TenantFacts {
  const session = context?.session;
  const known = sources.kinds.map(({ name }) => name);
  const outage = session?.outage;
  const failedCheck = session === undefined ? undefined : credentialProblem(reportOf(session));
  const { mismatch } = ownerCheck;
  const selected = new Set(namespaces);
  const unreadableGroups = session === undefined ? [] : unreadableGroupsOf(sources, session, spec?.groups ?? []);
  return {
    ...(invalid === undefined ? {} : { invalid }),
    ...(spec === undefined ? {} : { found: findTenantProblems(spec, outer, session?.roles) }),
    unreadableGroups,
    missingCapabilities: context === undefined ? [] : missingCapabilitiesOf(sources, context, unreadableGroups),
    knownKinds: known,
    unknownKinds: [...new Set([...(spec?.kinds ?? []), ...(spec?.adopt ?? [])])].filter(
      (kind) => !known.includes(kind),
    ),
    ...(outage === undefined ? {} : { outage }),
    ...(failedCheck === undefined ? {} : { failedCheck }),
    ...(mismatch === undefined ? {} : { owner: { expected: owner, recorded: mismatch.recorded } }),
    overlaps: namespaces.flatMap((namespace) => {
      const selecting = tenancy.tenantsOf(namespace);
      return selecting.length > 1 ? [{ namespace, tenants: selecting }] : [];
    }),
    refusals: observeRefusals(sources).filter(({ namespace }) => selected.has(namespace)),
  };
}

/** Why nobody knows yet whether the session works; null if that is known. */
function findUnverified(report: SessionReport): TenantObservation["unverified"] {
  if (report.is === "unchecked") return { failure: null };
  return report.is === "failed" && !report.hasWorked ? { failure: describeProblem(report.problem) } : null;
}

/** Only a credential that gets no token. Whether the platform is away is decided from more than one call (`suspension.ts`). */
function credentialProblem(report: SessionReport): TenantFacts["failedCheck"] {
  if (report.is !== "failed" || report.problem.kind !== "credential") return undefined;
  const { problem } = report;
  return { class: problem.cause === "exchange" ? "exchange" : "tokenService", message: problem.message };
}

/** Those of `groups` that are known not to exist, and the unreadable groups of the session that contain or are one of them. */
function unreadableGroupsOf({ kinds }: Sources, session: PlatformSession, groups: readonly string[]): string[] {
  const unreadable = session.unreadableRoots.filter((root) => groups.some((group) => isWithin(group, root)));
  const collection = kinds.find((kind) => kind.collection.name === "groups")?.collection;
  const view = collection === undefined ? undefined : session.viewOf(collection);
  const gone = groups.filter((group) => {
    const state = view?.stateOf(group).is;
    return !session.roots.includes(group) && (state === "gone" || state === "stale");
  });
  return [...new Set([...unreadable, ...gone])];
}

/** What the identity may not list, of the kinds that the Tenant permits, in its groups that can be read. */
function missingCapabilitiesOf(
  { kinds }: Sources,
  { session: { permissions }, boundary }: TenantContext,
  unreadable: readonly string[],
): MissingCapability[] {
  if (permissions === undefined) return [];
  const readable = boundary.groups.filter((group) => !unreadable.some((one) => isWithin(group, one)));
  const capabilities = kinds
    .filter(({ name }) => permitsKind(boundary, name))
    .map(({ collection }) => collection.listCapability);
  return readable.flatMap((group) =>
    capabilities
      .filter((capability) => !permissions.allow(capability, group))
      .map((capability) => ({ capability, group })),
  );
}

/** Null before all objects of the kind were read. */
function countObjects({ stores }: Sources, kind: string, namespaces: readonly string[]): ObjectCount | null {
  if (!stores.get(kind).synced) return null;
  let [ready, notReady] = [0, 0];
  for (const namespace of namespaces)
    for (const [value, objects] of stores.get(kind).tally.get(namespace) ?? [])
      if (isReadyValue(value)) ready += objects;
      else notReady += objects;
  return { ready, notReady };
}
