import { describe, expect, it } from "vitest";
import { CollectionView } from "./collection-view.ts";

interface Row {
  readonly uid: string;
  readonly name: string;
  readonly key?: string;
}
const root = "a".repeat(40);
const group = `${root}/1111111111111111`;
const a = `${group}/aaaaaaaaaaaaaaaa`;
const b = `${group}/bbbbbbbbbbbbbbbb`;
const below = { descendantsOf: root } as const;
const row = (uid: string, name = "n", key = "k"): Row => ({ uid, name, key });
const viewed = () => new CollectionView<Row>({ naturalKey: ({ key }) => key, name: ({ name }) => name });

describe("knowledge of a uid", () => {
  it.each<[string, (view: CollectionView<Row>) => void, string]>([
    ["nothing was read", () => undefined, "unknown"],
    ["it was read", (view) => view.recordRow(row(a), 1), "present"],
    ["a list had it", (view) => view.recordSnapshot(below, [row(a)], 1, true), "present"],
    ["a list of all above lacked it: a hint", (view) => view.recordSnapshot(below, [], 1, true), "stale"],
    ["a list of its siblings lacked it", (view) => view.recordSnapshot({ childrenOf: group }, [], 1, true), "stale"],
    [
      "a list of elsewhere says nothing of it",
      (view) => view.recordSnapshot({ childrenOf: root }, [], 1, true),
      "unknown",
    ],
    ["it was deleted or its absence proven", (view) => view.recordGone(a, 1), "gone"],
    [
      "a write to it had an unknown outcome",
      (view) => {
        view.recordRow(row(a), 1);
        view.recordStale(a);
      },
      "stale",
    ],
    [
      "and then it was read",
      (view) => {
        view.recordRow(row(a), 1);
        view.recordStale(a);
        view.recordRow(row(a), 2);
      },
      "present",
    ],
    [
      "it was there, and a later list lacks it",
      (view) => {
        view.recordRow(row(a), 1);
        view.recordSnapshot(below, [], 2, true);
      },
      "stale",
    ],
    [
      "its absence was proven before a list that lacks it, too",
      (view) => {
        view.recordGone(a, 1);
        view.recordSnapshot(below, [], 2, true);
      },
      "gone",
    ],
    [
      "its absence was proven before a list that has it",
      (view) => {
        view.recordGone(a, 1);
        view.recordSnapshot(below, [row(a)], 2, true);
      },
      "present",
    ],
  ])("%s", (_, happens, is) => {
    const view = viewed();
    happens(view);
    expect(view.know(a).is).toBe(is);
  });
});

describe("rows read before our own last write to their uid are ignored", () => {
  it("a list begun before a creation does not undo it", () => {
    const view = viewed();
    view.recordRow(row(a), 5);
    expect(view.recordSnapshot(below, [], 4, true)).toEqual([]);
    expect(view.know(a).is).toBe("present");
  });

  it("a list begun before an update does not undo it", () => {
    const view = viewed();
    view.recordRow(row(a, "new"), 5);
    expect(view.recordSnapshot(below, [row(a, "old")], 4, true)).toEqual([]);
    expect(view.know(a)).toMatchObject({ row: { name: "new" } });
  });

  it("a list begun before a deletion does not undo it", () => {
    const view = viewed();
    view.recordGone(a, 5);
    expect(view.recordSnapshot(below, [row(a)], 4, true)).toEqual([]);
    expect(view.know(a).is).toBe("gone");
  });
});

it("a list tells what came, changed or went missing", () => {
  const view = viewed();
  expect(view.recordSnapshot(below, [row(a), row(b)], 1, true)).toEqual([a, b]);
  expect(view.recordSnapshot(below, [row(a), row(b)], 2, true)).toEqual([]);
  expect(view.recordSnapshot(below, [row(a, "other")], 3, true)).toEqual([a, b]);
});

it("a list of one group says nothing of what lies in another", () => {
  const view = viewed();
  const elsewhere = `${root}/2222222222222222`;
  view.recordSnapshot(below, [row(a), row(elsewhere)], 1, true);
  expect(view.recordSnapshot({ childrenOf: group }, [], 2, true)).toEqual([a]);
  expect(view.know(elsewhere).is).toBe("present");
});

describe("rows are found", () => {
  it("by name below a parent, and by key anywhere, in the order of their uids", () => {
    const view = viewed();
    view.recordSnapshot(
      below,
      [row(b, "x", "k"), row(a, "x", "k"), row(`${root}/3333333333333333`, "x", "other")],
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

  it("no more under what they were called before", () => {
    const view = viewed();
    view.recordRow(row(a, "old", "k1"), 1);
    view.recordRow(row(a, "new", "k2"), 2);
    expect([view.named(group, "old"), view.withKey("k1")]).toEqual([[], []]);
    view.recordGone(a, 3);
    expect([view.named(group, "new"), view.withKey("k2"), view.size]).toEqual([[], [], 0]);
  });
});

it("of the lists that held all children of a group, the latest counts", () => {
  const view = viewed();
  expect(view.snapshotOf(group)).toBeUndefined();
  view.recordSnapshot({ childrenOf: group }, [], 1, true);
  view.recordSnapshot(below, [], 2, false);
  expect(view.snapshotOf(group)).toEqual({ startedAt: 2, stable: false });
  view.recordSnapshot({ childrenOf: group }, [], 3, true);
  expect(view.snapshotOf(group)).toEqual({ startedAt: 3, stable: true });
  expect(view.snapshotOf(root)).toEqual({ startedAt: 2, stable: false });
});
