import { expect, it } from "vitest";
import { withMarker } from "#src/kinds/marker.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";
import {
  anotherUid,
  externalGroup,
  foreignMarker,
  marker,
  parent,
  root,
  uid,
} from "#src/reconcile/policy/observed-fixture.testing.ts";
import { grant, kindNamed, world, type WorldParts } from "./observed-world.testing.ts";
import { protectionOf, protectionsOf } from "./protections.ts";
import { identityUid, viewer } from "./references-world.testing.ts";

const binding = grant(uid, identityUid, viewer.uid);
const identity = (description: string) => ({ uid: identityUid, name: "ci", description });
const role = { uid: anotherUid, name: "custom", capabilities: [] };
const permissions = (own: { bindings?: readonly string[]; roles?: readonly string[] }) => ({
  session: { permissions: { ownBindings: new Set(own.bindings), ownRoles: new Set(own.roles) } },
});

it.each<[string, string | undefined, string, ExternalResource, WorldParts?]>([
  ["a group of the session", "root", "Group", externalGroup({ uid: root })],
  ["a group without a parent", "root", "Group", externalGroup({ uid: "e".repeat(40) })],
  ["any other group", undefined, "Group", externalGroup()],
  ["what has the uid of its group", undefined, "AccountAssociation", { uid: root }],
  [
    "a role binding by which the operator has its permissions",
    "credential",
    "RoleBinding",
    binding,
    permissions({ bindings: [uid] }),
  ],
  ["any other role binding", undefined, "RoleBinding", binding, permissions({ bindings: [anotherUid] })],
  [
    "a role by which the operator has its permissions",
    "credential",
    "Role",
    role,
    permissions({ roles: [anotherUid] }),
  ],
  ["any other role", undefined, "Role", role, permissions({ roles: [uid] })],
  ["what is no role, whatever its uid", undefined, "Group", externalGroup(), permissions({ roles: [uid] })],
  ["a credential", "credential", "Identity", identity(""), { credentials: [identityUid] }],
  ["a role binding of a credential", "credential", "RoleBinding", binding, { credentials: [identityUid] }],
  ["an identity for emergencies", "breakGlass", "Identity", identity(""), { breakGlass: [identityUid] }],
  ["a role binding of one", "breakGlass", "RoleBinding", binding, { breakGlass: [identityUid] }],
  [
    "a role binding of an identity of another owner",
    "otherOwner",
    "RoleBinding",
    binding,
    { listed: { Identity: [identity(withMarker("", foreignMarker))] } },
  ],
  [
    "a role binding of an identity of ours",
    undefined,
    "RoleBinding",
    binding,
    { listed: { Identity: [identity(withMarker("", marker))] } },
  ],
  ["a role binding of nobody's identity", undefined, "RoleBinding", binding, { listed: { Identity: [identity("")] } }],
  [
    "an identity of another owner, which has a marker of its own",
    undefined,
    "Identity",
    identity(withMarker("", foreignMarker)),
    { listed: { Identity: [identity(withMarker("", foreignMarker))] } },
  ],
])("%s is protected: %s", (_, because, kind, external, parts) => {
  const { sources, contexts } = world(parts);
  expect(protectionOf(sources, contexts.team, kindNamed(kind), external)).toBe(because);
  const all = protectionsOf(sources, contexts.team, kindNamed(kind), undefined, [external]);
  expect(all).toEqual(because === undefined ? [] : [{ uid: external.uid, because }]);
});

it("a root that an object claims is protected before it is read", () => {
  const { sources, contexts } = world();
  const of = (kind: string, claimed: string) => protectionsOf(sources, contexts.team, kindNamed(kind), claimed, []);
  expect(of("Group", root)).toEqual([{ uid: root, because: "root" }]);
  expect(of("Group", parent)).toEqual([]);
  expect(of("AccountAssociation", root)).toEqual([]);
});
