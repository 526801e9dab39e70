import { readyCondition } from "#src/api/condition.ts";
import { confirmAnnotation } from "#src/api/annotations.ts";
import type { OwnerCheck } from "#src/platform-client/owner-check.ts";
import type { PlatformSession } from "#src/platform-client/session.ts";
import { isWithin } from "#src/platform-client/uid.ts";
import { type OuterBound, permitsResource } from "#src/reconcile/tenancy/boundary.ts";
import type { CachedTenant } from "#src/reconcile/tenancy/cached-tenant.ts";
import type { LiveTenancy, TenantStore } from "#src/reconcile/tenancy/live-tenancy.ts";
import { findTenantProblems } from "#src/reconcile/tenancy/tenant-problems.ts";
import { problemsOfTenant, type TenantFacts } from "#src/reconcile/tenancy/tenant-report.ts";
import type { TenantObservation } from "#src/reconcile/tenancy/tenant-status.ts";
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
  /** The orphans of all kinds that the last resync found. */
  readonly orphans: () => Iterable<string>;
  readonly undeclared: (tenant: string) => UndeclaredOfTenant;
  /** How many objects of the Tenant were abandoned since the process started. */
  readonly abandoned: (tenant: string) => number;
}

/** Observes one Tenant, from caches only. @returns undefined if this operator does not serve it, or it does not exist. */
export function observeTenant(given: TenantObservationSources, name: string): TenantObservation | undefined {
  const { sources, tenancy, tenants } = given;
  const tenant = tenants.get(name);
  if (tenant === undefined) return undefined;
  const context = tenancy.contextOf(name);
  const namespaces = tenancy.namespacesSelectedBy(name);
  const { uids: undeclared, unreadableGroups, held } = given.undeclared(name);
  const isConfirmed = held?.id === tenant.metadata.annotations?.[confirmAnnotation];
  return {
    tenant,
    ownerId: given.owner,
    namespaces: namespaces.length,
    objects: sources.kinds.map(({ name: kind }) => countObjects(sources, kind, namespaces)),
    problems: problemsOfTenant(factsOf(given, tenant, context?.session, namespaces)),
    orphans: context === undefined ? [] : [...given.orphans()].filter((uid) => permitsResource(context.boundary, uid)),
    undeclared,
    unreadableGroups,
    abandoned: given.abandoned(name),
    breakers: [...sources.breakers.open(name)].map(([kind, open]) => ({ kind, ...open })),
    heldRemovals: held === null || isConfirmed ? null : { id: held.id, resources: held.uids.size },
    now: sources.clock.now(),
  };
}

function factsOf(
  { sources, tenancy, outer, owner, ownerCheck }: TenantObservationSources,
  { spec, invalid }: CachedTenant,
  session: PlatformSession | undefined,
  namespaces: readonly string[],
): TenantFacts {
  const known = sources.kinds.map(({ name }) => name);
  const outage = session?.outage;
  const { mismatch } = ownerCheck;
  const selected = new Set(namespaces);
  return {
    ...(invalid === undefined ? {} : { invalid }),
    ...(spec === undefined ? {} : { found: findTenantProblems(spec, outer, session?.roles) }),
    unreadableGroups: session === undefined ? [] : unreadableGroupsOf(sources, session, spec?.groups ?? []),
    unknownKinds: [...new Set([...(spec?.kinds ?? []), ...(spec?.adopt ?? [])])].filter(
      (kind) => !known.includes(kind),
    ),
    ...(outage === undefined ? {} : { outage }),
    ...(mismatch === undefined ? {} : { owner: { expected: owner, recorded: mismatch.recorded } }),
    overlaps: namespaces.flatMap((namespace) => {
      const selecting = tenancy.tenantsOf(namespace);
      return selecting.length > 1 ? [{ namespace, tenants: selecting }] : [];
    }),
    refusals: observeRefusals(sources).filter(({ namespace }) => selected.has(namespace)),
  };
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

function countObjects(
  { stores }: Sources,
  kind: string,
  namespaces: readonly string[],
): TenantObservation["objects"][number] {
  let [ready, notReady] = [0, 0];
  for (const namespace of namespaces)
    for (const { resource } of stores.get(kind).index("namespace", namespace)) {
      const condition = readyCondition(resource);
      if (condition?.status === "True") ready += 1;
      else notReady += 1;
    }
  return { kind, ready, notReady };
}
