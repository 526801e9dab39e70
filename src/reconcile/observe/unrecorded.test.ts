import { describe, expect, it } from "vitest";
import type { Resource } from "#src/api/custom-resource.ts";
import { withMarker } from "#src/kinds/marker.ts";
import type { PlatformSession } from "#src/platform-client/session.ts";
import {
  bindingResource,
  externalGroup,
  foreignMarker,
  groupResource,
  identityResource,
  marker,
  otherRoot,
  parent,
  ready,
  root,
  uid,
} from "#src/reconcile/policy/observed-fixture.testing.ts";
import { grant, kindNamed, listedAt, world, type WorldParts } from "./observed-world.testing.ts";
import type { References } from "./observed.ts";
import { elsewhere, identityUid, recorded, viewer } from "./references-world.testing.ts";
import { identify, observeUnrecorded, sessionThatLists } from "./unrecorded.ts";

// What an earlier process may have created for an object that no Tenant permits now.

const snapshot = { startedAt: listedAt, stable: true };
const denied: References = { are: "denied", message: "" };
const waits: References = { are: "waiting", reason: "ReferenceNotGranted", message: "" };
const resolved: References = { are: "resolved", uids: {}, granted: [], desired: {}, naturalKey: "" };
const deleted = { deletionTimestamp: "2026-01-02T00:00:00Z" };

type Spec = NonNullable<Parameters<typeof bindingResource>[0]>["spec"];
const direct: Spec = { identityUid, roleRef: { name: "viewer" } };
const byName: Spec = { identityRef: { name: "robot" }, roleRef: { name: "viewer" } };
const binding = (spec: Spec = direct, metadata: object = {}, status?: Resource["status"]): Resource =>
  bindingResource({ spec, metadata, ...(status === undefined ? {} : { status }) });
const group = (metadata: object = {}, spec: object = {}): Resource => groupResource({ metadata, spec });
const robot = (metadata: object = {}, status?: Resource["status"]): Resource =>
  identityResource({
    metadata: { name: "robot", uid: "uid-of-robot", ...metadata },
    spec: { claimMatch: { issuer: "https://issuer.example", subject: "ci" } },
    ...(status === undefined ? {} : { status }),
  });

function unrecorded(object: Resource, references: References, parts: WorldParts = {}) {
  const { sources, cached } = world({ ...parts, objects: [object, ...(parts.objects ?? [])] });
  const key = `${object.metadata.namespace}/${object.metadata.name}`;
  const one = cached(object.kind, key);
  const governance = sources.tenancy.governanceOf(object);
  if (governance.by === "unserved") throw new Error("unserved");
  const state = sources.states.get(object.kind).get(key, one, 0);
  return observeUnrecorded(sources, kindNamed(object.kind), one, [marker], state, governance, references);
}

const equal = grant(uid, identityUid, viewer.uid);
const identified = { is: "identified", group: parent, isListable: true, snapshot, found: [], kept: [] };

describe("what an earlier process may have created", () => {
  it.each<[string, Resource, References, WorldParts?]>([
    ["for an object without our finalizer", binding(direct, { finalizers: [] }), denied],
    ["for an object that records its resource", binding(direct, {}, { ...ready, uid }), denied],
    ["for an object that was created here", binding(), denied, { states: { "team/ci-views": { bornHere: true } } }],
    [
      "for an object of which the POST is known",
      binding(),
      denied,
      { states: { "team/ci-views": { posted: { naturalKey: "" } } } },
    ],
    ["for an object whose references are resolved", binding(direct, deleted), resolved],
    ["for an object that only waits", binding(), waits],
  ])("is not looked for %s", (_, object, references, parts) => {
    expect(unrecorded(object, references, parts)).toBeNull();
  });

  it.each<[string, Resource, References]>([
    ["denied", binding(), denied],
    ["governed by no Tenant", binding(direct, { namespace: "ungoverned" }), resolved],
    ["being deleted", binding(direct, deleted), waits],
    ["to expire", binding({ ...direct, expiresAt: "2026-02-01T00:00:00Z" }), waits],
    ["only observing what its status names", binding(direct, {}, { ...ready, uid, management: "Observed" }), denied],
  ])("is looked for if the object is %s", (_, object, references) => {
    expect(unrecorded(object, references, { listed: { RoleBinding: [] } })).toMatchObject(identified);
  });

  it("is impossible if the object names what it wants, or is invalid", () => {
    expect(unrecorded(binding({ ...direct, uid }), denied)).toEqual({ is: "impossible" });
    const invalid = { ...binding(), spec: { policy: binding().spec.policy } } as Resource;
    expect(unrecorded(invalid, denied)).toEqual({ is: "impossible" });
  });

  it("is found by what the references mean", () => {
    expect(unrecorded(binding(), denied, { listed: { RoleBinding: [equal] } })).toEqual({
      ...identified,
      uids: { parent, identity: identityUid, role: viewer.uid },
      found: [uid],
    });
  });

  it("is found by its marker, in the group and elsewhere", () => {
    const listed = { Group: [externalGroup(), externalGroup({ uid: `${root}/9999999999999999` })] };
    expect(unrecorded(group(), denied, { listed })).toMatchObject({ found: [uid, `${root}/9999999999999999`] });
  });

  it("is not what another object manages", () => {
    const other = binding(direct, { name: "other", uid: "uid-of-other" }, { ...ready, uid });
    const listed = { RoleBinding: [equal] };
    expect(unrecorded(binding(), denied, { listed, objects: [other] })).toMatchObject(identified);
  });

  it("is not what belongs to a credential", () => {
    const parts = { listed: { RoleBinding: [equal] }, credentials: [identityUid] };
    expect(unrecorded(binding(), denied, parts)).toMatchObject({ found: [], kept: [] });
  });

  it("is kept if it belongs to an identity for emergencies, or of another owner", () => {
    const parts = { listed: { RoleBinding: [equal] }, breakGlass: [identityUid] };
    expect(unrecorded(binding(), denied, parts)).toMatchObject({ found: [], kept: [uid] });
    const foreign = { uid: identityUid, name: "x", description: withMarker("", foreignMarker) };
    const listed = { RoleBinding: [equal], Identity: [foreign] };
    expect(unrecorded(binding(), denied, { listed })).toMatchObject({ found: [], kept: [uid] });
  });

  it("was not looked for before a list", () => {
    const notListed = { isListable: true, snapshot: null, found: [] };
    expect(unrecorded(binding(), denied)).toMatchObject(notListed);
    expect(unrecorded(binding(), denied, { listed: { Group: [] } })).toMatchObject(notListed);
  });

  it("was not looked for while a role is not known", () => {
    const noRoles = { session: { roles: undefined }, listed: { RoleBinding: [equal] } };
    // The other session knows the roles.
    expect(unrecorded(binding(), denied, noRoles)).toMatchObject({ found: [uid] });
    expect(unrecorded(binding({ identityUid, roleRef: { name: "none" } }), denied)).toEqual({ is: "impossible" });
  });

  it("cannot be looked for outside of the groups of all sessions", () => {
    const outside = { ...direct, groupUid: "e".repeat(40) };
    const cannot = { isListable: false, snapshot: null };
    expect(unrecorded(binding(outside), denied)).toMatchObject(cannot);
    expect(unrecorded(binding({ ...direct, groupUid: elsewhere }), denied)).toMatchObject({ isListable: true });
  });

  it("is looked for through another session where the Tenant's own does not list the group", () => {
    const there = grant(`${elsewhere}/2222222222222222`, identityUid, viewer.uid);
    const listedElsewhere = { RoleBinding: [there] };
    const object = binding({ ...direct, groupUid: elsewhere });
    expect(unrecorded(object, denied, { listedElsewhere })).toMatchObject({ found: [there.uid] });
  });
});

describe("a reference to an object", () => {
  const means = (objects: readonly Resource[], parts: WorldParts = {}, object = binding(byName)) =>
    unrecorded(object, denied, { listed: { RoleBinding: [equal] }, ...parts, objects });
  const conditions = ready.conditions ?? [];
  const seen = { observedGeneration: 1, conditions };

  it("means the uid in its status", () => {
    expect(means([robot({}, recorded(identityUid))])).toMatchObject({ found: [uid] });
    const other = binding({ ...byName, identityRef: { name: "robot", namespace: "sibling" } });
    const there = robot({ namespace: "sibling" }, recorded(identityUid));
    expect(means([there], {}, other)).toMatchObject({ found: [uid] });
  });

  it("is unknown while the kind was not read", () => {
    expect(means([], { unread: ["Identity"] })).toEqual({ is: "unknown" });
  });

  it("means nothing if the object does not exist", () => {
    expect(means([])).toEqual({ is: "impossible" });
  });

  it("means nothing if the object was created here, or has not been created", () => {
    expect(means([robot()], { states: { "team/robot": { bornHere: true } } })).toEqual({ is: "impossible" });
    expect(means([robot({ finalizers: [] }, seen)])).toEqual({ is: "impossible" });
  });

  it("is unknown if the status of the object may be lost", () => {
    const listed = { RoleBinding: [equal], Identity: [] };
    // It reports something soon.
    expect(means([robot({ finalizers: [] })])).toEqual({ is: "unknown" });
    expect(means([robot()], { listed })).toEqual({ is: "unknown" });
    // What the list shows is all there is.
    expect(means([robot({}, seen)], { listed })).toEqual({ is: "impossible" });
    const unlisted = { kind: "Identity", group: root };
    expect(means([robot({}, seen)])).toEqual({ is: "unknown", unlisted });
    expect(means([robot({}, seen)], { listed, settledAt: listedAt })).toEqual({ is: "impossible" });
    expect(means([robot({}, seen)], { listed, settledAt: listedAt + 1 })).toEqual({ is: "unknown", unlisted });
    expect(means([robot({ ...deleted }, seen)])).toEqual({ is: "unknown", unlisted });
  });

  it("is left to the session of the other Tenant", () => {
    const of = (metadata: object, status?: Resource["status"]) =>
      means(
        [robot({ namespace: "others", ...metadata }, status)],
        {},
        binding({ ...byName, identityRef: { name: "robot", namespace: "others" } }),
      );
    expect(of({}, seen)).toEqual({ is: "impossible" });
    expect(of({})).toEqual({ is: "unknown" });
    expect(of(deleted)).toEqual({ is: "unknown" });
    expect(of({ ...deleted, finalizers: [] })).toEqual({ is: "impossible" });
  });

  it("means nothing for what has a marker, which is looked for wherever it may be", () => {
    const child = groupResource({ spec: {} });
    const { parentUid: _, ...spec } = child.spec;
    const below = { ...child, spec: { ...spec, parentRef: { name: "shop" } } } as Resource;
    const shop = { ...group({ name: "shop", uid: "uid-of-shop" }), status: seen } as Resource;
    expect(unrecorded(below, denied, { objects: [shop] })).toEqual({ is: "impossible" });
  });
});

describe("the session that lists a group", () => {
  const sessionOf = (groups: readonly string[], allows?: boolean) =>
    ({
      groups,
      ...(allows === undefined ? {} : { permissions: { allow: () => allows } }),
    }) as unknown as PlatformSession;
  const governanceBy = (session: PlatformSession) =>
    ({ by: "tenant", serves: "everything", context: { session } }) as never;
  const kind = kindNamed("Group");
  const [own, all, may] = [sessionOf([root]), sessionOf([root], false), sessionOf([root], true)];
  const other = sessionOf([otherRoot]);

  it("is that of the object's Tenant if it does", () => {
    expect(sessionThatLists({ sessions: [may, own] }, kind, parent, governanceBy(own))).toBe(own);
    expect(sessionThatLists({ sessions: [may, other] }, kind, parent, governanceBy(other))).toBe(may);
  });

  it("is one that may", () => {
    expect(sessionThatLists({ sessions: [other, all, may] }, kind, parent, { by: "none" })).toBe(may);
    expect(sessionThatLists({ sessions: [all, own] }, kind, parent, { by: "none" })).toBe(own);
    expect(sessionThatLists({ sessions: [other, all] }, kind, parent, { by: "none" })).toBe(all);
    expect(sessionThatLists({ sessions: [other] }, kind, parent, { by: "none" })).toBeUndefined();
  });
});

it("nothing is identified before any session knows the roles: to list is to read them, too", () => {
  const { sources, contexts, cached } = world({
    objects: [binding()],
    listed: { RoleBinding: [equal] },
    session: { roles: undefined },
  });
  const tenancy = { ...sources.tenancy, sessions: [contexts.team.session] };
  const of = identify({ ...sources, tenancy }, kindNamed("RoleBinding"), cached("RoleBinding", "team/ci-views"), [], {
    by: "none",
  });
  expect(of).toMatchObject({ isListable: true, snapshot: null, found: [] });
});

it("what is identified is the latest list that shows the group", () => {
  const { sources, cached } = world({ objects: [binding()] });
  const views = [300, 700, 400].map((at) => {
    const session = world({ listed: { RoleBinding: [] } }).contexts.team.session;
    session.viewOf(kindNamed("RoleBinding").collection).recordSnapshot({ childrenOf: parent }, [], at, true);
    return session;
  });
  const tenancy = { ...sources.tenancy, sessions: views };
  const of = identify({ ...sources, tenancy }, kindNamed("RoleBinding"), cached("RoleBinding", "team/ci-views"), [], {
    by: "none",
  });
  expect(of).toMatchObject({ snapshot: { startedAt: 700 } });
});
