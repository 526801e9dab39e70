import { describe, expect, it } from "vitest";
import type { Resource } from "#src/api/resource.ts";
import type { RoleBindingSpec } from "#src/api/role-binding.ts";
import type { Status } from "#src/api/status.ts";
import { kinds } from "#src/kinds/kinds.ts";
import type { ExternalRole } from "#src/platform-client/external-resource.ts";
import {
  bindingResource,
  groupResource,
  identityResource,
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

const stands = (uid: string): Status => ({ observedGeneration: 1, uid });
const inCluster: Readonly<Record<string, Resource>> = {
  "Group team/shop": groupResource({ status: stands(parent) }),
  "Group team/new": groupResource(),
  "Group team/going": groupResource({
    status: stands(parent),
    metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" },
  }),
  "Group team/elsewhere": groupResource({ status: stands(`${otherRoot}/1111111111111111`) }),
  "Group others/shop": groupResource({ status: stands(parent), metadata: { namespace: "others" } }),
  "Identity team/ci": identityResource({ status: stands(identityUid) }),
};

const context: ReferenceContext = {
  find: (kind, key) => inCluster[`${kind} ${key}`],
  roles: {
    byName: new Map([
      ["viewer", viewer],
      ["owner", owner],
    ]),
    byUid: new Map([
      [viewer.uid, viewer],
      [owner.uid, owner],
      // A role of a group's own that bears a built-in one's name.
      [custom, { uid: custom, name: "viewer", capabilities: [] }],
    ]),
  },
  boundary: { roots: [root], roles: ["viewer"] },
  operatorIdentity,
  serviceAccountIssuer: "https://issuer.example",
  marker,
};

function resolve(resource: Resource, more: Partial<ReferenceContext> = {}) {
  return resolveReferences(kinds[resource.kind], resource, { ...context, ...more });
}

const groupIn = (name: string, namespace?: string) => {
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
    ["that stands resolves to its uid", groupIn("shop"), { are: "resolved", uids: { parent }, naturalKey: marker }],
    ["that is not there waits", groupIn("none"), { are: "waiting", reason: "ReferenceNotFound" }],
    ["that has no uid yet waits", groupIn("new"), { are: "waiting", reason: "ReferenceNotReady" }],
    ["that is going away waits", groupIn("going"), { are: "waiting", reason: "ReferenceNotReady" }],
    [
      "that is going away resolves for what is going away itself",
      { ...groupIn("going"), metadata: { ...groupResource().metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } },
      { are: "resolved", uids: { parent } },
    ],
    ["in the own namespace, by name, is no grant's matter", groupIn("shop", "team"), { are: "resolved" }],
    [
      "in another namespace needs a grant there",
      groupIn("shop", "others"),
      { are: "waiting", reason: "ReferenceNotGranted" },
    ],
    ["that lies outside the root groups is denied", groupIn("elsewhere"), { are: "denied" }],
  ])("%s", (_, resource, references) => {
    expect(resolve(resource)).toMatchObject(references);
  });

  it("names the field, the object and the mend", () => {
    expect(resolve(groupIn("none"))).toMatchObject({
      message:
        "spec.parentRef: there is no Group none in namespace team. Create it; this object goes on by itself then.",
    });
  });

  it("in another namespace tells nothing of what is there", () => {
    const [there, notThere] = [resolve(groupIn("shop", "others")), resolve(groupIn("shop", "nowhere"))];
    expect(there).toEqual(notThere);
  });
});

describe("a uid", () => {
  it.each<[string, string, string]>([
    ["of the root group itself may hold things", root, "resolved"],
    ["below a root group may, too", parent, "resolved"],
    ["of another root may not", otherRoot, "denied"],
    ["is compared by segment, never by prefix alone", `${root}0/1111111111111111`, "denied"],
  ])("%s", (_, parentUid, are) => {
    expect(resolve(groupResource({ spec: { parentUid } }))).toMatchObject({ are });
  });
});

describe("a role binding", () => {
  const key = `${parent} ${identityUid} ${viewer.uid}`;
  it.each<[string, Partial<RoleBindingSpec>, object]>([
    ["is named by what it binds", {}, { are: "resolved", naturalKey: key }],
    ["takes a built-in role by name", { roleRef: { name: "viewer" } }, { uids: { role: viewer.uid } }],
    ["may not bind a role outside the settings", { roleRef: { name: "owner" } }, { are: "denied" }],
    [
      "waits for a role of no such name",
      { roleRef: { name: "none" } },
      { are: "waiting", reason: "ReferenceNotFound" },
    ],
    ["may not bind to an identity elsewhere", { identityUid: `${otherRoot}/1111111111111111` }, { are: "denied" }],
    ["may not bind to the operator's own identity", { identityUid: operatorIdentity }, { are: "denied" }],
  ])("%s", (_, spec, references) => {
    expect(resolve(binding(spec))).toMatchObject(references);
  });

  it("cannot be judged before the roles have been read", () => {
    expect(resolve(binding({}), { roles: undefined })).toEqual({ are: "unread" });
  });

  it("takes a built-in role by uid, if its name may be bound", () => {
    const { roleRef: _, ...spec } = binding({}).spec;
    const byUid = (roleUid: string) => ({ ...binding({}), spec: { ...spec, roleUid } });
    expect(resolve(byUid(viewer.uid))).toMatchObject({ are: "resolved" });
    expect(resolve(byUid(owner.uid))).toMatchObject({ are: "denied" });
    expect(resolve(byUid(owner.uid), { boundary: { roots: [root], roles: [owner.uid] } })).toMatchObject({
      are: "resolved",
    });
    expect(resolve(byUid(viewer.uid), { roles: undefined })).toEqual({ are: "unread" });
  });

  it("does not take a group's own role for the built-in one of its name", () => {
    const { roleRef: _, ...spec } = binding({}).spec;
    expect(resolve({ ...binding({}), spec: { ...spec, roleUid: custom } })).toMatchObject({ are: "denied" });
  });
});

it("an identity of a service account has the cluster's issuer and its own namespace", () => {
  expect(resolve(identityResource({ spec: { serviceAccountRef: { name: "ci" } } }))).toMatchObject({
    desired: { claimMatch: { issuer: "https://issuer.example", subject: "system:serviceaccount:team:ci" } },
  });
});
