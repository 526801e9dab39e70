import { describe, expect, it } from "vitest";
import { CollectionView } from "./collection-view.ts";
import { childUids, singletonUids } from "./uid.ts";

interface Resource {
  readonly uid: string;
  readonly name: string;
  readonly key?: string;
}
const root = "a".repeat(40);
const group = `${root}/1111111111111111`;
const a = `${group}/aaaaaaaaaaaaaaaa`;
const b = `${group}/bbbbbbbbbbbbbbbb`;
const below = { descendantsOf: root } as const;
const resource = (uid: string, name = "n", key = "k"): Resource => ({ uid, name, key });
const emptyView = () =>
  new CollectionView<Resource>({ uids: childUids, naturalKeyOf: ({ key }) => key, nameOf: ({ name }) => name });

it("knows what is directly in a group", () => {
  const view = emptyView();
  view.recordSnapshot(below, [resource(group), resource(a), resource(b)], 1, true);
  view.recordGone(b, 2);
  expect([view.childrenOf(root), view.childrenOf(group)].map((one) => one.map(({ uid }) => uid))).toEqual([
    [group],
    [a],
  ]);
});

describe("the state of a uid", () => {
  it.each<[string, (view: CollectionView<Resource>) => void, string]>([
    ["unknown before any read", () => undefined, "unknown"],
    ["present after a GET", (view) => view.record(resource(a), 1), "present"],
    ["present after a snapshot with it", (view) => view.recordSnapshot(below, [resource(a)], 1, true), "present"],
    ["stale after a snapshot of the subtree without it", (view) => view.recordSnapshot(below, [], 1, true), "stale"],
    [
      "stale after a snapshot of its siblings without it",
      (view) => view.recordSnapshot({ childrenOf: group }, [], 1, true),
      "stale",
    ],
    [
      "unknown after a snapshot of another scope",
      (view) => view.recordSnapshot({ childrenOf: root }, [], 1, true),
      "unknown",
    ],
    ["gone after its deletion or a proof of absence", (view) => view.recordGone(a, 1), "gone"],
    [
      "stale after a write with an unknown outcome",
      (view) => {
        view.record(resource(a), 1);
        view.recordStale(a);
      },
      "stale",
    ],
    [
      "present after a write with an unknown outcome and a GET",
      (view) => {
        view.record(resource(a), 1);
        view.recordStale(a);
        view.record(resource(a), 2);
      },
      "present",
    ],
    [
      "stale after a later snapshot without it",
      (view) => {
        view.record(resource(a), 1);
        view.recordSnapshot(below, [], 2, true);
      },
      "stale",
    ],
    [
      "gone after a proof of absence and a snapshot without it",
      (view) => {
        view.recordGone(a, 1);
        view.recordSnapshot(below, [], 2, true);
      },
      "gone",
    ],
    [
      "present after a proof of absence and a later snapshot with it",
      (view) => {
        view.recordGone(a, 1);
        view.recordSnapshot(below, [resource(a)], 2, true);
      },
      "present",
    ],
  ])("%s", (_, happens, is) => {
    const view = emptyView();
    happens(view);
    expect(view.stateOf(a).is).toBe(is);
  });
});

it("is stale while a DELETE is under way, whatever a read shows meanwhile", () => {
  const view = emptyView();
  view.record(resource(a), 1);
  const end = view.beginDeletion(a);
  view.record(resource(a), 2);
  view.recordSnapshot(below, [resource(a)], 3, true);
  expect(view.stateOf(a).is).toBe("stale");
  end();
  expect(view.stateOf(a).is).toBe("present");
});

describe("ignores snapshots that started before our own last write to a uid", () => {
  it("keeps a created resource present", () => {
    const view = emptyView();
    view.record(resource(a), 5);
    expect(view.recordSnapshot(below, [], 4, true)).toEqual([]);
    expect(view.stateOf(a).is).toBe("present");
  });

  it("keeps the updated fields", () => {
    const view = emptyView();
    view.record(resource(a, "new"), 5);
    expect(view.recordSnapshot(below, [resource(a, "old")], 4, true)).toEqual([]);
    expect(view.stateOf(a)).toMatchObject({ resource: { name: "new" } });
  });

  it("keeps a deleted resource gone", () => {
    const view = emptyView();
    view.recordGone(a, 5);
    expect(view.recordSnapshot(below, [resource(a)], 4, true)).toEqual([]);
    expect(view.stateOf(a).is).toBe("gone");
  });
});

it("ignores a GET that started before our own last write to a uid", () => {
  const view = emptyView();
  view.record(resource(a, "new"), 5);
  view.record(resource(a, "old"), 4);
  expect(view.stateOf(a)).toMatchObject({ resource: { name: "new" } });
});

it("returns the uids that appeared, changed or disappeared", () => {
  const view = emptyView();
  expect(view.recordSnapshot(below, [resource(a), resource(b)], 1, true)).toEqual([a, b]);
  expect(view.recordSnapshot(below, [resource(a), resource(b)], 2, true)).toEqual([]);
  expect(view.recordSnapshot(below, [resource(a, "other")], 3, true)).toEqual([a, b]);
});

it("keeps the resources of other groups after a snapshot of one group", () => {
  const view = emptyView();
  const elsewhere = `${root}/2222222222222222`;
  view.recordSnapshot(below, [resource(a), resource(elsewhere)], 1, true);
  expect(view.recordSnapshot({ childrenOf: group }, [], 2, true)).toEqual([a]);
  expect(view.stateOf(elsewhere).is).toBe("present");
});

describe("finds resources", () => {
  it("by name below a parent, and by natural key anywhere, ordered by uid", () => {
    const view = emptyView();
    view.recordSnapshot(
      below,
      [resource(b, "x", "k"), resource(a, "x", "k"), resource(`${root}/3333333333333333`, "x", "other")],
      1,
      true,
    );
    expect(
      view
        .named(group, "x")
        .map(({ uid }) => uid)
        .toSorted(),
    ).toEqual([a, b]);
    expect(view.withKey("k").map(({ uid }) => uid)).toEqual([a, b]);
  });

  it("not by a former name or natural key", () => {
    const view = emptyView();
    view.record(resource(a, "old", "k1"), 1);
    view.record(resource(a, "new", "k2"), 2);
    expect([view.named(group, "old"), view.withKey("k1")]).toEqual([[], []]);
    view.recordGone(a, 3);
    expect([view.named(group, "new"), view.withKey("k2"), view.size]).toEqual([[], [], 0]);
  });
});

it("returns the latest snapshot that covers all children of a group", () => {
  const view = emptyView();
  expect(view.snapshotOf(group)).toBeUndefined();
  view.recordSnapshot({ childrenOf: group }, [], 1, true);
  view.recordSnapshot(below, [], 2, false);
  expect(view.snapshotOf(group)).toEqual({ startedAt: 2, stable: false });
  view.recordSnapshot({ childrenOf: group }, [], 3, true);
  expect(view.snapshotOf(group)).toEqual({ startedAt: 3, stable: true });
  expect(view.snapshotOf(root)).toEqual({ startedAt: 2, stable: false });
});

it("takes the group of a resource from the uid scheme of its collection", () => {
  const view = new CollectionView<Resource>({
    uids: singletonUids,
    naturalKeyOf: ({ key }) => key,
    nameOf: ({ name }) => name,
  });
  view.record(resource(group), 1);
  expect(view.childrenOf(group)).toEqual([resource(group)]);
  expect(view.named(group, "")).toEqual([resource(group)]);
  expect(view.recordSnapshot({ descendantsOf: group }, [], 2, true)).toEqual([group]);
  expect(view.stateOf(group).is).toBe("stale");
});
