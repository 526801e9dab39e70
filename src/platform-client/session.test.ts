import { describe, expect, it } from "vitest";
import type { MonotonicTime } from "#src/time/clock.ts";
import { ManualClock, settled } from "#src/time/manual-clock.testing.ts";
import type { ListQuery, PlatformApi } from "./api.ts";
import { type CodeName, PlatformFailure } from "./failure.ts";
import type { ManagedCollection, ResourceType } from "./collection.ts";
import { GovernedApi } from "./governed-api.ts";
import { groupCollection } from "./group-collection.testing.ts";
import { roleBindings } from "./permission-resources.ts";
import { OwnerCheck } from "./owner-check.ts";
import { withRecordedOwner } from "./owner-record.ts";
import { overwriteKey, PostLedger } from "./post-ledger.ts";
import { PlatformSession } from "./session.ts";
import { isBelow, parentOf, singletonUids } from "./uid.ts";

const root = "a".repeat(40);
const otherRoot = "b".repeat(40);
const identity = `${root}/0000000000000001`;
const owner = "d".repeat(40);
const group = `${root}/1111111111111111`;
const child = `${group}/2222222222222222`;
const everyList = ["CAP_IAM_GROUPS_LIST", "CAP_IAM_IDENTITY_LIST", "CAP_IAM_ROLE_BINDINGS_LIST"];

function rejected(code: CodeName): PlatformFailure {
  const error = { code, message: code, reason: "", domain: "", fieldViolations: [], preconditionViolations: [] };
  return new PlatformFailure("call", { kind: "rejected", error });
}
const lost = () => new PlatformFailure("call", { kind: "noResponse", message: "lost" });
const groupResource = (uid: string, name = "n") => ({ uid, name, description: name });

/** Sleeps pass by themselves, after everything that can run before them. */
class SelfAdvancingClock extends ManualClock {
  override async sleep(ms: number): Promise<void> {
    await settled();
    await this.advance(ms);
  }
}

/** A session over a platform of groups that records its calls, and fails those that a test sets in `failing`. */
function world({
  capabilities = everyList,
  totals = [] as number[],
  posts = new PostLedger(15_000),
  ownerCheck,
  collections = [groupCollection],
}: {
  readonly collections?: readonly ManagedCollection[];
  readonly capabilities?: readonly string[];
  readonly totals?: number[];
  readonly posts?: PostLedger;
  readonly ownerCheck?: OwnerCheck;
} = {}) {
  const clock = new SelfAdvancingClock();
  const calls: string[] = [];
  /** Until when each PATCH and DELETE could be sent. */
  const sendBefore: (MonotonicTime | undefined)[] = [];
  const groups = new Map([root, group, child].map((uid) => [uid, groupResource(uid)]));
  const failing = new Map<string, () => Error>();
  const state = { epoch: 1, canWrite: true, capabilities };
  const call = (name: string) => {
    calls.push(name);
    const error = failing.get(name);
    if (error !== undefined) throw error();
  };
  const find = (uid: string) => {
    const found = groups.get(uid);
    if (found === undefined) throw rejected("NOT_FOUND");
    return found;
  };
  const api = {
    list: async ({ name: collection }: ResourceType, { scope, filter }: ListQuery) => {
      const where = scope === undefined ? JSON.stringify(filter ?? {}) : Object.entries(scope).join();
      call(`list ${collection} ${where}`);
      if (collection === "roles")
        return { resources: [{ uid: owner, name: "owner", capabilities: state.capabilities }], totalCount: 1 };
      if (filter !== undefined)
        return {
          resources: [
            { uid: `${root}/0000000000000002`, identity: { uid: identity, name: "" }, role: { uid: owner, name: "" } },
          ],
          totalCount: 1,
        };
      const below = (uid: string) => {
        if (scope === undefined) return false;
        return "descendantsOf" in scope ? isBelow(uid, scope.descendantsOf) : parentOf(uid) === scope.childrenOf;
      };
      const resources = collection === "groups" ? [...groups.values()].filter(({ uid }) => below(uid)) : [];
      return { resources, totalCount: totals.shift() ?? resources.length };
    },
    get: async (_: ResourceType, uid: string) => {
      call(`get ${uid}`);
      return find(uid);
    },
    create: async (_: ResourceType, parent: string, body: { name: string }) => {
      call("create");
      const made = groupResource(`${parent}/3333333333333333`, body.name);
      groups.set(made.uid, made);
      return made;
    },
    update: async (
      _: ResourceType,
      uid: string,
      body: { name: string },
      _mask: readonly string[],
      _signal: AbortSignal,
      before: MonotonicTime | undefined,
    ) => {
      call("update");
      sendBefore.push(before);
      const changed = { ...find(uid), ...body };
      groups.set(uid, changed);
      return changed;
    },
    delete: async (_: ResourceType, uid: string, _signal: AbortSignal, before: MonotonicTime | undefined) => {
      call("delete");
      sendBefore.push(before);
      find(uid);
      groups.delete(uid);
    },
  } as unknown as PlatformApi;
  const { signal } = new AbortController();
  const session = new PlatformSession({
    api: new GovernedApi(api, { probedGroup: root, clock, random: () => 0.5, signal }),
    identity,
    roots: [root],
    credentialEpoch: () => state.epoch,
    collections,
    posts,
    ...(ownerCheck === undefined ? {} : { owner: ownerCheck }),
    clock,
    signal,
    canWrite: () => state.canWrite,
  });
  const lists = (collection = "groups") =>
    calls.filter((one) => one.startsWith(`list ${collection} `) && !one.includes("{"));
  return { session, clock, calls, sendBefore, groups, failing, state, lists };
}

const anything = { startedAfter: 0, stable: false };
const problemOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => (error instanceof PlatformFailure ? error.problem : error),
  );

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

it("reads permissions once per token", async () => {
  const { session, state, calls } = world();
  await Promise.all([session.refreshPermissions(), session.refreshPermissions()]);
  await session.refreshPermissions();
  expect(calls.filter((one) => one.startsWith("list roles"))).toHaveLength(1);
  let notified = 0;
  session.onPermissionsChanged(() => (notified += 1));
  state.epoch = 2;
  await session.refreshPermissions();
  await session.refreshPermissions();
  expect(calls.filter((one) => one.startsWith("list roles"))).toHaveLength(2);
  expect(notified).toBe(1);
});

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
    expect([session.createdRecently(made), session.createdRecently(group)]).toEqual([true, false]);
    await clock.advance(60_000);
    expect(session.createdRecently(made)).toBe(false);
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

it("calls listeners before the callers that wait for the list continue", async () => {
  const { session } = world();
  const order: string[] = [];
  session.onSnapshot((collection, changed) => order.push(`${collection.name} ${changed.length}`));
  await session.ensureSnapshot(groupCollection, root, anything).then(() => order.push("waiter"));
  expect(order).toEqual(["groups 2", "waiter"]);
});

describe("readGrants", () => {
  it("fails if the permission to list role bindings was lost since it was read", async () => {
    const bindings = {
      ...roleBindings,
      listCapability: "CAP_IAM_ROLE_BINDINGS_LIST",
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

/** The operator's credential, with the check of its owner, on a platform that is away. */
function operatorAway() {
  const platform = { isAway: true };
  const api = {
    get: async () => {
      if (platform.isAway) throw lost();
      return { uid: identity, description: withRecordedOwner("", "cluster") };
    },
  } as unknown as PlatformApi;
  const { signal } = new AbortController();
  const clock = new ManualClock();
  const operator = new GovernedApi(api, { probedGroup: root, clock, random: () => 0, signal });
  const ownerCheck = new OwnerCheck({ api: operator, identity, owner: "cluster", clock, signal });
  return { platform, clock, signal, operator, ownerCheck };
}

it("recovers when the operator's credential does, which the check of the owner needs for every write", async () => {
  const { platform, clock, ownerCheck } = operatorAway();
  const { session } = world({ ownerCheck });
  let recoveries = 0;
  session.onRecovery(() => (recoveries += 1));
  const write = () => problemOf(session.update(groupCollection, group, { name: "new" }, ["name"]));
  for (let call = 0; call < 3; call += 1) await write();
  await clock.advance(0);
  expect(await write()).toMatchObject({ kind: "suspended" });
  expect([session.outage, session.recoveries, recoveries]).toEqual([undefined, 0, 0]);
  platform.isAway = false;
  await clock.advance(3_000);
  expect([session.recoveries, recoveries]).toEqual([1, 1]);
  expect(await write()).toBeUndefined();
});

it("counts the recovery of the operator's own credential once", async () => {
  const { platform, clock, signal, operator, ownerCheck } = operatorAway();
  const session = new PlatformSession({
    api: operator,
    identity,
    roots: [root],
    credentialEpoch: () => 1,
    collections: [groupCollection],
    posts: new PostLedger(1_000),
    owner: ownerCheck,
    clock,
    signal,
    canWrite: () => true,
  });
  let recoveries = 0;
  session.onRecovery(() => (recoveries += 1));
  for (let call = 0; call < 4; call += 1) await session.read(groupCollection, group).catch(() => undefined);
  await clock.advance(0);
  expect(session.outage).toBeDefined();
  platform.isAway = false;
  await session.read(groupCollection, group).catch(() => undefined);
  await clock.advance(3_000);
  expect([session.outage, session.recoveries, recoveries]).toEqual([undefined, 1, 1]);
});
