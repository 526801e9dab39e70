import { describe, expect, it } from "vitest";
import { groupCollection } from "./group-collection.testing.ts";
import { roleBindings } from "./permission-resources.ts";
import { child, group, identity, lost, owner, problemOf, root, world } from "./session-world.testing.ts";

describe("absence is proven", () => {
  const gone = async (setUp: (given: ReturnType<typeof world>) => unknown, uid = child) => {
    const given = world();
    given.groups.delete(uid);
    await setUp(given);
    const failure = await problemOf(given.session.read(groupCollection, uid));
    return { ...given, failure, is: given.session.viewOf(groupCollection).stateOf(uid).is };
  };

  it("if the group above can be read", async () => {
    const { is, calls } = await gone(() => undefined);
    expect(is).toBe("gone");
    expect(calls).toContain(`get ${group}`);
  });

  it("if the group above is gone and one further above can be read", async () => {
    const { is } = await gone(({ groups }) => groups.delete(group));
    expect(is).toBe("gone");
  });

  it("not if the root cannot be read", async () => {
    const { is, failure } = await gone(({ groups }) => {
      groups.delete(group);
      groups.delete(root);
    });
    expect(is).not.toBe("gone");
    expect(failure).toBeDefined();
  });

  it("not under a token without the list capability", async () => {
    const { is, failure } = await gone(({ state }) => {
      state.capabilities = ["CAP_REPO_LIST"];
    });
    expect(is).not.toBe("gone");
    expect(failure).toMatchObject({ kind: "permissions", capability: "CAP_IAM_GROUPS_LIST" });
  });

  it("not if the capability was lost after the permissions were read", async () => {
    const { is, failure } = await gone(async ({ session, state }) => {
      await session.refreshPermissions();
      state.capabilities = [];
    });
    expect(is).not.toBe("gone");
    expect(failure).toMatchObject({ kind: "permissions", capability: "CAP_IAM_GROUPS_LIST" });
  });

  it("not without a response", async () => {
    const { is } = await gone(({ failing }) => failing.set(`get ${child}`, lost));
    expect(is).not.toBe("gone");
  });
});

describe("readGrants", () => {
  it("fails if the permission to list role bindings was lost since it was read", async () => {
    const bindings = {
      ...roleBindings,
      listCapability: "CAP_IAM_ROLE_BINDINGS_LIST",
      authenticationFields: [],
      issuing: null,
      naturalKeyOf: () => undefined,
      nameOf: () => undefined,
    };
    const { session, state } = world({ collections: [groupCollection, bindings] });
    await session.refreshPermissions();
    state.capabilities = [];
    expect(await problemOf(session.readGrants({ identity }))).toMatchObject({ kind: "permissions", scope: root });
    expect(session.grantsOf(identity)).toBeUndefined();
  });

  it("reads the role bindings of one identity wherever they can be seen, and keeps them for some minutes", async () => {
    const { session, clock, calls } = world();
    expect(session.grantsOf(identity)).toBeUndefined();
    await session.readGrants({ identity });
    expect(calls.at(-1)).toBe(`list roleBindings {"identity":"${identity}"}`);
    expect(session.grantsOf(identity)?.bindings.map(({ role }) => role.uid)).toEqual([owner]);
    await clock.advance(300_001);
    await session.readGrants({ identity: `${root}/0000000000000009` });
    expect(session.grantsOf(identity)).toBeUndefined();
    expect(session.grantsOf(`${root}/0000000000000009`)?.bindings).toEqual([]);
  });
});
