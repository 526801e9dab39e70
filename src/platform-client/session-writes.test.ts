import { describe, expect, it } from "vitest";
import { ManualClock } from "#src/time/manual-clock.testing.ts";
import type { PlatformApi } from "./api.ts";
import type { ManagedCollection } from "./collection.ts";
import { GovernedApi } from "./governed-api.ts";
import { groupCollection } from "./group-collection.testing.ts";
import { OwnerCheck } from "./owner-check.ts";
import { withRecordedOwner } from "./owner-record.ts";
import { overwriteKey, PostLedger } from "./post-ledger.ts";
import type { PlatformSession } from "./session.ts";
import { singletonUids } from "./uid.ts";
import {
  child,
  group,
  groupResource,
  identity,
  lost,
  problemOf,
  rejected,
  root,
  world,
} from "./session-world.testing.ts";

/** A check of the owner, of which the platform records what a test says, by default this one. */
function checkedOwner() {
  let [recorded, count, listener] = ["cluster", 0, () => {}];
  const api = {
    get: async () => {
      count += 1;
      listener();
      return { uid: identity, description: withRecordedOwner("", recorded) };
    },
  } as unknown as PlatformApi;
  const { signal } = new AbortController();
  const clock = new ManualClock();
  const governed = new GovernedApi(api, {
    address: "https://platform.example",
    probedGroup: root,
    clock,
    random: () => 0,
    signal,
  });
  return {
    ownerCheck: new OwnerCheck({ api: governed, identity, owner: "cluster", clock, signal }),
    record: (owner: string) => (recorded = owner),
    onRead: (called: () => void) => (listener = called),
    reads: () => count,
  };
}

describe("writes", () => {
  it("sends one POST if two sessions decide on it at the same time", async () => {
    const posts = new PostLedger(15_000);
    const [one, other] = [world({ posts }), world({ posts })];
    const outcomes = await Promise.all(
      [one, other].map(({ session }) => problemOf(session.create(groupCollection, root, { name: "new" }, "new"))),
    );
    // The second observes what the first created, and decides again.
    expect(outcomes).toEqual([undefined, { kind: "paused", retryAfterMs: 0 }]);
    expect([one, other].flatMap(({ calls }) => calls).filter((call) => call === "create")).toHaveLength(1);
  });

  it("are in the view at once, and a created group counts as new for a minute", async () => {
    const { session, clock } = world();
    await session.create(groupCollection, root, { name: "new" }, "new");
    const made = `${root}/3333333333333333`;
    expect(session.viewOf(groupCollection).stateOf(made)).toMatchObject({ is: "present", resource: { name: "new" } });
    expect([session.createdAt(made), session.createdAt(group)]).toEqual([clock.monotonic(), undefined]);
    await clock.advance(60_000);
    expect(session.createdAt(made)).toBeUndefined();
  });

  it("a read waits for a DELETE of the same resource, and needs no call after it", async () => {
    const { session, calls } = world();
    await session.read(groupCollection, child);
    const deleted = session.delete(groupCollection, child);
    const view = session.viewOf(groupCollection);
    expect(view.stateOf(child).is).toBe("stale");
    calls.length = 0;
    await Promise.all([session.read(groupCollection, child), deleted]);
    expect(view.stateOf(child).is).toBe("gone");
    expect(calls.filter((call) => call === `get ${child}`)).toEqual([]);
    // A read of what is known to be gone may still be wanted.
    await session.read(groupCollection, child);
    expect(calls).toContain(`get ${child}`);
  });

  it("a read that waited for a DELETE in vain reads the resource", async () => {
    const { session, failing } = world();
    await session.read(groupCollection, child);
    failing.set("delete", () => rejected("FAILED_PRECONDITION"));
    const refused = problemOf(session.delete(groupCollection, child));
    await session.read(groupCollection, child);
    expect(await refused).toMatchObject({ kind: "rejected" });
    expect(session.viewOf(groupCollection).stateOf(child).is).toBe("present");
  });

  it("a DELETE without a response leaves the resource stale", async () => {
    const { session, failing } = world();
    await session.read(groupCollection, child);
    failing.set("delete", lost);
    expect(await problemOf(session.delete(groupCollection, child))).toMatchObject({ kind: "noResponse" });
    expect(session.viewOf(groupCollection).stateOf(child).is).toBe("stale");
  });

  it.each<[type: string, read: (session: PlatformSession) => Promise<void>]>([
    ["identities", (session) => session.readIdentity(child)],
    ["roles", (session) => session.readRole(child)],
  ])("a shared read of %s waits for a DELETE of the same resource", async (type, read) => {
    const collection = { ...groupCollection, name: type };
    const { session, calls } = world({ collections: [collection] });
    await session.read(collection, child);
    const deleted = session.delete(collection, child);
    calls.length = 0;
    await Promise.all([read(session), deleted]);
    expect(calls.filter((call) => call === `get ${child}`)).toEqual([]);
  });

  it("a read that started before a DELETE does not bring the resource back", async () => {
    const { session, clock, get } = world();
    const response = Promise.withResolvers<void>();
    get.responds = response.promise;
    const read = session.read(groupCollection, child);
    await clock.advance(1);
    await session.delete(groupCollection, child);
    response.resolve();
    await read;
    expect(session.viewOf(groupCollection).stateOf(child).is).toBe("gone");
  });

  it("are not sent once another process may be the leader", async () => {
    const { session, state, calls } = world();
    state.canWrite = false;
    for (const write of [
      session.create(groupCollection, root, { name: "new" }, "new"),
      session.update(groupCollection, group, { name: "new" }, ["name"]),
      session.delete(groupCollection, child),
    ])
      expect(await problemOf(write)).toMatchObject({ kind: "paused" });
    expect(calls).toEqual([]);
    expect(session.posts.mayStillTakeEffect(20)).toBe(false);
  });

  it("are not sent below a root that cannot be read, until it can", async () => {
    const { session, clock, groups, calls } = world();
    await session.refreshPermissions();
    const found = groups.get(root);
    groups.delete(root);
    await session.rereadPermissions();
    calls.length = 0;
    for (const write of [
      () => session.create(groupCollection, root, { name: "new" }, "new"),
      () => session.update(groupCollection, group, { name: "new" }, ["name"]),
      () => session.delete(groupCollection, child),
    ])
      expect(await problemOf(write())).toMatchObject({ kind: "rejected", error: { code: "NOT_FOUND" } });
    expect(calls).toEqual([]);
    expect(session.posts.mayStillTakeEffect(clock.monotonic())).toBe(false);
    if (found !== undefined) groups.set(root, found);
    await clock.advance(1_000);
    await session.update(groupCollection, group, { name: "new" }, ["name"]);
    expect(calls).toContain("update");
  });

  it("with a lost response make the resource stale", async () => {
    const { session, failing } = world();
    await session.read(groupCollection, group);
    failing.set("update", lost);
    await problemOf(session.update(groupCollection, group, { name: "new" }, ["name"]));
    expect(session.viewOf(groupCollection).stateOf(group).is).toBe("stale");
  });

  it("that were rejected keep the resource present", async () => {
    const { session, failing } = world();
    await session.read(groupCollection, group);
    failing.set("update", () => rejected("INVALID_ARGUMENT"));
    await problemOf(session.update(groupCollection, group, { name: "new" }, ["name"]));
    expect(session.viewOf(groupCollection).stateOf(group).is).toBe("present");
  });

  it("to a singleton are not sent if it is not the one that was read", async () => {
    const singletons = { ...groupCollection, uids: singletonUids };
    const { session, groups, calls } = world({ collections: [singletons] });
    await session.read(singletons, group);
    calls.length = 0;
    groups.set(group, groupResource(group, "another"));
    const update = () => session.update(singletons, group, { name: "new" }, ["name"]);
    expect(await problemOf(update())).toEqual({ kind: "paused", retryAfterMs: 0 });
    // What was read is what the next decision is made from.
    await update();
    groups.set(group, groupResource(group, "a third"));
    expect(await problemOf(session.delete(singletons, group))).toEqual({ kind: "paused", retryAfterMs: 0 });
    expect(groups.has(group)).toBe(true);
    await session.delete(singletons, group);
    expect(calls).toEqual([`get ${group}`, `get ${group}`, "update", `get ${group}`, `get ${group}`, "delete"]);
    expect(session.viewOf(singletons).stateOf(group).is).toBe("gone");
  });

  it("to a singleton are sent within two seconds of the response that showed it", async () => {
    const singletons = { ...groupCollection, uids: singletonUids };
    const { session, clock, calls, sendBefore } = world({ collections: [singletons] });
    await session.read(singletons, group);
    await session.update(singletons, group, { name: "new" }, ["name"]);
    await session.delete(singletons, group);
    await session.update(groupCollection, child, { name: "new" }, ["name"]);
    expect(sendBefore).toEqual([clock.monotonic() + 2_000, clock.monotonic() + 2_000, undefined]);
    expect(calls.filter((call) => !call.startsWith("get"))).toEqual(["update", "delete", "update"]);
  });

  it("that take something away read the owner last, and are sent within two seconds of the response", async () => {
    const collection = { ...groupCollection, authenticationFields: ["description"] };
    const { ownerCheck, record, reads } = checkedOwner();
    const { session, clock, sendBefore } = world({ ownerCheck, collections: [collection] });
    const writes = [
      () => session.create(collection, root, { name: "new" }, "new"),
      () => session.update(collection, group, { name: "new" }, ["name"]),
      () => session.update(collection, group, { description: "new" }, ["description"]),
      () => session.delete(collection, child),
    ];
    const readsOf: number[] = [];
    for (const write of writes) {
      const before = reads();
      await write();
      readsOf.push(reads() - before);
    }
    expect(readsOf).toEqual([1, 0, 1, 1]);
    const soon = clock.monotonic() + 2_000;
    expect(sendBefore).toEqual([undefined, soon, soon]);
    record("another");
    await session.update(collection, group, { name: "newer" }, ["name"]);
    expect(await problemOf(session.delete(collection, group))).toMatchObject({ kind: "ownerMismatch" });
    expect(sendBefore).toHaveLength(4);
  });

  it("are not sent if another process became the leader while the owner was read", async () => {
    const { ownerCheck, onRead } = checkedOwner();
    const { session, state, calls } = world({ ownerCheck });
    onRead(() => (state.canWrite = false));
    expect(await problemOf(session.delete(groupCollection, child))).toMatchObject({ kind: "paused" });
    expect(calls).toEqual([]);
  });

  it.each<[string, (session: PlatformSession, singletons: ManagedCollection) => Promise<unknown>]>([
    ["delete", (session, singletons) => session.delete(singletons, group)],
    ["update", (session, singletons) => session.update(singletons, group, { name: "new" }, ["name"])],
  ])("to a singleton may take effect on the next one without a response: %s", async (method, write) => {
    const singletons = { ...groupCollection, uids: singletonUids };
    const { session, failing, clock } = world({ collections: [singletons] });
    const key = overwriteKey(singletons, group);
    await session.read(singletons, group);
    failing.set(method, () => rejected("PERMISSION_DENIED"));
    await problemOf(write(session, singletons));
    expect([session.posts.unknownSince(key), session.posts.mayStillTakeEffect(0)]).toEqual([undefined, false]);
    failing.set(method, lost);
    await problemOf(write(session, singletons));
    const sentAt = clock.monotonic();
    expect([session.posts.unknownSince(key), session.posts.mayStillTakeEffect(sentAt)]).toEqual([sentAt, true]);
    expect(session.posts.mayStillTakeEffect(sentAt + 15_000)).toBe(false);
  });

  it("to a singleton are not sent if another one was listed since the decision", async () => {
    const singletons = { ...groupCollection, uids: singletonUids };
    const { session, clock, groups, calls } = world({ collections: [singletons] });
    await session.read(singletons, group);
    calls.length = 0;
    const writes = [problemOf(session.update(singletons, group, { name: "new" }, ["name"]))];
    writes.push(problemOf(session.delete(singletons, group)));
    const another = groupResource(group, "another");
    groups.set(group, another);
    session.viewOf(singletons).record(another, clock.monotonic());
    const paused = { kind: "paused", retryAfterMs: 0 };
    expect(await Promise.all(writes)).toEqual([paused, paused]);
    expect(calls).toEqual([`get ${group}`, `get ${group}`]);
  });

  it("a POST with a lost response is settled once its resource is listed", async () => {
    const { session, failing, groups } = world();
    failing.set("create", lost);
    await problemOf(session.create(groupCollection, root, { name: "new" }, "new"));
    expect(session.posts.unknownSince("new")).toBe(0);
    groups.set(`${root}/4444444444444444`, groupResource(`${root}/4444444444444444`, "new"));
    await session.list(groupCollection, { descendantsOf: root });
    expect(session.posts.unknownSince("new")).toBeUndefined();
  });

  it("a POST with a lost response is unknown to a session until that session shows what another one has seen of it", async () => {
    const posts = new PostLedger(15_000);
    const [sender, other] = [world({ posts }), world({ posts })];
    sender.failing.set("create", lost);
    await sender.session.list(groupCollection, { descendantsOf: root });
    await problemOf(sender.session.create(groupCollection, root, { name: "new" }, "new"));
    const created = groupResource(`${root}/4444444444444444`, "new");
    for (const { groups } of [sender, other]) groups.set(created.uid, created);
    await other.session.list(groupCollection, { descendantsOf: root });
    expect(other.session.postUnknownSince(groupCollection, "new")).toBeUndefined();
    expect(sender.session.viewOf(groupCollection).withKey("new")).toEqual([]);
    expect(sender.session.postUnknownSince(groupCollection, "new")).toBeDefined();
    await sender.session.list(groupCollection, { descendantsOf: root });
    expect(sender.session.postUnknownSince(groupCollection, "new")).toBeUndefined();
  });

  it("a POST below a group that is gone reads the group, and reports it to the listeners", async () => {
    const { session, failing, groups } = world();
    const changes: (readonly string[])[] = [];
    await session.read(groupCollection, group);
    session.onSnapshot((_, changed) => changes.push(changed));
    groups.delete(group);
    failing.set("create", () => rejected("NOT_FOUND"));
    expect(await problemOf(session.create(groupCollection, group, { name: "new" }, "new"))).toEqual({
      kind: "parentGone",
      parent: group,
    });
    expect(session.viewOf(groupCollection).stateOf(group).is).toBe("gone");
    expect(changes).toEqual([[group]]);
    expect(session.posts.unknownSince("new")).toBeUndefined();
  });

  it.each<[string, (given: ReturnType<typeof world>) => unknown]>([
    ["exists", () => undefined],
    ["cannot be read", ({ failing }) => failing.set(`get ${group}`, lost)],
    [
      "is not proven to be gone",
      ({ groups, state }) => {
        groups.delete(group);
        state.capabilities = [];
      },
    ],
  ])("a POST that is rejected with NOT_FOUND below a group that %s is rejected with NOT_FOUND", async (_, setUp) => {
    const given = world();
    given.failing.set("create", () => rejected("NOT_FOUND"));
    setUp(given);
    expect(await problemOf(given.session.create(groupCollection, group, { name: "new" }, "new"))).toMatchObject({
      kind: "rejected",
      error: { code: "NOT_FOUND" },
    });
  });

  it("a POST that returns another resource has an unknown outcome", async () => {
    const { session } = world();
    expect(await problemOf(session.create(groupCollection, root, { name: "new" }, "another key"))).toMatchObject({
      kind: "noResponse",
    });
    expect(session.posts.unknownSince("another key")).toBe(0);
  });

  it("a POST that returns a secret has created what it returns, if that is below the parent", async () => {
    const issuing = { ...groupCollection, issuing: { schema: groupCollection.schema } };
    const { session, state } = world({ collections: [issuing] });
    const create = () => session.create(issuing, root, { name: "new" }, "another key");
    expect(await create()).toMatchObject({ uid: `${root}/3333333333333333` });
    expect(session.posts.unknownSince("another key")).toBeUndefined();
    state.createsBelow = group;
    expect(await problemOf(create())).toMatchObject({ kind: "noResponse" });
    expect(session.posts.unknownSince("another key")).toBe(0);
  });

  it("a DELETE of a missing resource succeeds if its absence is proven", async () => {
    const { session, groups } = world();
    groups.delete(child);
    await session.delete(groupCollection, child);
    expect(session.viewOf(groupCollection).stateOf(child).is).toBe("gone");
  });

  it("a DELETE of a missing resource fails if its absence is not proven", async () => {
    const { session, groups, state } = world();
    groups.delete(child);
    state.capabilities = [];
    expect(await problemOf(session.delete(groupCollection, child))).toMatchObject({ kind: "permissions" });
    expect(session.viewOf(groupCollection).stateOf(child).is).not.toBe("gone");
  });
});
