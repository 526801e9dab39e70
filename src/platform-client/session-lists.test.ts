import { describe, expect, it } from "vitest";
import { groupCollection } from "./group-collection.testing.ts";
import { anything, child, everyList, group, lost, otherRoot, problemOf, root, world } from "./session-world.testing.ts";

describe("ensureSnapshot", () => {
  it("shares one list among concurrent callers below a root", async () => {
    const { session, lists } = world();
    const waiting = [root, group, child].map((parent) => session.ensureSnapshot(groupCollection, parent, anything));
    await Promise.all(waiting);
    expect(lists()).toEqual([`list groups descendantsOf,${root}`]);
  });

  it("does not list again if a snapshot meets the requirement", async () => {
    const { session, lists } = world();
    await session.ensureSnapshot(groupCollection, group, anything);
    await session.ensureSnapshot(groupCollection, child, anything);
    expect(lists()).toHaveLength(1);
  });

  it("lists only the group if a later snapshot is required", async () => {
    const { session, clock, lists } = world();
    await session.ensureSnapshot(groupCollection, group, anything);
    await clock.advance(1);
    await session.ensureSnapshot(groupCollection, group, { startedAfter: clock.monotonic(), stable: false });
    expect(lists()).toEqual([`list groups descendantsOf,${root}`, `list groups childrenOf,${group}`]);
  });

  it("repeats a list that was not stable", async () => {
    const { session, lists } = world({ totals: [9] });
    await session.ensureSnapshot(groupCollection, root, { startedAfter: 0, stable: true });
    expect(lists()).toHaveLength(2);
  });

  it("fails after three lists that were not stable", async () => {
    const { session, lists } = world({ totals: [9, 9, 9, 9] });
    const failure = await problemOf(session.ensureSnapshot(groupCollection, root, { startedAfter: 0, stable: true }));
    expect(failure).toMatchObject({ kind: "noResponse" });
    expect(lists()).toHaveLength(3);
  });
});

describe("a list without sufficient permissions", () => {
  it("is not sent, and fails with the missing capability", async () => {
    const { session, lists } = world({ capabilities: [] });
    expect(await problemOf(session.list(groupCollection, { descendantsOf: root }))).toMatchObject({
      kind: "permissions",
      scope: root,
    });
    expect(lists()).toEqual([]);
  });

  it("is not sent below a root that cannot be read", async () => {
    const { session, groups, lists } = world();
    groups.delete(root);
    expect(await problemOf(session.list(groupCollection, { descendantsOf: root }))).toMatchObject({
      error: { code: "NOT_FOUND" },
    });
    expect(lists()).toEqual([]);
  });

  it("is sent after they were granted, which is checked once per second", async () => {
    const { session, clock, state, lists } = world({ capabilities: [] });
    await problemOf(session.list(groupCollection, { descendantsOf: root }));
    state.capabilities = everyList;
    expect(await problemOf(session.list(groupCollection, { descendantsOf: root }))).toMatchObject({
      kind: "permissions",
    });
    await clock.advance(1_000);
    await session.list(groupCollection, { descendantsOf: root });
    expect(lists()).toHaveLength(1);
  });

  it("is not recorded if they were lost under a new token meanwhile", async () => {
    const { session, state } = world();
    await session.refreshPermissions();
    const listing = session.list(groupCollection, { descendantsOf: root });
    state.epoch = 2;
    state.capabilities = [];
    expect(await problemOf(listing)).toMatchObject({ kind: "permissions" });
    expect(session.viewOf(groupCollection).snapshotOf(root)).toBeUndefined();
  });

  it("is not recorded if they were lost under the same token meanwhile", async () => {
    const { session, state } = world();
    await session.refreshPermissions();
    state.capabilities = [];
    expect(await problemOf(session.list(groupCollection, { descendantsOf: root }))).toMatchObject({
      kind: "permissions",
    });
    expect(session.viewOf(groupCollection).snapshotOf(root)).toBeUndefined();
  });

  it("is not sent outside the roots", async () => {
    const { session, calls } = world();
    expect(await problemOf(session.ensureSnapshot(groupCollection, otherRoot, anything))).toMatchObject({
      kind: "permissions",
    });
    expect(calls).toEqual([]);
  });
});

it("confirms lists that end together by one read of the permissions, which starts after them", async () => {
  const { session, calls } = world();
  await session.refreshPermissions();
  await Promise.all([root, group, child].map((parent) => session.list(groupCollection, { childrenOf: parent })));
  expect(calls.filter((one) => one.startsWith("list roles"))).toHaveLength(2);
  expect(calls.lastIndexOf(`list roles {}`)).toBeGreaterThan(calls.lastIndexOf(`list groups childrenOf,${child}`));
});

it("lists several collections together, whatever the failure of one, and confirms them by one read", async () => {
  const { session, calls, failing } = world();
  const identities = { ...groupCollection, name: "identities" };
  failing.set(`list identities descendantsOf,${root}`, lost);
  await session.refreshPermissions();
  const peeked = await session.peek(groupCollection, groupCollection.listCapability, { childrenOf: root });
  const collections = [identities, groupCollection, groupCollection];
  const [outcomes = [], others] = await session.listTogether(collections, [
    { descendantsOf: root },
    { childrenOf: group },
  ]);
  expect((await peeked())?.map(({ uid }) => uid)).toEqual([group]);
  // The session has no view of identities.
  expect(others?.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
  expect(calls.filter((one) => one.startsWith("list roles"))).toHaveLength(2);
});

it("lets others have a turn before it records the next of several lists", async () => {
  const { session, clock } = world();
  const order: string[] = [];
  session.onSnapshot((collection) => order.push(collection.name));
  clock.turn = async () => void order.push("turn");
  await session.listTogether([groupCollection, groupCollection], [{ descendantsOf: root }]);
  expect(order).toEqual(["turn", "groups", "turn", "groups"]);
});

it("calls listeners before the callers that wait for the list continue", async () => {
  const { session } = world();
  const order: string[] = [];
  session.onSnapshot((collection, changed) => order.push(`${collection.name} ${changed.length}`));
  await session.ensureSnapshot(groupCollection, root, anything).then(() => order.push("waiter"));
  expect(order).toEqual(["groups 2", "waiter"]);
});
