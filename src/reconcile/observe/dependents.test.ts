import { describe, expect, it } from "vitest";
import type { Resource } from "#src/api/custom-resource.ts";
import {
  bindingResource,
  externalGroup,
  groupResource,
  parent,
  ready,
  root,
  uid,
} from "#src/reconcile/policy/observed-fixture.testing.ts";
import { dependentsOf, unreadDependentsOf } from "./dependents.ts";
import { grant, kindNamed, listedAt, world, type WorldParts } from "./observed-world.testing.ts";
import { identityUid, recorded, viewer } from "./references-world.testing.ts";

const conditions = ready.conditions ?? [];
const seen = { observedGeneration: 1, conditions };
const deleted = { deletionTimestamp: "2026-01-02T00:00:00Z" };

const shop = (spec: object = {}): Resource =>
  groupResource({
    metadata: { name: "shop", uid: "uid-of-shop" },
    spec: { parentUid: root, ...spec },
    status: recorded(parent),
  });

interface Given {
  readonly metadata?: object;
  readonly status?: object;
  readonly spec?: object;
  readonly byUid?: boolean;
}

/** A Group below the Group `shop`. */
function child({ metadata = {}, status, byUid = false }: Given = {}): Resource {
  const base = groupResource({ metadata });
  const { parentUid: _, ...spec } = base.spec;
  const reference = byUid ? { parentUid: parent } : { parentRef: { name: "shop", namespace: "team" } };
  return { ...base, spec: { ...spec, ...reference }, ...(status === undefined ? {} : { status }) } as Resource;
}

/** A RoleBinding in the Group `shop`, which only what its references mean identifies. */
function binding({ metadata = {}, status = seen, spec = {} }: Given = {}): Resource {
  return {
    ...bindingResource({ metadata, spec: { identityUid, roleRef: { name: "viewer" }, ...spec } }),
    status,
  } as Resource;
}

const of = (object: Resource, parts: WorldParts = {}, target = shop()) =>
  dependentsOf(world({ ...parts, objects: [target, object, ...(parts.objects ?? [])] }).sources, target);

const dependent = { kind: "Group", key: "team/payments", deleting: false };
const recordedHere = { ...dependent, has: "recorded" };
const unsettled = { ...dependent, has: "unsettled" };

describe("an object that refers to another one", () => {
  it.each<[string, Resource, object[], WorldParts?]>([
    ["counts if it refers by name and has a resource", child({ status: recorded(uid) }), [recordedHere]],
    ["counts if it refers by uid and has a resource", child({ status: recorded(uid), byUid: true }), [recordedHere]],
    [
      "counts while it is being deleted, too",
      child({ status: recorded(uid), metadata: deleted }),
      [{ ...recordedHere, deleting: true }],
    ],
    ["does not count if it only observes", child({ status: { ...recorded(uid), management: "Observed" } }), []],
    ["counts if it may have created something", child(), [unsettled]],
    ["does not count if it has reported something without a resource", child({ status: seen }), []],
    [
      "counts if it is being deleted before it recorded anything",
      child({ status: seen, metadata: deleted }),
      [{ ...unsettled, deleting: true }],
    ],
    [
      "does not count if it was created here without a POST",
      child(),
      [],
      { states: { "team/payments": { bornHere: true } } },
    ],
    [
      "counts if a POST was sent for it",
      child({ status: seen }),
      [unsettled],
      { states: { "team/payments": { bornHere: true, posted: { naturalKey: "" } } } },
    ],
    ["does not count without a finalizer", child({ metadata: { finalizers: [] } }), []],
    [
      "counts if it is of the same Tenant",
      child({ metadata: { namespace: "sibling" } }),
      [{ ...unsettled, key: "sibling/payments" }],
    ],
    ["does not count if it is of another Tenant", child({ metadata: { namespace: "others" } }), []],
    ["does not count if no Tenant governs it", child({ metadata: { namespace: "ungoverned" } }), []],
    [
      "counts if it is of another Tenant and has a resource",
      child({ metadata: { namespace: "others" }, status: recorded(uid) }),
      [{ ...recordedHere, key: "others/payments" }],
    ],
  ])("%s", (_, object, expected, parts) => {
    expect(of(object, parts)).toEqual(expected);
  });

  it("counts if it is of another Tenant and its namespace was granted", () => {
    const object = child({ metadata: { namespace: "others" } });
    expect(of(object, {}, shop({ allowedNamespaces: ["others"] }))).toMatchObject([{ key: "others/payments" }]);
    expect(of(object, {}, shop({ allowedNamespaces: ["sibling"] }))).toEqual([]);
  });

  it("does not count if it refers to another object", () => {
    expect(of(child(), {}, { ...shop(), metadata: { ...shop().metadata, name: "other" } })).toEqual([]);
  });
});

describe("a role binding whose status records nothing", () => {
  const equal = grant(uid, identityUid, viewer.uid);
  const unrecorded = { kind: "RoleBinding", key: "team/ci-views", deleting: false, has: "unrecorded" };
  const unlisted = { ...unrecorded, unlisted: parent };

  it.each<[string, Resource, object[], WorldParts?]>([
    ["counts if it has what is found", binding(), [unrecorded], { listed: { RoleBinding: [equal] } }],
    [
      "counts if it may have what is kept",
      binding(),
      [unrecorded],
      { listed: { RoleBinding: [equal] }, breakGlass: [identityUid] },
    ],
    ["does not count if nothing is found", binding(), [], { listed: { RoleBinding: [] } }],
    ["counts until the group was listed", binding(), [unlisted]],
    [
      "counts until the group was listed after the settle time",
      binding(),
      [unlisted],
      { listed: { RoleBinding: [] }, settledAt: listedAt + 1 },
    ],
    [
      "does not count if the group was listed at the settle time",
      binding(),
      [],
      { listed: { RoleBinding: [] }, settledAt: listedAt },
    ],
    ["does not count if it was created here", binding(), [], { states: { "team/ci-views": { bornHere: true } } }],
    ["does not count without our finalizer", binding({ metadata: { finalizers: [] } }), []],
    ["does not count if another operator serves it", binding({ metadata: { namespace: "unserved" } }), []],
    ["does not count if its references mean nothing", binding({ spec: { roleRef: { name: "none" } } }), []],
    ["does not count if it is of another Tenant", binding({ metadata: { namespace: "others" } }), []],
  ])("%s", (_, object, expected, parts) => {
    expect(of(object, parts)).toEqual(expected);
  });

  it("and that no Tenant governs is judged from when this process leads alone", () => {
    const object = binding({ metadata: { namespace: "ungoverned" } });
    const granting = shop({ allowedNamespaces: ["ungoverned"] });
    const parts = { listed: { RoleBinding: [] }, objects: [granting, object], settledAt: listedAt + 1 };
    const { sources } = world(parts);
    expect(dependentsOf(sources, granting)).toEqual([]);
    expect(dependentsOf({ ...sources, soleLeaderSince: listedAt + 1 }, granting)).toMatchObject([{ unlisted: parent }]);
  });
});

it("an object with a marker needs no list: it is found by that", () => {
  expect(of(child({ status: seen }), { listed: { Group: [externalGroup()] } })).toEqual([]);
});

it("the kinds that may refer to a kind, and were not read, are known", () => {
  const { sources } = world({ unread: ["Identity", "Role", "RoleBinding"] });
  expect(unreadDependentsOf(sources, kindNamed("Role"))).toEqual(["RoleBinding"]);
  expect(unreadDependentsOf(sources, kindNamed("Group"))).toEqual(
    expect.arrayContaining(["Identity", "Role", "RoleBinding"]),
  );
  expect(unreadDependentsOf(world().sources, kindNamed("Group"))).toEqual([]);
});
