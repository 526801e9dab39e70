import { describe, expect, it } from "vitest";
import type { Resource } from "#src/api/custom-resource.ts";
import {
  bindingResource,
  identityResource,
  otherRoot,
  parent,
} from "#src/reconcile/policy/observed-fixture.testing.ts";
import { grantsOf } from "./grants.ts";
import { grant, kindNamed, seenOf, world, type WorldParts } from "./observed-world.testing.ts";
import { elsewhere, identityUid, owner, recorded, role, viewer } from "./references-world.testing.ts";

const custom = `${parent}/5555555555555555`;
const bindingUid = (digit: string) => `${parent}/${digit.repeat(16)}`;
const identity: Resource = identityResource({
  spec: { claimMatch: { issuer: "https://issuer.example", subject: "ci" } },
  status: recorded(identityUid),
});

/** What is known of the role bindings of the identity or the role with this uid. */
function grants(
  resource: Resource,
  holder: string,
  bindings: readonly ReturnType<typeof grant>[],
  parts: WorldParts = {},
) {
  const session = {
    grantsOf: (uid: string) => (uid === holder ? { readAt: 7, bindings } : undefined),
    ...parts.session,
  };
  const { sources, contexts } = world({ ...parts, session, objects: [resource, ...(parts.objects ?? [])] });
  return grantsOf(sources, contexts.team, kindNamed(resource.kind), resource, [{ uid: holder }]);
}

const none = { of: identityUid, readAt: 7, denied: [], declared: [], deniedRoles: [], roleToRead: null };

it("nothing is known of an identity whose role bindings were not read", () => {
  const { sources, contexts } = world();
  expect(grantsOf(sources, contexts.team, kindNamed("Identity"), identity, [{ uid: identityUid }])).toEqual([]);
});

describe("the role bindings of an identity", () => {
  const of = (roleUid: string, parts: WorldParts = {}, bound = bindingUid("1")) =>
    grants(identity, identityUid, [grant(bound, identityUid, roleUid)], parts);

  it("are permitted with a role that the Tenant lists, below its groups", () => {
    expect(of(viewer.uid)).toEqual([{ ...none, excess: [], unknownIdentity: null }]);
    expect(of(viewer.uid, {}, `${otherRoot}/1111111111111111`)).toMatchObject([
      { denied: [`${otherRoot}/1111111111111111`] },
    ]);
  });

  it("are denied with a built-in role that it does not list", () => {
    expect(of(owner.uid)).toMatchObject([{ denied: [bindingUid("1")], deniedRoles: [] }]);
    const unread = { session: { roles: undefined } };
    expect(of(viewer.uid, unread)).toMatchObject([{ denied: [bindingUid("1")] }]);
  });

  it("are denied with a role of a group that no object declares", () => {
    expect(of(custom)).toMatchObject([{ denied: [bindingUid("1")], deniedRoles: [custom], roleToRead: null }]);
  });

  describe("with a role that an object declares", () => {
    const objects = [role("custom", { status: recorded(custom) })];
    const seen = (capabilities: readonly string[]) => ({
      objects,
      listed: { Role: [{ uid: custom, name: "custom", capabilities: [...capabilities] }] },
    });

    it("are permitted if its capabilities are", () => {
      expect(of(custom, seen(["CAP_REPO_LIST"]))).toMatchObject([{ denied: [], roleToRead: null }]);
    });

    it("are denied if they are not", () => {
      expect(of(custom, seen(["CAP_REPO_DELETE"]))).toMatchObject([
        { denied: [bindingUid("1")], deniedRoles: [custom] },
      ]);
    });

    it("are judged after the role was read", () => {
      expect(of(custom, { objects })).toMatchObject([{ denied: [], roleToRead: custom }]);
    });

    it("are denied if the session cannot read the role", () => {
      expect(of(custom, { objects, session: { groups: [otherRoot] } })).toMatchObject([
        { denied: [bindingUid("1")], roleToRead: null },
      ]);
    });

    it("are denied while the roles were not read", () => {
      const parts = seen(["CAP_REPO_LIST"]);
      expect(of(custom, { ...parts, session: { roles: undefined } })).toMatchObject([{ denied: [bindingUid("1")] }]);
    });
  });

  describe("that the Tenant does not permit", () => {
    const there = grant(`${elsewhere}/2222222222222222`, identityUid, viewer.uid);
    const granting = { ...identity, spec: { ...identity.spec, allowedNamespaces: ["others"] } } as Resource;
    const declaring = (metadata: object = {}, spec: object = {}) =>
      bindingResource({
        metadata: { namespace: "others", ...metadata },
        spec: {
          groupUid: elsewhere,
          identityRef: { name: "ci", namespace: "team" },
          roleRef: { name: "viewer" },
          ...spec,
        },
      });
    it.each<[string, readonly string[], Resource, Resource?]>([
      ["are declared by an object whose Tenant does", [there.uid], declaring()],
      ["are not declared by an object of the same Tenant", [], declaring({ namespace: "team" })],
      ["are not declared without a Tenant", [], declaring({ namespace: "ungoverned" })],
      ["are not declared by another role", [], declaring({}, { roleRef: { name: "owner" } })],
      ["are not declared if the identity is not granted", [], declaring(), identity],
      [
        "are not declared by an object that is being deleted",
        [],
        declaring({ deletionTimestamp: "2026-01-02T00:00:00Z" }),
      ],
      ["are not declared by an object that has expired", [], declaring({}, { expiresAt: "2025-01-01T00:00:00Z" })],
    ])("%s", (_, declared, object, managing = granting) => {
      const judged = grants(managing, identityUid, [there], { objects: [object] });
      expect(judged).toMatchObject([{ denied: [there.uid], declared }]);
    });
  });
});

describe("the role of an object", () => {
  const listed = { Role: [{ uid: custom, name: "custom", capabilities: [] }] };
  const toRead = (spec: object, parts: WorldParts = {}) => {
    const object = bindingResource({ spec: { identityUid, ...spec } });
    const objects = [role("custom", { status: recorded(custom) })];
    return seenOf(object, { ...parts, objects }).roleToRead;
  };

  it("is read before it is granted, however the object names it", () => {
    expect(toRead({ roleUid: custom })).toBe(custom);
    expect(toRead({ roleRef: { kind: "Role", name: "custom" } })).toBe(custom);
  });

  it("is not read if the Tenant lists it, nor again within a minute", () => {
    expect(toRead({ roleRef: { name: "viewer" } })).toBeNull();
    expect(toRead({ roleUid: viewer.uid })).toBeNull();
    expect(toRead({ roleUid: custom }, { listed })).toBeNull();
  });
});

describe("the role bindings of a role", () => {
  const resource = role("custom", { status: recorded(custom) });
  const seen = { Identity: [{ uid: identityUid, name: "ci", description: "" }] };
  const of = (parts: WorldParts = {}, bound = identityUid) =>
    grants(resource, custom, [grant(bindingUid("1"), bound, custom)], { listed: seen, ...parts });

  it("are permitted if a RoleBinding object of the Tenant could take them over", () => {
    expect(of()).toEqual([{ ...none, of: custom, excess: [], unknownIdentity: null }]);
  });

  it("are denied if the identity is outside of the Tenant's groups", () => {
    expect(of({}, elsewhere)).toMatchObject([{ denied: [bindingUid("1")] }]);
  });

  it("are denied if the identity is a credential", () => {
    expect(of({ credentials: [identityUid] })).toMatchObject([{ denied: [bindingUid("1")], unknownIdentity: null }]);
  });

  it("are judged after the identity was read", () => {
    expect(of({ listed: {} })).toMatchObject([{ unknownIdentity: identityUid }]);
  });

  it("show what the spec has in excess of what the Tenant permits without this role", () => {
    const greedy = role("custom", {
      status: recorded(custom),
      spec: { capabilities: ["CAP_REPO_LIST", "CAP_REPO_DELETE"] },
    });
    expect(grants(greedy, custom, [])).toMatchObject([{ excess: ["CAP_REPO_DELETE"] }]);
    expect(grants(greedy, custom, [], { session: { roles: undefined } })).toMatchObject([{ excess: [] }]);
  });
});
