import { expect, it } from "vitest";
import type { Identity } from "#src/api/identity.ts";
import type { Resource } from "#src/api/custom-resource.ts";
import type { Status } from "#src/api/status.ts";
import { kinds } from "#src/kinds/kinds.ts";
import { markerOf, objectHash, ownerHash, withMarker } from "#src/kinds/marker.ts";
import type { KubeObject } from "#src/kube/object.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";
import type { PlatformSession } from "#src/platform-client/session.ts";
import {
  bindingResource,
  groupResource,
  identityResource,
  type Parts,
  parent,
  ready,
} from "#src/reconcile/policy/observed-fixture.testing.ts";
import { Names } from "./names.ts";
import { newResourceStores } from "#src/reconcile/observe/resource-stores.ts";

const [viewer, editor] = ["c".repeat(40), "d".repeat(40)];
const [person, robot] = [`${parent}/00000000000000a1`, `${parent}/00000000000000a2`];
const session = {
  roles: { byName: new Map([["viewer", { uid: viewer }]]), byUid: new Map() },
} as unknown as PlatformSession;

/** An Identity that matches its schema. */
function identity(parts: Parts<Identity> = {}): Resource {
  const claimMatch = { issuer: "https://issuer.example", subject: "ci" };
  return identityResource({ ...parts, spec: { claimMatch, ...parts.spec } });
}

function start(...objects: readonly Resource[]) {
  const stores = newResourceStores(kinds);
  let version = 1;
  const versioned = (object: Resource) => {
    version += 1;
    return { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } } as unknown as KubeObject;
  };
  for (const [kind, store] of stores.entries()) {
    store.addScope(undefined);
    const ofKind = objects.filter((one) => one.kind === kind).map(versioned);
    store.replace({ namespace: undefined, objects: ofKind, resourceVersion: "100", versionAtStart: "0" });
  }
  version = 100;
  const names = new Names({ kinds, stores });
  const has = (kind: string, external: object, through = session) => {
    const found = kinds.find(({ name }) => name === kind);
    if (found === undefined) throw new Error(`unknown kind ${kind}`);
    return names.has(through, found, external as ExternalResource);
  };
  const apply = (type: "ADDED" | "MODIFIED" | "DELETED", object: Resource) =>
    stores.get(object.kind).apply({ type, object: versioned(object) });
  return { stores, names, has, apply };
}

const grant = (identityUid: string, role: string, group = parent) => ({
  uid: `${group}/aaaaaaaaaaaaaaaa`,
  identity: { uid: identityUid, name: "" },
  role: { uid: role, name: "" },
});
const stranger = (fields: object = {}) => ({ uid: person, name: "person", description: "", ...fields });
/** What a RoleBinding object declares. */
const granted = { identityUid: person, roleRef: { name: "viewer" } };
const boundUid = `${parent}/00000000000000a3`;
const recorded = (uid: string): Status => ({ ...ready, uid, parentUid: parent });

it.each<[string, boolean, string, object, Resource]>([
  ["an identity by its uid", true, "Identity", stranger(), identity({ status: recorded(person) })],
  ["an identity by the uid in its spec", true, "Identity", stranger(), identity({ spec: { uid: person } })],
  ["an identity by its name, before it has a uid", true, "Identity", stranger({ name: "ci" }), identity()],
  [
    "not an identity by its name, once it has a uid",
    false,
    "Identity",
    stranger({ name: "ci" }),
    identity({ status: recorded(robot) }),
  ],
  [
    "an identity by its marker",
    true,
    "Identity",
    stranger({ description: withMarker("", markerOf(ownerHash("any"), objectHash("Identity", "team", "ci"))) }),
    identity({ status: recorded(robot) }),
  ],
  [
    "an identity by the uid in a grant",
    true,
    "Identity",
    stranger(),
    bindingResource({ spec: { identityUid: person, roleRef: { name: "viewer" } } }),
  ],
  [
    "a grant by its uids",
    true,
    "RoleBinding",
    grant(person, viewer),
    bindingResource({ spec: { identityUid: person, roleRef: { name: "viewer" } } }),
  ],
  [
    "not a grant of another role",
    false,
    "RoleBinding",
    grant(person, editor),
    bindingResource({ spec: { identityUid: person, roleRef: { name: "viewer" } } }),
  ],
  [
    "not a grant to another identity",
    false,
    "RoleBinding",
    grant(robot, viewer),
    bindingResource({ spec: { identityUid: person, roleRef: { name: "viewer" } } }),
  ],
  [
    "a grant by what the status records",
    true,
    "RoleBinding",
    grant(robot, editor),
    bindingResource({ spec: granted, status: { ...recorded(boundUid), identityUid: robot, roleUid: editor } }),
  ],
  [
    "not a grant that the status records in another group",
    false,
    "RoleBinding",
    grant(robot, editor, `${parent}/00000000000000b1`),
    bindingResource({ spec: granted, status: { ...recorded(boundUid), identityUid: robot, roleUid: editor } }),
  ],
  [
    "an identity by the uid that the status of a grant records",
    true,
    "Identity",
    stranger(),
    bindingResource({
      spec: { identityRef: { name: "ci" }, roleRef: { name: "viewer" } },
      status: { ...recorded(boundUid), identityUid: person },
    }),
  ],
  [
    "a grant of a role by its uid",
    true,
    "RoleBinding",
    grant(person, editor),
    bindingResource({ spec: { identityUid: person, roleUid: editor } }),
  ],
  [
    "not a grant in another group",
    false,
    "RoleBinding",
    grant(person, viewer, `${parent}/00000000000000b1`),
    bindingResource({ spec: { identityUid: person, roleRef: { name: "viewer" } } }),
  ],
  [
    "an identity by the name of its object, before it has a uid",
    true,
    "Identity",
    stranger({ name: "robot" }),
    identity({ metadata: { name: "robot" } }),
  ],
  [
    "not an identity by the name of its object, if its spec has another one",
    false,
    "Identity",
    stranger({ name: "ci" }),
    identity({ spec: { name: "robot" } }),
  ],
  ["not a group by the name of an identity", false, "Group", stranger({ name: "ci" }), identity()],
  [
    "not an identity by a marker of another kind",
    false,
    "Identity",
    stranger({ description: withMarker("", markerOf(ownerHash("any"), objectHash("Group", "team", "ci"))) }),
    identity({ status: recorded(robot) }),
  ],
  [
    "anything in doubt",
    true,
    "RoleBinding",
    grant(robot, editor),
    { ...groupResource(), spec: {} } as unknown as Resource,
  ],
])("names %s: %s", (_, expected, kind, external, object) => {
  expect(start(object).has(kind, external)).toBe(expected);
});

it("names a grant to what an object without a uid may be", () => {
  const binding = bindingResource({ spec: { identityRef: { name: "ci" }, roleRef: { name: "viewer" } } });
  expect(start(binding, identity()).has("RoleBinding", grant(person, viewer))).toBe(true);
  const [other, same] = [identity({ status: recorded(robot) }), identity({ status: recorded(person) })];
  expect(start(binding, other).has("RoleBinding", grant(person, viewer))).toBe(false);
  expect(start(binding, same).has("RoleBinding", grant(person, viewer))).toBe(true);
});

it("names a grant of any role by a name that was not read", () => {
  const binding = bindingResource({ spec: { identityUid: person, roleRef: { name: "viewer" } } });
  const unread = { roles: undefined } as PlatformSession;
  const { has } = start(binding);
  expect(has("RoleBinding", grant(person, editor), unread)).toBe(true);
  expect(has("RoleBinding", grant(robot, viewer), unread)).toBe(false);
});

it("names a grant to what another namespace declares", () => {
  const identityRef = { name: "ci", namespace: "sibling" };
  const binding = bindingResource({ spec: { identityRef, roleRef: { name: "viewer" } } });
  const there = identity({ metadata: { namespace: "sibling" }, status: recorded(person) });
  const here = identity({ status: recorded(person) });
  expect(start(binding, there).has("RoleBinding", grant(person, viewer))).toBe(true);
  expect(start(binding, here).has("RoleBinding", grant(person, viewer))).toBe(false);
  expect(start(binding).has("RoleBinding", grant(person, viewer))).toBe(false);
});

it("has another look at all objects after its memory was freed, and follows no change meanwhile", () => {
  const { names, has, apply } = start(groupResource());
  const binding = bindingResource({ spec: { identityUid: person, roleRef: { name: "viewer" } } });
  expect(has("RoleBinding", grant(person, viewer))).toBe(false);
  names.release();
  apply("ADDED", binding);
  expect(has("RoleBinding", grant(person, viewer))).toBe(true);
});

it("follows the changes of objects without another pass over all of them", () => {
  const { stores, has, apply } = start(groupResource());
  let passes = 0;
  for (const store of stores.values()) {
    const values = store.values.bind(store);
    store.values = () => {
      passes += 1;
      return values();
    };
  }
  const binding = bindingResource({ spec: { identityUid: person, roleRef: { name: "viewer" } } });
  for (let times = 0; times < 10; times += 1) {
    expect(has("RoleBinding", grant(person, viewer))).toBe(false);
    apply("ADDED", binding);
    expect(has("RoleBinding", grant(person, viewer))).toBe(true);
    apply("DELETED", binding);
  }
  expect(passes).toBe(kinds.length);
});
