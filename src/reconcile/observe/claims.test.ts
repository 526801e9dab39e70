import { describe, expect, it } from "vitest";
import type { Resource } from "#src/api/custom-resource.ts";
import { groupKind } from "#src/kinds/group.ts";
import { kinds } from "#src/kinds/kinds.ts";
import { ownerHash } from "#src/kinds/marker.ts";
import { PerKind } from "#src/kinds/per-kind.ts";
import { CollectionView } from "#src/platform-client/collection-view.ts";
import type { PlatformSession } from "#src/platform-client/session.ts";
import { groupResource, otherRoot, parent, ready, root, uid } from "#src/reconcile/policy/observed-fixture.testing.ts";
import type { Boundary } from "#src/reconcile/tenancy/boundary.ts";
import { everything } from "#src/reconcile/tenancy/boundary.testing.ts";
import type { Governance, TenantContext } from "#src/reconcile/tenancy/tenancy.ts";
import { ManualClock } from "#src/time/manual-clock.testing.ts";
import { parseResource } from "./cached-resource.ts";
import { comesFirst } from "./claims.ts";
import { observe } from "./observe.ts";
import type { Observed } from "./observed.ts";
import { ReconcileStates } from "./reconcile-states.ts";
import type { Sources } from "./sources.ts";
import { newResourceStores } from "./resource-stores.ts";

/** Tenant `team` governs the namespace `team` and everything below `root`, Tenant `others` the other one. */
const boundaries: Readonly<Record<string, Partial<Boundary>>> = {
  team: { groups: [root] },
  others: { groups: [otherRoot] },
};

/** What is observed of the object `name` in the namespace `team`. */
function observeGroup(name: string, objects: readonly Resource[], limits: Partial<Boundary> = {}): Observed {
  const clock = new ManualClock();
  const view = new CollectionView(groupKind.collection);
  const session = {
    roots: [root],
    recoveries: 0,
    posts: { createdBy: () => [], unknownSince: () => undefined },
    viewOf: () => view,
    createdAt: () => undefined,
    nameListedAt: () => undefined,
    postUnknownSince: () => undefined,
    createdElsewhereAt: () => undefined,
  } as unknown as PlatformSession;
  const governanceOf = ({ metadata: { namespace = "" } }: Resource): Governance => ({
    by: "tenant",
    serves: "everything",
    context: {
      name: namespace,
      session,
      boundary: {
        ...everything({ roots: [root, otherRoot], roles: [], namespaces: null }),
        ...boundaries[namespace],
        ...(namespace === "others" ? limits : {}),
      },
      credentialEpoch: () => 0,
      settledAt: 0,
    } as TenantContext,
  });
  const stores = newResourceStores(kinds);
  for (const [kind, store] of stores.entries()) {
    store.addScope(undefined);
    const ofKind = objects.filter((one) => one.kind === kind);
    store.replace({ namespace: undefined, objects: ofKind, resourceVersion: "5", versionAtStart: "0" });
  }
  const sources = {
    kinds,
    stores,
    states: new PerKind(kinds, () => new ReconcileStates()),
    tenancy: { governanceOf, isTerminating: () => false, sessions: [session], credentialIdentities: new Set() },
    crds: { lastRead: () => undefined },
    breakers: { holds: () => false },
    undeclared: { observe: () => null },
    owners: [ownerHash("owner")],
    publicIssuers: [],
    clock,
  } as unknown as Sources;
  const observed = observe(sources, groupKind, `team/${name}`);
  if (observed === undefined) throw new Error(`${name} was not observed`);
  return observed;
}

const shop = groupResource({
  metadata: { name: "shop" },
  spec: { parentUid: root },
  status: { ...ready, uid: parent, parentUid: root },
});
const later = "2026-01-02T00:00:00Z";

/** A group named `ci` below the group of the object `shop`. */
function wanting(namespace: string, name: string, spec: object, creationTimestamp?: string): Resource {
  const base = groupResource();
  const { parentUid: _, ...others } = base.spec;
  return {
    ...base,
    metadata: {
      ...base.metadata,
      name,
      namespace,
      uid: `uid-of-${namespace}-${name}`,
      ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
    },
    spec: { ...others, ...spec },
  };
}

const here = { parentRef: { name: "shop" }, name: "ci" };
const fromElsewhere = { parentRef: { name: "shop", namespace: "team" }, name: "ci" };

describe("an older object that wants the same name", () => {
  it("comes first", () => {
    const older = wanting("team", "older", here);
    expect(observeGroup("ci", [shop, older, wanting("team", "ci", here, later)]).rival).toBe("team/older");
  });

  it("does not come first if its Tenant does not permit what it declares", () => {
    const squatter = wanting("others", "squatter", { parentUid: parent, name: "ci" });
    expect(observeGroup("ci", [shop, squatter, wanting("team", "ci", here, later)]).rival).toBeNull();
  });

  it("does not come first if the group that it refers to was not granted to its namespace", () => {
    const squatter = wanting("others", "squatter", fromElsewhere);
    expect(observeGroup("ci", [shop, squatter, wanting("team", "ci", here, later)]).rival).toBeNull();
  });

  it("comes first while it is being deleted, if it may have created something", () => {
    const older = wanting("team", "older", here);
    const deleted = { ...older, metadata: { ...older.metadata, deletionTimestamp: later } };
    const rival = (one: Resource) => observeGroup("ci", [shop, one, wanting("team", "ci", here, later)]).rival;
    expect(rival(deleted)).toBe("team/older");
    expect(rival({ ...deleted, metadata: { ...deleted.metadata, finalizers: ["example.com/other"] } })).toBeNull();
  });

  it("comes first if the group that it refers to was granted to its namespace", () => {
    const granting = { ...shop, spec: { ...shop.spec, allowedNamespaces: ["others"] } } as Resource;
    const older = wanting("others", "older", fromElsewhere);
    expect(observeGroup("ci", [granting, older, wanting("team", "ci", here, later)]).rival).toBe("others/older");
  });
});

describe("an older object that claims the same uid by its spec", () => {
  const claiming = (namespace: string, name: string, spec: object, time?: string) =>
    wanting(namespace, name, { ...spec, uid }, time);
  const elsewhere = `${otherRoot}/1111111111111111`;
  const own = groupResource({
    metadata: { name: "own", namespace: "others" },
    spec: { parentUid: otherRoot },
    status: { ...ready, uid: elsewhere, parentUid: otherRoot },
  });
  const claimedBy = (older: Resource, limits?: Partial<Boundary>) =>
    observeGroup("ci", [shop, own, older, claiming("team", "ci", here, later)], limits).claim?.claimedBy;

  it("comes first", () => {
    expect(claimedBy(claiming("team", "older", here))).toBe("team/older");
  });

  it("does not come first if the uid is not below the group that it names", () => {
    expect(claimedBy(claiming("others", "squatter", { parentRef: { name: "own" } }))).toBeNull();
  });

  it("comes first if the uid is in one of several groups of its Tenant", () => {
    const limits = { groups: [otherRoot, root] };
    expect(claimedBy(claiming("others", "older", { parentUid: parent }), limits)).toBe("others/older");
  });

  it("does not come first if its Tenant does not allow it to adopt", () => {
    const limits = { groups: [root], adopt: [] };
    expect(claimedBy(claiming("others", "squatter", { parentUid: parent }), limits)).toBeNull();
  });

  it("does not come first before an object that has recorded the uid", () => {
    const older = claiming("team", "older", here);
    const recorded = { ...claiming("team", "ci", here, later), status: { ...ready, uid } };
    expect(observeGroup("ci", [shop, older, recorded]).claim?.claimedBy).toBeNull();
  });
});

it.each<[string, Parameters<typeof groupResource>[0], boolean]>([
  ["has recorded a uid, whatever its age", { status: ready, metadata: { creationTimestamp: later } }, true],
  ["is older", { metadata: { creationTimestamp: "2025-01-01T00:00:00Z" } }, true],
  ["is of the same second and has a name that comes first", { metadata: { name: "a" } }, true],
  ["is of the same second and has a name that comes later: not", { metadata: { name: "z" } }, false],
  ["is younger: not", { metadata: { creationTimestamp: later } }, false],
])("comes first: an object that %s", (_, other, expected) => {
  const [one, self] = [other, {}].map((parts) => parseResource(groupKind, groupResource(parts) as never));
  expect(one !== undefined && self !== undefined && comesFirst(one, self)).toBe(expected);
});
