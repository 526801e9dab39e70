import { describe, expect, it } from "vitest";
import type { Resource } from "#src/api/custom-resource.ts";
import { withMarker } from "#src/kinds/marker.ts";
import { overwriteKey } from "#src/platform-client/post-ledger.ts";
import {
  anotherUid,
  externalGroup,
  foreignMarker,
  groupResource,
  marker,
  notReady,
  otherRoot,
  parent,
  ready,
  root,
  uid,
} from "#src/reconcile/policy/observed-fixture.testing.ts";
import { observe } from "./observe.ts";
import {
  grant,
  kindNamed,
  listedAt,
  type ObservedParts,
  seenOf,
  world,
  type WorldParts,
} from "./observed-world.testing.ts";
import {
  binding,
  identityUid,
  operatorIdentity,
  owner,
  recorded,
  terminating,
  viewer,
} from "./references-world.testing.ts";

// What is observed of one object in a cluster, with what the session of its Tenant sees of the platform.

const named = (description: string, uidOf = uid, name = "payments") => externalGroup({ uid: uidOf, name, description });
const listed = (...groups: readonly ReturnType<typeof named>[]): WorldParts => ({ listed: { Group: groups } });
const group = (parts: Parameters<typeof groupResource>[0] = {}) => groupResource(parts);
const other = (parts: Parameters<typeof groupResource>[0] = {}) =>
  groupResource({
    ...parts,
    metadata: { name: "other", uid: "uid-of-other", ...parts.metadata },
    spec: { name: "payments", ...parts.spec },
  });

describe("an object", () => {
  it("is not observed if it does not exist, or another operator serves it", () => {
    const { sources } = world({ objects: [group({ metadata: { namespace: "unserved" } })] });
    const kind = kindNamed("Group");
    expect([observe(sources, kind, "team/payments"), observe(sources, kind, "unserved/payments")]).toEqual([
      undefined,
      undefined,
    ]);
  });

  it.each<[string, Resource, string | undefined]>([
    ["the uid in its status", group({ status: recorded(uid) }), uid],
    ["the uid in its spec", group({ spec: { uid: anotherUid }, status: recorded(uid) }), anotherUid],
    [
      "only what it manages while it is deleted",
      group({ spec: { uid: anotherUid }, metadata: terminating }),
      undefined,
    ],
    ["none", group(), undefined],
  ])("claims %s", (_, object, claimed) => {
    expect(seenOf(object).claim?.uid).toBe(claimed);
  });

  it.each<[string, Resource, ObservedParts, object]>([
    ["was not read", group({ status: ready }), {}, { external: { is: "unknown" } }],
    [
      "exists",
      group({ status: ready }),
      listed(named(withMarker("", marker))),
      { external: { is: "present", seenAt: listedAt }, claimedBy: null },
    ],
    ["is missing", group({ status: ready }), listed(), { external: { is: "stale" } }],
    [
      "is another object's",
      group({ spec: { uid } }),
      { objects: [other({ status: ready })] },
      { claimedBy: "team/other" },
    ],
    [
      "is another object's, too, which does not matter to one that observes",
      group({ spec: { uid, policy: { management: "Observe" } } }),
      { objects: [other({ status: ready })] },
      { claimedBy: null },
    ],
    [
      "is held by a breaker",
      group({ status: ready }),
      { sources: { breakers: { holds: (...of: string[]) => of.join() === `team,Group,${uid}` } } },
      { heldByBreaker: true },
    ],
  ])("knows of what it claims that it %s", (_, object, parts, claim) => {
    expect(seenOf(object, parts).claim).toMatchObject(claim);
  });
});

describe("the resources that may be the object's", () => {
  it.each<[string, Resource, ObservedParts, readonly string[]]>([
    ["carry its marker", group(), listed(named(withMarker("", marker)), named("", anotherUid)), [uid]],
    ["do not carry another marker", group(), listed(named(withMarker("", foreignMarker))), []],
    [
      "are in its group",
      group(),
      listed(named(withMarker("", marker), `${root}/4444444444444444`), named(withMarker("", marker))),
      [uid],
    ],
    [
      "are in any group as long as it is not known in which",
      group({ spec: { parentUid: otherRoot } }),
      listed(named(withMarker("", marker), `${root}/4444444444444444`)),
      [`${root}/4444444444444444`],
    ],
    ["are not another object's", group(), { ...listed(named("")), objects: [other({ status: ready })] }, []],
    [
      "have the fields of a grant",
      binding(),
      {
        listed: {
          RoleBinding: [
            grant(uid, identityUid, viewer.uid),
            grant(anotherUid, identityUid, owner.uid),
            grant(`${root}/4444444444444444`, identityUid, viewer.uid),
          ],
        },
      },
      [uid],
    ],
    [
      "have the fields that the status of a grant records, too",
      {
        ...binding(),
        status: { ...recorded(`${parent}/5555555555555555`), identityUid, roleUid: owner.uid },
      },
      { listed: { RoleBinding: [grant(uid, identityUid, viewer.uid), grant(anotherUid, identityUid, owner.uid)] } },
      [uid, anotherUid],
    ],
    [
      "have the fields of the last POST for a grant, too",
      { ...binding(), spec: { ...binding().spec, roleRef: { name: "none" } } } as Resource,
      {
        listed: { RoleBinding: [grant(uid, identityUid, viewer.uid)] },
        states: { "team/ci-views": { posted: { naturalKey: `${parent} ${identityUid} ${viewer.uid}` } } },
      },
      [uid],
    ],
  ])("%s", (_, object, parts, uids) => {
    const observed = seenOf(object, parts);
    expect(observed.matches.map((match) => match.uid)).toEqual(uids);
    expect(observed.readTimes.slice(0, uids.length)).toEqual(uids.map((match) => ({ uid: match, at: listedAt })));
  });
});

describe("conflicts of names", () => {
  const conflictsOf = (object: Resource, parts: WorldParts) =>
    seenOf(object, parts).nameConflicts.map(({ external, claimedBy }) => [external.uid, claimedBy]);
  it.each<[string, Resource, ObservedParts, unknown[]]>([
    [
      "are resources with the wanted name in the group",
      group(),
      listed(named(""), named("", anotherUid, "else")),
      [[uid, null]],
    ],
    [
      "name the object that has the resource",
      group(),
      { ...listed(named("")), objects: [other({ status: ready })] },
      [[uid, "team/other"]],
    ],
    ["are not those in another group", group(), listed(named("", `${root}/4444444444444444`)), []],
    ["are not those that the object claims", group({ spec: { uid } }), listed(named("")), []],
    ["are not those with its marker", group(), listed(named(withMarker("", marker))), []],
    [
      "are not looked for while its resource has the name",
      group({ status: ready }),
      listed(named(withMarker("", marker)), named("", anotherUid)),
      [],
    ],
    [
      "are looked for before a rename",
      group({ status: ready, spec: { name: "billing" } }),
      listed(named(withMarker("", marker)), named("", anotherUid, "billing")),
      [[anotherUid, null]],
    ],
    ["are not known while the group is not", group({ spec: { parentUid: otherRoot } }), listed(named("")), []],
  ])("%s", (_, object, parts, expected) => {
    expect(conflictsOf(object, parts)).toEqual(expected);
  });

  it("show whether two objects swap their names", () => {
    const parts = {
      ...listed(named(withMarker("", marker), uid, "billing"), named("", anotherUid)),
      objects: [other({ spec: { name: "billing" }, status: { ...ready, uid: anotherUid } })],
    };
    expect(seenOf(group({ status: ready }), parts).nameCircle).toEqual(["team/other"]);
  });

  const older = { creationTimestamp: "2025-01-01T00:00:00Z" };
  it.each<[string, Resource, ObservedParts, string | null]>([
    ["an older object", group(), { objects: [other({ metadata: older })] }, "team/other"],
    ["no younger one", group({ metadata: older }), { objects: [other()] }, null],
    [
      "a younger one that has the name already",
      group({ metadata: older }),
      { ...listed(named("")), objects: [other({ status: ready })] },
      "team/other",
    ],
    ["none with another name", group(), { objects: [other({ metadata: older, spec: { name: "else" } })] }, null],
    [
      "none that does not manage",
      group(),
      { objects: [other({ metadata: older, spec: { policy: { management: "Observe" } } })] },
      null,
    ],
    [
      "none for an object that only observes",
      group({ spec: { policy: { management: "Observe" } } }),
      { objects: [other({ metadata: older })] },
      null,
    ],
    [
      "none for an object that has the name",
      group({ status: ready }),
      { ...listed(named(withMarker("", marker))), objects: [other({ metadata: older })] },
      null,
    ],
    [
      "none that lost the name to somebody, and says so",
      group({ metadata: older }),
      { objects: [other({ status: { ...ready, ...notReady("Conflict", { uid }) } })] },
      null,
    ],
    [
      "a younger one whose resource was not listed, and that was Ready with its present spec",
      group({ metadata: older }),
      { objects: [other({ status: ready })] },
      "team/other",
    ],
    [
      "none whose spec was edited since",
      group({ metadata: older }),
      { objects: [other({ status: ready, metadata: { generation: 2 } })] },
      null,
    ],
  ])("come first for %s", (_, object, parts, rival) => {
    expect(seenOf(object, parts).rival).toBe(rival);
  });
});

describe("what is known of the group", () => {
  it("is when it was listed, and when all groups of the session were", () => {
    expect(seenOf(group(), listed())).toMatchObject({
      snapshot: { startedAt: listedAt, stable: true },
      rootSnapshots: [{ group: root, snapshot: { startedAt: listedAt } }],
    });
    expect(seenOf(group())).toMatchObject({ snapshot: null, rootSnapshots: [{ group: root, snapshot: null }] });
    expect(seenOf(group({ spec: { parentUid: otherRoot } }), listed()).snapshot).toBeNull();
  });

  it("is when it was created, and when the name was listed", () => {
    const session = {
      createdAt: (of: string) => (of === parent ? 7 : undefined),
      nameListedAt: (_: unknown, of: string, name: string) => (of === parent && name === "payments" ? 8 : undefined),
    };
    expect(seenOf(group(), { session })).toMatchObject({ parentCreatedAt: 7, nameListedAt: 8 });
    expect(seenOf(group({ spec: { name: "else" } }), { session }).nameListedAt).toBeNull();
    expect(seenOf(group({ spec: { parentUid: otherRoot } }), { session })).toMatchObject({
      parentCreatedAt: null,
      nameListedAt: null,
    });
  });

  const overwrite = overwriteKey(kindNamed("Group").collection, parent);
  it.each<[string, number | undefined, number | undefined, number | null]>([
    ["the last POST without an outcome", 5, undefined, 5],
    ["the last write that may take effect on what is created later", undefined, 6, 6],
    ["the later of both", 7, 6, 7],
    ["nothing", undefined, undefined, null],
  ])("is %s", (_, post, write, expected) => {
    const session = {
      postUnknownSince: (_collection: unknown, key: string) => (key === marker ? post : undefined),
      createdElsewhereAt: (_collection: unknown, key: string, of: string) =>
        key === marker && of === parent ? 3 : undefined,
      posts: {
        createdBy: (key: string) => (key === marker ? [uid] : []),
        unknownSince: (key: string) => (key === overwrite ? write : undefined),
      },
    };
    expect(seenOf(group(), { session })).toMatchObject({
      postUnknownSince: expected,
      createdElsewhereAt: 3,
      createdHere: [uid],
    });
  });
});

describe("an object that no Tenant governs", () => {
  const ungoverned = (parts: Parameters<typeof groupResource>[0] = {}) =>
    group({ ...parts, metadata: { namespace: "ungoverned", ...parts.metadata } });
  it("claims what it records, of which nothing is known", () => {
    expect(seenOf(ungoverned({ status: ready }), listed(named(""))).claim).toMatchObject({
      uid,
      external: { is: "unknown" },
      claimedBy: null,
      heldByBreaker: false,
    });
    expect(seenOf(ungoverned()).claim).toBeNull();
  });

  it("has what carries its marker, in the view of any Tenant", () => {
    // The marker of the object in this namespace.
    const own = seenOf(ungoverned()).markers[0];
    const parts = {
      ...listed(named(withMarker("", own))),
      listedElsewhere: {
        Group: [
          named(withMarker("", own), `${otherRoot}/2222222222222222`),
          named("", `${otherRoot}/3333333333333333`),
        ],
      },
    };
    const uids = seenOf(ungoverned(), parts).matches.map((match) => match.uid);
    expect(uids).toEqual([uid, `${otherRoot}/2222222222222222`]);
  });
});

it("has the requested reconcile until it is handled, and what concerns only a deletion while it is deleted", () => {
  const states = { "team/payments": { request: { value: "now", seenAt: 1 } } };
  expect(seenOf(group(), { states }).request).toEqual({ value: "now", seenAt: 1 });
  const handled = group({ status: { ...ready, lastHandledReconcileAt: "now" } });
  expect(seenOf(handled, { states }).request).toBeNull();
  const child = groupResource({
    metadata: { name: "child", uid: "uid-of-child" },
    spec: { parentUid: uid },
    status: recorded(`${uid}/1111111111111111`),
  });
  const parts = { objects: [child], unread: ["Role"] };
  expect(seenOf(group({ status: ready }), parts)).toMatchObject({ dependents: [], unreadDependents: [] });
  expect(seenOf(group({ status: ready, metadata: terminating }), parts)).toMatchObject({
    dependents: [{ key: "team/child" }],
    unreadDependents: ["Role"],
  });
});

it("knows that a credential is never written", () => {
  const claimMatch = { issuer: "https://issuer.example", subject: "operator" };
  const spec = { groupUid: root, uid: operatorIdentity, claimMatch, policy: group().spec.policy };
  const object = { ...group(), kind: "Identity", spec } as unknown as Resource;
  const identity = { uid: operatorIdentity, name: "operator", description: "" };
  const { protections } = seenOf(object, { credentials: [operatorIdentity], listed: { Identity: [identity] } });
  expect(protections).toEqual([{ uid: operatorIdentity, because: "credential" }]);
});
