import type { Resource } from "#src/api/custom-resource.ts";
import type { Kind } from "#src/kinds/kind.ts";
import { kinds } from "#src/kinds/kinds.ts";
import { ownerHash } from "#src/kinds/marker.ts";
import { PerKind } from "#src/kinds/per-kind.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";
import { CollectionView } from "#src/platform-client/collection-view.ts";
import type { ExternalRoleBinding } from "#src/platform-client/permission-resources.ts";
import type { PlatformSession } from "#src/platform-client/session.ts";
import { otherRoot, root } from "#src/reconcile/policy/observed-fixture.testing.ts";
import type { Boundary } from "#src/reconcile/tenancy/boundary.ts";
import { everything } from "#src/reconcile/tenancy/boundary.testing.ts";
import type { Governance, TenantContext } from "#src/reconcile/tenancy/tenancy.ts";
import { ManualClock } from "#src/time/manual-clock.testing.ts";
import type { CachedResource } from "./cached-resource.ts";
import { observe } from "./observe.ts";
import type { Observed } from "./observed.ts";
import type { ReconcileState } from "./reconcile-state.ts";
import { ReconcileStates } from "./reconcile-states.ts";
import { owner, viewer } from "./references-world.testing.ts";
import type { Sources } from "./sources.ts";
import { newResourceStores, type ResourceStores } from "./resource-stores.ts";

/** When everything that the sessions see was listed. */
export const listedAt = 500;

/**
 * For tests of what is observed: a cluster and what two sessions see of the platform. Tenant `team` governs the namespaces `team`
 * and `sibling`, and everything below `root`; Tenant `others` governs `others`, and everything below `otherRoot`. Nobody governs
 * `ungoverned`, and another operator serves `unserved`.
 */
export interface WorldParts {
  readonly objects?: readonly Resource[];
  /** What exists below `root`, by kind, as Tenant `team` has listed it; absent: the kind was not listed. */
  readonly listed?: Readonly<Record<string, readonly ExternalResource[]>>;
  /** Likewise below `otherRoot`, for Tenant `others`. */
  readonly listedElsewhere?: Readonly<Record<string, readonly ExternalResource[]>>;
  /** What replaces parts of the session of Tenant `team`. */
  readonly session?: object;
  readonly boundary?: Partial<Boundary>;
  /** What this process remembers of the object with a key. */
  readonly states?: Readonly<Record<string, Partial<ReconcileState>>>;
  /** From when no request of an earlier leader can take effect. */
  readonly settledAt?: number;
  readonly credentials?: readonly string[];
  readonly breakGlass?: readonly string[];
  /** Kinds that Kubernetes has not let the operator read. */
  readonly unread?: readonly string[];
}

export interface World {
  readonly sources: Sources;
  readonly stores: ResourceStores;
  readonly contexts: { readonly team: TenantContext; readonly others: TenantContext };
  readonly cached: (kind: string, key: string) => CachedResource;
}

export function world(parts: WorldParts = {}): World {
  const { objects = [], states = {}, unread = [], settledAt = 0 } = parts;
  const clock = new ManualClock();
  const stores = newResourceStores(kinds);
  for (const [kind, store] of stores.entries()) {
    store.addScope(undefined);
    const ofKind = objects.filter((one) => one.kind === kind);
    if (!unread.includes(kind))
      store.replace({ namespace: undefined, objects: ofKind, resourceVersion: "5", versionAtStart: "0" });
  }
  const roles = {
    byName: new Map([viewer, owner].map((role) => [role.name, role])),
    byUid: new Map([viewer, owner].map((role) => [role.uid, role])),
  };
  const contextOf = (name: string, group: string, listed: WorldParts["listed"], more: object, limits: object) => ({
    name,
    session: { ...sessionOver(group, listed), roles, ...more } as unknown as PlatformSession,
    boundary: { ...everything({ roots: [group], roles: ["viewer"], namespaces: null }), ...limits },
    identity: `${group}/0000000000000001`,
    credentialEpoch: () => 0,
    settledAt,
  });
  const team = contextOf("team", root, parts.listed, parts.session ?? {}, parts.boundary ?? {});
  const others = contextOf("others", otherRoot, parts.listedElsewhere, {}, {});
  const governanceOf = ({ metadata: { namespace = "" } }: Resource): Governance => {
    if (namespace === "ungoverned") return { by: "none" };
    if (namespace === "unserved") return { by: "unserved" };
    return { by: "tenant", serves: "everything", context: namespace === "others" ? others : team };
  };
  const remembered = new PerKind(kinds, () => new ReconcileStates());
  for (const one of remembered.values()) {
    const get = one.get.bind(one);
    one.get = (key, cached, now) => ({ ...get(key, cached, now), ...states[key] });
  }
  const sources = {
    kinds,
    stores,
    states: remembered,
    tenancy: {
      governanceOf,
      isTerminating: () => false,
      contexts: [team, others],
      sessions: [team.session, others.session],
      namespacesOf: () => undefined,
      onChange: () => undefined,
      credentialIdentities: new Set(parts.credentials),
      breakGlassIdentities: new Set(parts.breakGlass),
    },
    crds: { lastRead: () => undefined },
    secrets: { lastRead: () => undefined },
    breakers: { holds: () => false },
    undeclared: { observe: () => null },
    ownerId: "owner",
    owners: [ownerHash("owner")],
    serviceAccounts: { issuer: "https://issuer.example", audience: "auth.example" },
    publicIssuers: [],
    endpoints: { authUrl: "", platformUrl: "", defaultAudience: "" },
    soleLeaderSince: 0,
    settleMs: 15_000,
    clock,
  } as unknown as Sources;
  const cached = (kind: string, key: string) => {
    const found = stores.get(kind).get(key);
    if (found === undefined) throw new Error(`no ${kind} ${key}`);
    return found;
  };
  return { sources, stores, contexts: { team, others }, cached };
}

/** A session that has listed everything of these kinds below `group`. */
function sessionOver(group: string, listed: WorldParts["listed"] = {}) {
  const all: readonly Kind[] = kinds;
  const views = new Map(all.map(({ collection }) => [collection.name, new CollectionView(collection)]));
  for (const [name, resources] of Object.entries(listed))
    views.get(kindNamed(name).collection.name)?.recordSnapshot({ descendantsOf: group }, resources, listedAt, true);
  return {
    roots: [group],
    groups: [group],
    recoveries: 0,
    permissions: undefined,
    posts: { createdBy: () => [], unknownSince: () => undefined },
    viewOf: ({ name }: { readonly name: string }) => views.get(name),
    grantsOf: () => undefined,
    createdAt: () => undefined,
    nameListedAt: () => undefined,
    postUnknownSince: () => undefined,
    createdElsewhereAt: () => undefined,
  };
}

export function kindNamed(name: string): Kind {
  const kind = kinds.find((one) => one.name === name);
  if (kind === undefined) throw new Error(`unknown kind ${name}`);
  return kind;
}

/** The role binding with this uid. */
export function grant(uid: string, identity: string, role: string): ExternalRoleBinding {
  return { uid, identity: { uid: identity, name: "" }, role: { uid: role, name: "" } };
}

/** What an object is observed with. */
export interface ObservedParts extends WorldParts {
  /** What replaces sources of the world. */
  readonly sources?: object;
}

/** What is observed of an object. @throws {Error} if it is not served */
export function seenOf(object: Resource, { sources: replaced, ...parts }: ObservedParts = {}): Observed {
  const { sources } = world({ ...parts, objects: [object, ...(parts.objects ?? [])] });
  const { namespace, name } = object.metadata;
  const observed = observe({ ...sources, ...replaced }, kindNamed(object.kind), `${namespace}/${name}`);
  if (observed === undefined) throw new Error("the object is not served");
  return observed;
}
