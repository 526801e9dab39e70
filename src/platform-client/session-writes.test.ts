import { describe, expect, it } from "vitest";
import type { ManagedCollection } from "./collection.ts";
import { groupCollection } from "./group-collection.testing.ts";
import { overwriteKey, PostLedger } from "./post-ledger.ts";
import type { PlatformSession } from "./session.ts";
import { singletonUids } from "./uid.ts";
import { child, group, groupResource, lost, problemOf, rejected, root, world } from "./session-world.testing.ts";

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
    await session.delete(groupCollection, child);
    expect(sendBefore).toEqual([clock.monotonic() + 2_000, clock.monotonic() + 2_000, undefined]);
    expect(calls.filter((call) => !call.startsWith("get"))).toEqual(["update", "delete", "delete"]);
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
