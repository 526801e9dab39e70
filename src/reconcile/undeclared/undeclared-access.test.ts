import { describe, expect, it } from "vitest";
import type { Resource } from "#src/api/custom-resource.ts";
import type { Status } from "#src/api/status.ts";
import { markerOf, objectHash, ownerHash } from "#src/kinds/marker.ts";
import { grant, kindNamed } from "#src/reconcile/observe/observed-world.testing.ts";
import { elsewhere, identityUid, owner, recorded, viewer } from "#src/reconcile/observe/references-world.testing.ts";
import {
  anotherUid,
  bindingResource,
  foreignMarker,
  identityResource,
  parent,
  root,
  uid,
} from "#src/reconcile/policy/observed-fixture.testing.ts";
import { accessDeclared } from "#src/reconcile/policy/undeclared.ts";
import {
  issuer,
  shop,
  robot,
  marked,
  binding,
  bindings,
  start,
  assessed,
  foundBinding,
  type Given,
} from "./undeclared-world.testing.ts";

/** How many findings a Group reports, by kind. `toMatchObject` would accept any counts where none are expected. */
const countsOf = (undeclared: Awaited<ReturnType<typeof assessed>>) =>
  undeclared?.is === "assessed" ? undeclared.counts : undeclared;
const counts = async (given: Given) => countsOf(await assessed(given));

describe("what nobody declared", () => {
  it("is reported, the grants first", async () => {
    const found = { RoleBinding: [binding], Identity: [robot] };
    const { access, assess, observe } = start({ found });
    expect(access.shareOf("team")).toBeUndefined();
    expect(observe()).toBeNull();
    expect(await assess()).toEqual(["team/shop"]);
    expect(observe()).toMatchObject({
      is: "assessed",
      counts: { RoleBinding: 1, Identity: 1 },
      first: [
        { kind: "RoleBinding", uid, identityUid },
        { kind: "Identity", uid: identityUid, name: "robot" },
      ],
      spared: null,
      confirmId: null,
      removal: null,
    });
    expect(access.shareOf("team")).toEqual({ uids: [uid, identityUid], unreadableGroups: [], held: null });
    // The session of that Tenant was not listed.
    expect(access.shareOf("others")).toBeUndefined();
    expect([...access.counts()].filter(([, count]) => count > 0)).toEqual([
      ["Identity", 1],
      ["RoleBinding", 1],
    ]);
    expect(access.groupsThatReport(kindNamed("RoleBinding"), uid)).toEqual(["team/shop"]);
    expect(access.groupsThatReport(kindNamed("RoleBinding"), anotherUid)).toEqual([]);
    expect(access.groupsThatReport(kindNamed("Group"), "e".repeat(40))).toEqual([]);
  });

  it("shows the name of a role only within the Tenant's groups, or of a built-in one", async () => {
    const named = (of: string, role: string, name: string) => ({
      ...grant(of, identityUid, role),
      role: { uid: role, name },
    });
    const roles = [`${parent}/5555555555555555`, `${elsewhere}/5555555555555555`, owner.uid];
    const found = {
      RoleBinding: roles.map((role, index) => named(bindings(3)[index]?.uid ?? "", role, `role-${index}`)),
    };
    const undeclared = await assessed({ found });
    expect(undeclared).toMatchObject({ first: [{ role: "role-0" }, { role: roles[1] }, { role: "role-2" }] });
  });

  it("is not more than what is in the groups that the objects use", async () => {
    const outside = grant(`${root}/9999999999999999/2222222222222222`, identityUid, viewer.uid);
    expect(await counts({ found: { RoleBinding: [outside] } })).toEqual({});
    const above = grant(`${root}/2222222222222222`, identityUid, viewer.uid);
    const { access, assess, observe } = start({ found: { RoleBinding: [above, binding] } });
    await assess();
    expect(countsOf(observe())).toEqual({ RoleBinding: 1 });
    expect(access.shareOf("team")?.uids).toEqual([uid, above.uid].toSorted());
  });

  it("is what has been known for the longest time first, and not more than ten", async () => {
    const { assess, observe, session, clock } = start({ found: { RoleBinding: bindings(11) } });
    await assess();
    await clock.advance(60_000);
    const first = grant(`${parent}/0000000000000000`, identityUid, viewer.uid);
    session.viewOf(kindNamed("RoleBinding").collection).record(first, 600);
    await assess();
    const undeclared = observe();
    expect(undeclared).toMatchObject({ counts: { RoleBinding: 12 } });
    const listed = undeclared?.is === "assessed" ? undeclared.first.map((one) => one.uid) : [];
    const uids = bindings(11).map((one) => one.uid);
    expect(listed).toEqual(uids.toSorted().slice(0, 10));
  });

  it("was first seen when the status of an earlier process says", async () => {
    const undeclared = [{ ...foundBinding, firstSeenTime: "1969-01-01T00:00:00Z" }];
    expect(await assessed({ objects: [shop("Report", { status: { undeclared } })] })).toMatchObject({
      first: [{ firstSeenTime: "1969-01-01T00:00:00Z" }],
    });
  });

  it("is not what is stale", async () => {
    const { assess, observe, session } = start();
    session.viewOf(kindNamed("RoleBinding").collection).recordStale(uid);
    await assess();
    expect(countsOf(observe())).toEqual({});
  });

  it("is nothing in a group that was created after the last resync", async () => {
    const { assess, observe } = start({ session: { createdAt: (of: string) => (of === anotherUid ? 1 : undefined) } });
    await assess();
    expect(observe("shop", anotherUid)).toMatchObject({ is: "assessed", counts: {}, first: [] });
    expect(observe("shop", uid)).toBeNull();
  });

  it.each<[string, object, Resource, string | undefined]>([
    ["nothing of a group that is not known", { is: "unreported" }, shop(), undefined],
    ["nothing of a group outside of the Tenant's", { is: "unreported" }, shop(), elsewhere],
    ["nothing where nobody asks", { is: "unreported" }, shop("Ignore"), parent],
    [
      "nothing without a Tenant",
      { is: "unreported" },
      shop("Report", { metadata: { namespace: "ungoverned" } }),
      parent,
    ],
  ])("reports %s", async (_, expected, object, of) => {
    const { access, assess, sources } = start({ objects: [object, shop()] });
    await assess();
    const one = sources.stores.get("Group").get(`${object.metadata.namespace}/shop`);
    if (one === undefined) throw new Error("no object");
    expect(access.observe(one, sources.tenancy.governanceOf(object), of)).toEqual(expected);
  });

  it("is not reported by other kinds, nor for another operator", async () => {
    const identity = identityResource({ spec: { claimMatch: { issuer, subject: "ci" } } });
    const unserved = shop("Report", { metadata: { namespace: "unserved" } });
    const { access, sources, cached } = start({ objects: [identity, unserved] });
    const of = (one: ReturnType<typeof cached>) =>
      access.observe(one, sources.tenancy.governanceOf(one.resource), parent);
    expect(of(cached("Identity", "team/ci"))).toBeNull();
    expect(of(cached("Group", "unserved/shop"))).toBeNull();
  });
});

describe("a Group whose status says what was found", () => {
  const undeclared = [foundBinding];
  const message = accessDeclared({
    is: "assessed",
    counts: { RoleBinding: 1 },
    first: undeclared,
    spared: null,
    confirmId: null,
    removal: null,
  })?.message;
  const condition = {
    type: "AccessDeclared",
    status: "False",
    reason: "UndeclaredAccess",
    message,
    observedGeneration: 1,
  };
  it.each<[string, readonly string[], object]>([
    ["is left alone", [], { conditions: [condition], undeclared }],
    ["is reconciled without the condition", ["team/shop"], { undeclared }],
    [
      "is reconciled with the condition of another generation",
      ["team/shop"],
      { conditions: [{ ...condition, observedGeneration: 2 }], undeclared },
    ],
    [
      "is reconciled with another message",
      ["team/shop"],
      { conditions: [{ ...condition, message: "other" }], undeclared },
    ],
    ["is reconciled with another list", ["team/shop"], { conditions: [condition], undeclared: [] }],
  ])("%s", async (_, keys, status) => {
    expect(await start({ objects: [shop("Report", { status })] }).assess()).toEqual(keys);
  });
});

describe("an object declares", () => {
  const identity = (status?: Status, namespace = "team") =>
    identityResource({
      metadata: { namespace },
      spec: { claimMatch: { issuer, subject: "ci" } },
      ...(status === undefined ? {} : { status }),
    });
  const ours = markerOf(ownerHash("owner"), objectHash("Identity", "team", "ci"));
  const of = (spec: object, metadata: object = {}, status?: Status) =>
    bindingResource({
      metadata,
      spec: { identityUid, roleRef: { name: "viewer" }, ...spec },
      ...(status === undefined ? {} : { status }),
    });
  const grantStatus = { ...recorded(anotherUid), identityUid, roleUid: viewer.uid };
  const nothing = {};
  const one = { RoleBinding: 1 };
  const found = { Identity: [marked(ours)] };

  it.each<[string, object, Given]>([
    ["what its status records", nothing, { objects: [identity(recorded(identityUid))], found: { Identity: [robot] } }],
    ["what has its marker, before it records one", nothing, { objects: [identity()], found }],
    [
      "nothing by its marker once it records another one",
      { Identity: 1 },
      { objects: [identity(recorded(anotherUid))], found },
    ],
    [
      "nothing by a marker of another owner",
      { Identity: 1 },
      { objects: [identity()], found: { Identity: [marked(foreignMarker)] } },
    ],
    ["an equal role binding", nothing, { objects: [of({})] }],
    ["no other role binding", one, { objects: [of({ roleRef: { name: "none" } })] }],
    ["nothing that it may not have", one, { objects: [of({})], boundary: { roles: [] } }],
    ["no equal role binding that its spec does not name", one, { objects: [of({ uid: anotherUid })] }],
    ["the role binding that its spec names", nothing, { objects: [of({ uid })] }],
    ["nothing after it has expired", one, { objects: [of({ expiresAt: "1969-01-01T00:00:00Z" })] }],
    ["an equal role binding before it expires", nothing, { objects: [of({ expiresAt: "2100-01-01T00:00:00Z" })] }],
    [
      "what equals its record, whatever its spec says",
      nothing,
      { objects: [of({ roleRef: { name: "none" } }, {}, grantStatus)] },
    ],
    [
      "nothing that its status does not record completely",
      one,
      { objects: [of({ roleRef: { name: "none" } }, {}, recorded(anotherUid))] },
    ],
    ["nothing without a Tenant", one, { objects: [of({}, { namespace: "ungoverned" })] }],
  ])("%s", async (_, expected, { objects = [], ...given }) => {
    expect(await counts({ ...given, objects: [shop(), ...objects] })).toEqual(expected);
  });

  it("nothing more once its Tenant or the object changes", async () => {
    const { assess, observe, stores } = start({ objects: [shop(), of({})] });
    await assess();
    expect(countsOf(observe())).toEqual({});
    const object = { ...of({}), metadata: { ...of({}).metadata, resourceVersion: "9" } };
    stores.get("RoleBinding").apply({ type: "DELETED", object });
    await assess();
    expect(countsOf(observe())).toEqual({ RoleBinding: 1 });
  });

  it("what another operator is about to record, for one resync", async () => {
    const objects = [shop(), identity(undefined, "unserved")];
    const elsewhereMarker = markerOf(ownerHash("another"), objectHash("Identity", "unserved", "ci"));
    const { assess, observe } = start({ objects, found: { Identity: [marked(elsewhereMarker)] } });
    await assess();
    expect(countsOf(observe())).toEqual({});
    await assess();
    expect(countsOf(observe())).toEqual({ Identity: 1 });
    const grants = start({ objects: [shop(), of({}, { namespace: "unserved" })] });
    await grants.assess();
    expect(countsOf(grants.observe())).toEqual({});
    const known = start({ objects: [shop(), of({}, { namespace: "unserved" }, recorded(anotherUid))] });
    await known.assess();
    expect(countsOf(known.observe())).toEqual({ RoleBinding: 1 });
  });

  it("the groups that it uses", async () => {
    const child = { uid, name: "child", description: "" };
    const using = of({ groupUid: uid });
    const at = (object?: Resource, more: Given = {}) =>
      counts({ found: { Group: [child] }, ...more, objects: [shop(), ...(object === undefined ? [] : [object])] });
    expect(await at()).toEqual({ Group: 1 });
    expect(await at(using)).toEqual(nothing);
    expect(await at(of({}, {}, { ...recorded(`${uid}/3333333333333333`), parentUid: uid }))).toEqual(nothing);
    expect(await at(undefined, { session: { roots: [root, uid] } })).toEqual(nothing);
  });
});

describe("what the objects rest upon is declared", () => {
  const of = (given: Given) =>
    counts({ ...given, found: { Identity: [robot], RoleBinding: [binding], ...given.found } });

  it("a credential, and its grant at or above the roots of its session", async () => {
    const credentials = [identityUid];
    expect(await of({ credentials })).toEqual({ RoleBinding: 1 });
    expect(await of({ credentials, session: { roots: [parent] } })).toEqual({});
    expect(await of({ session: { roots: [parent] } })).toEqual({ RoleBinding: 1, Identity: 1 });
  });
});

describe("groups above the roots", () => {
  const above = grant(`${root}/2222222222222222`, identityUid, viewer.uid);
  const peek = (found: readonly object[] | undefined) => async (_: unknown, capability: string) => async () =>
    capability === "CAP_IAM_ROLE_BINDINGS_LIST" ? found : [];

  it("are listed, too", async () => {
    const { access, assess } = start({ session: { roots: [parent], peek: peek([above]) } });
    await assess();
    expect(access.shareOf("team")).toMatchObject({ uids: [uid, above.uid].toSorted(), unreadableGroups: [] });
  });

  it("that may not be listed are named", async () => {
    const { access, assess } = start({ session: { roots: [parent], peek: peek(undefined) } });
    await assess();
    expect(access.shareOf("team")).toMatchObject({ uids: [uid], unreadableGroups: [root] });
  });
});

it("the share of a Tenant that is gone is forgotten", async () => {
  const { access, assess, sources, session } = start();
  await assess();
  Object.assign(sources.tenancy, { contexts: [] });
  await access.assess(session);
  expect(access.shareOf("team")).toBeUndefined();
});
