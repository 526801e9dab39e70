import type { Kind } from "#src/kinds/kind.ts";
import { markerOf } from "#src/kinds/marker.ts";
import type { PerKind } from "#src/kinds/per-kind.ts";
import type { CachedResource } from "./cached-resource.ts";
import { foreignParentOf } from "./foreign-parent.ts";
import { dependentsOf, unreadDependentsOf } from "./dependents.ts";
import { governanceNow } from "./governance-now.ts";
import type { Observed } from "./observed.ts";
import type { SecretRead } from "./secret-read.ts";
import { observedTenant } from "./observed-tenant.ts";
import { observePlatform, unobservedPlatform } from "./platform-observation.ts";
import type { ReconcileStates } from "./reconcile-states.ts";
import { secretLocationOf } from "#src/kinds/secret-location.ts";
import type { Sources } from "./sources.ts";
import { observeUnrecorded } from "./unrecorded.ts";

/**
 * Observes one object: gathers what a decision about it needs, from caches only.
 * @returns undefined if the object does not exist (any longer), or is not served here.
 */
export function observe(sources: Sources, kind: Kind, key: string): Observed | undefined {
  const { stores, states, tenancy, clock } = sources;
  const cached = stores.get(kind.name).get(key);
  if (cached === undefined) return undefined;
  const { resource, invalid } = cached;
  const now = clock.monotonic();
  const state = states.get(kind.name).get(key, cached, now);
  const governance = governanceNow(tenancy, { resource, invalid, state }, clock.now());
  if (governance.by === "unserved") return undefined;
  const markers = markersOf(sources.owners, cached);
  const request =
    state.request !== undefined && state.request.value !== resource.status?.lastHandledReconcileAt
      ? state.request
      : null;
  const foreignParent =
    governance.by === "tenant" && invalid === undefined
      ? foreignParentOf(sources, governance.context, kind, resource)
      : undefined;
  const platform =
    governance.by === "tenant"
      ? observePlatform(sources, governance.context, kind, cached, markers, state, foreignParent ?? [])
      : unobservedPlatform(sources, kind, cached, markers);
  return {
    ...platform,
    resource,
    invalid: invalid ?? null,
    tenant: observedTenant(governance, kind, platform.references, foreignParent !== undefined),
    markers,
    endpoints: sources.endpoints,
    publicIssuers: sources.publicIssuers,
    request,
    secret: secretOf(sources, kind, cached),
    unrecorded: observeUnrecorded(sources, kind, cached, markers, state, governance, platform.references),
    undeclared: sources.undeclared.observe(cached, governance, resource.status?.uid ?? platform.matches[0]?.uid),
    dependents: resource.metadata.deletionTimestamp === undefined ? [] : dependentsOf(sources, resource),
    unreadDependents: resource.metadata.deletionTimestamp === undefined ? [] : unreadDependentsOf(sources, kind),
    namespaceIsTerminating: tenancy.isTerminating(resource.metadata.namespace ?? ""),
    lastDeletionAt: lastDeletionAt(states),
    crd: sources.crds.lastRead(kind) ?? null,
    state,
    now,
    wallClock: clock.now(),
  };
}

/** The markers of an object: first that of the current owner id, then those of the previous owner ids. */
function markersOf(
  [owner, ...previous]: Sources["owners"],
  { objectHash }: CachedResource,
): readonly [string, ...string[]] {
  return [markerOf(owner, objectHash), ...previous.map((one) => markerOf(one, objectHash))];
}

function lastDeletionAt(states: PerKind<ReconcileStates>): number | null {
  let last: number | null = null;
  for (const { lastDeletionAt: at } of states.values()) if (at !== null && (last === null || at > last)) last = at;
  return last;
}

/** What was read of the Secret that the spec names. */
function secretOf({ secrets }: Sources, kind: Kind, { resource, invalid }: CachedResource): SecretRead | null {
  const at = invalid === undefined ? secretLocationOf(kind, resource) : undefined;
  return (at === undefined ? undefined : secrets.lastRead(at)) ?? null;
}
