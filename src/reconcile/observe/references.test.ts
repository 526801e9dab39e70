import { everything } from "#src/reconcile/tenancy/boundary.ts";
import { describe, expect, it } from "vitest";
import type { Resource } from "#src/api/custom-resource.ts";
import type { RoleBinding, RoleBindingSpec } from "#src/api/role-binding.ts";
import type { Status } from "#src/api/status.ts";
import type { ExternalRole } from "#src/platform-client/permission-resources.ts";
import {
  bindingResource,
  groupResource,
  identityResource,
  kindOf,
  marker,
  otherRoot,
  parent,
  root,
} from "#src/reconcile/policy/observed-fixture.testing.ts";
import { type ReferenceContext, resolveReferences } from "./references.ts";

const viewer: ExternalRole = { uid: "c".repeat(40), name: "viewer", capabilities: [] };
const owner: ExternalRole = { uid: "d".repeat(40), name: "owner", capabilities: [] };
const custom = `${parent}/5555555555555555`;
const identityUid = `${parent}/4444444444444444`;
const operatorIdentity = `${root}/0000000000000001`;

const recorded = (uid: string): Status => ({ observedGeneration: 1, uid });
const inCluster: Readonly<Record<string, Resource>> = {
  "Group team/shop": groupResource({ status: recorded(parent) }),
  "Group team/new": groupResource(),
  "Group team/terminating": groupResource({
    status: recorded(parent),
    metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" },
  }),
  "Group team/elsewhere": groupResource({ status: recorded(`${otherRoot}/1111111111111111`) }),
  "Group others/shop": groupResource({ status: recorded(parent), metadata: { namespace: "others" } }),
  "Identity team/ci": identityResource({ status: recorded(identityUid) }),
};

const context: ReferenceContext = {
  find: (kind, key) => inCluster[`${kind} ${key}`],
  isRead: () => true,
  roles: {
    byName: new Map([
      ["viewer", viewer],
      ["owner", owner],
    ]),
    byUid: new Map([
      [viewer.uid, viewer],
      [owner.uid, owner],
      // A custom role with the name of a built-in one.
      [custom, { uid: custom, name: "viewer", capabilities: [] }],
    ]),
  },
  boundary: everything({ roots: [root], roles: ["viewer"], namespaces: null }),
  credentialIdentities: new Set([operatorIdentity]),
  serviceAccountIssuer: "https://issuer.example",
  marker,
};

function resolve(resource: Resource, more: Partial<ReferenceContext> = {}) {
  return resolveReferences(kindOf({ resource }), resource, { ...context, ...more });
}

const groupBelow = (name: string, namespace?: string) => {
  const { parentUid: _, ...spec } = groupResource().spec;
  return {
    ...groupResource(),
    spec: { ...spec, parentRef: { name, ...(namespace === undefined ? {} : { namespace }) } },
  };
};
const binding = (spec: Partial<RoleBindingSpec>) =>
  bindingResource({ spec: { identityUid, roleRef: { name: "viewer" }, ...spec } });

describe("a reference to an object", () => {
  it.each<[string, Resource, object]>([
    ["with a uid resolves to it", groupBelow("shop"), { are: "resolved", uids: { parent }, naturalKey: marker }],
    ["that does not exist waits", groupBelow("none"), { are: "waiting", reason: "ReferenceNotFound" }],
    ["that has no uid yet waits", groupBelow("new"), { are: "waiting", reason: "ReferenceNotReady" }],
    ["that is being deleted waits", groupBelow("terminating"), { are: "waiting", reason: "ReferenceNotReady" }],
    [
      "that is being deleted resolves for an object that is, too",
      {
        ...groupBelow("terminating"),
        metadata: { ...groupResource().metadata, deletionTimestamp: "2026-01-01T00:00:00Z" },
      },
      { are: "resolved", uids: { parent } },
    ],
    ["in the same namespace, given explicitly, needs no grant", groupBelow("shop", "team"), { are: "resolved" }],
    [
      "in another namespace needs a grant",
      groupBelow("shop", "others"),
      { are: "waiting", reason: "ReferenceNotGranted" },
    ],
    ["outside the root groups is denied", groupBelow("elsewhere"), { are: "denied" }],
  ])("%s", (_, resource, references) => {
    expect(resolve(resource)).toMatchObject(references);
  });

  it("has a message that names the field, the object and the fix", () => {
    expect(resolve(groupBelow("none"))).toMatchObject({
      message:
        "spec.parentRef: Group none does not exist in namespace team. Create it, and this object continues. If the name is wrong, delete this object and create it with the right one: the field is immutable.",
    });
  });

  it("does not disclose whether an object exists in another namespace", () => {
    const [there, notThere] = [resolve(groupBelow("shop", "others")), resolve(groupBelow("shop", "nowhere"))];
    expect(there).toEqual(notThere);
  });
});

describe("a uid", () => {
  it.each<[string, string, string]>([
    ["of a root group may be a parent", root, "resolved"],
    ["below a root group may be a parent", parent, "resolved"],
    ["below another root may not", otherRoot, "denied"],
    ["is compared by segment, never by prefix alone", `${root}0/1111111111111111`, "denied"],
  ])("%s", (_, parentUid, are) => {
    expect(resolve(groupResource({ spec: { parentUid } }))).toMatchObject({ are });
  });
});

describe("a role binding", () => {
  const key = `${parent} ${identityUid} ${viewer.uid}`;
  it.each<[string, Partial<RoleBindingSpec>, object]>([
    ["is identified by what it binds", {}, { are: "resolved", naturalKey: key }],
    ["takes a built-in role by name", { roleRef: { name: "viewer" } }, { uids: { role: viewer.uid } }],
    ["may not bind a role that is not allowed", { roleRef: { name: "owner" } }, { are: "denied" }],
    [
      "waits for a role that does not exist",
      { roleRef: { name: "none" } },
      { are: "waiting", reason: "ReferenceNotFound" },
    ],
    [
      "may not bind to an identity outside the root groups",
      { identityUid: `${otherRoot}/1111111111111111` },
      { are: "denied" },
    ],
    ["may not bind to the operator's own identity", { identityUid: operatorIdentity }, { are: "denied" }],
  ])("%s", (_, spec, references) => {
    expect(resolve(binding(spec))).toMatchObject(references);
  });

  it("is not resolved before the roles have been read", () => {
    expect(resolve(binding({}), { roles: undefined })).toEqual({ are: "unread" });
  });

  it("takes a built-in role by uid, if its name may be bound", () => {
    const { roleRef: _, ...spec } = binding({}).spec;
    const byUid = (roleUid: string) => ({ ...binding({}), spec: { ...spec, roleUid } });
    expect(resolve(byUid(viewer.uid))).toMatchObject({ are: "resolved" });
    expect(resolve(byUid(owner.uid))).toMatchObject({ are: "denied" });
    expect(
      resolve(byUid(owner.uid), { boundary: everything({ roots: [root], roles: [owner.uid], namespaces: null }) }),
    ).toMatchObject({
      are: "resolved",
    });
    expect(resolve(byUid(viewer.uid), { roles: undefined })).toEqual({ are: "unread" });
  });

  it("does not take a custom role for the built-in role with the same name", () => {
    const { roleRef: _, ...spec } = binding({}).spec;
    const byUid: RoleBinding = { ...binding({}), spec: { ...spec, roleUid: custom } };
    expect(resolve(byUid)).toMatchObject({ are: "denied" });
  });
});

it("takes the issuer of the cluster and the namespace of the object for a service account", () => {
  expect(resolve(identityResource({ spec: { serviceAccountRef: { name: "ci" } } }))).toMatchObject({
    desired: { claimMatch: { issuer: "https://issuer.example", subject: "system:serviceaccount:team:ci" } },
  });
});
