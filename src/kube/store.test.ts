import { beforeEach, describe, expect, expectTypeOf, test } from "vitest";
import type { KubeObject } from "./object.ts";
import { type ChangeSource, Store } from "./store.ts";

interface Widget extends KubeObject {
  readonly spec?: { readonly colour: string };
}

interface Fields {
  uid?: string;
  namespace?: string;
  colour?: string;
  finalizers?: string[];
  deleting?: boolean;
}

function widget(name: string, version: number, fields: Fields = {}): Widget {
  const { uid = `uid-${name}`, namespace = "ns", colour = "red", finalizers, deleting } = fields;
  return {
    apiVersion: "v1",
    kind: "Widget",
    metadata: {
      name,
      namespace,
      uid,
      resourceVersion: String(version),
      ...(finalizers === undefined ? {} : { finalizers }),
      ...(deleting === true ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {}),
    },
    spec: { colour },
  };
}

let store: Store<Widget, "colour">;
let changes: [string | undefined, string | undefined, ChangeSource][];

beforeEach(() => {
  store = new Store({ indexes: { colour: ({ spec }: Widget) => (spec === undefined ? [] : [spec.colour]) } });
  changes = [];
  const describeVersion = (object: Widget | undefined) =>
    object === undefined ? undefined : `${object.metadata.name}@${object.metadata.resourceVersion}`;
  store.onChange((before, after, source) => changes.push([describeVersion(before), describeVersion(after), source]));
});

function list(
  objects: KubeObject[],
  version: number,
  namespace?: string,
  versionAtStart: string = store.versionOf(namespace),
): void {
  store.replace({ namespace, objects, resourceVersion: String(version), versionAtStart });
}

describe("list", () => {
  test("is applied as a whole: listeners see nothing of the old state", () => {
    list([widget("a", 1), widget("b", 2)], 5);
    const sizes: number[] = [];
    store.onChange(() => sizes.push(store.size));
    list([widget("c", 6), widget("d", 7)], 8);
    expect([...store.keys()]).toEqual(["ns/c", "ns/d"]);
    expect(sizes).toEqual([2, 2, 2, 2]);
  });

  test("reports new, changed and missing objects, and not unchanged ones", () => {
    list([widget("a", 1), widget("b", 2), widget("c", 3)], 5);
    changes = [];
    list([widget("a", 1), widget("b", 6)], 7);
    expect(changes).toEqual([
      ["b@2", "b@6", "list"],
      ["c@3", undefined, "list"],
    ]);
  });

  test("reports a re-created object as one that is gone and one that is new", () => {
    list([widget("a", 1)], 1);
    changes = [];
    list([widget("a", 5, { uid: "other" })], 6);
    expect(changes).toEqual([
      ["a@1", undefined, "list"],
      [undefined, "a@5", "list"],
    ]);
  });

  test("of one namespace does not affect other namespaces", () => {
    list([widget("a", 1, { namespace: "one" })], 2, "one");
    list([widget("b", 1, { namespace: "two" })], 2, "two");
    list([], 3, "one");
    expect([...store.keys()]).toEqual(["two/b"]);
  });

  test("neither reverts nor removes objects that are newer than the list", () => {
    list([widget("a", 1), widget("b", 2)], 5);
    const versionAtStart = store.versionOf(undefined);
    store.observeOwnWrite(widget("a", 9));
    store.apply({ type: "ADDED", object: widget("c", 8) });
    changes = [];
    list([widget("a", 6), widget("b", 2)], 7, undefined, versionAtStart);
    expect(changes).toEqual([]);
    expect(store.get("ns/a")?.metadata.resourceVersion).toBe("9");
    expect(store.get("ns/c")).toBeDefined();
  });

  test("is applied as it is if it is older than what was seen before it started: the history went backwards", () => {
    list([widget("a", 100), widget("b", 101)], 110);
    changes = [];
    list([widget("a", 50)], 60);
    expect(changes).toEqual([
      ["a@100", "a@50", "list"],
      ["b@101", undefined, "list"],
    ]);
    expect(store.versionOf(undefined)).toBe("60");
  });

  test("detects a history that went backwards separately for each namespace", () => {
    list([widget("a", 100, { namespace: "one" })], 110, "one");
    list([widget("b", 100, { namespace: "two" })], 110, "two");
    list([widget("a", 50, { namespace: "one" })], 60, "one");
    list([widget("b", 50, { namespace: "two" })], 61, "two");
    expect(store.get("two/b")?.metadata.resourceVersion).toBe("50");
  });
});

describe("watch", () => {
  test("events change the store and are reported", () => {
    list([widget("a", 1)], 1);
    changes = [];
    store.apply({ type: "MODIFIED", object: widget("a", 2) });
    store.apply({ type: "ADDED", object: widget("b", 3) });
    store.apply({ type: "DELETED", object: widget("a", 4) });
    expect(changes).toEqual([
      ["a@1", "a@2", "watch"],
      [undefined, "b@3", "watch"],
      ["a@2", undefined, "watch"],
    ]);
    expect(store.versionOf(undefined)).toBe("4");
  });

  test("an older or repeated event changes nothing", () => {
    list([widget("a", 9)], 10);
    changes = [];
    store.apply({ type: "MODIFIED", object: widget("a", 9) });
    store.apply({ type: "MODIFIED", object: widget("a", 8) });
    expect(changes).toEqual([]);
  });

  test("version 10 is newer than version 9", () => {
    list([widget("a", 9)], 9);
    store.apply({ type: "MODIFIED", object: widget("a", 10) });
    expect(store.get("ns/a")?.metadata.resourceVersion).toBe("10");
  });

  test("the deletion of an earlier object does not remove the one that was re-created under its name", () => {
    list([widget("a", 5, { uid: "new" })], 6);
    store.apply({ type: "DELETED", object: widget("a", 4, { uid: "old" }) });
    expect(store.get("ns/a")?.metadata.uid).toBe("new");
  });

  test("a re-created object is two changes if the deletion of the earlier one was missed", () => {
    list([widget("a", 5, { uid: "old" })], 6);
    changes = [];
    store.apply({ type: "ADDED", object: widget("a", 9, { uid: "new" }) });
    expect(changes).toEqual([
      ["a@5", undefined, "watch"],
      [undefined, "a@9", "watch"],
    ]);
  });
});

describe("own writes", () => {
  test("are visible at once, are reported, and are not reverted by older events", () => {
    list([widget("a", 1)], 1);
    changes = [];
    expect(store.observeOwnWrite(widget("a", 5, { colour: "blue" }))?.spec?.colour).toBe("blue");
    store.apply({ type: "MODIFIED", object: widget("a", 3) });
    store.apply({ type: "MODIFIED", object: widget("a", 5, { colour: "blue" }) });
    expect(changes).toEqual([["a@1", "a@5", "ownWrite"]]);
    expect(store.get("ns/a")?.spec?.colour).toBe("blue");
  });

  test("a response that arrives after a newer event is ignored", () => {
    list([widget("a", 1)], 1);
    store.apply({ type: "MODIFIED", object: widget("a", 7) });
    expect(store.observeOwnWrite(widget("a", 5))?.metadata.resourceVersion).toBe("7");
  });

  test("a response that arrives after the deletion does not bring the object back", () => {
    list([widget("a", 1)], 1);
    store.apply({ type: "DELETED", object: widget("a", 7) });
    expect(store.observeOwnWrite(widget("a", 5))).toBeUndefined();
    expect(store.size).toBe(0);
  });

  test("a response for an earlier object does not change the one that was re-created under its name", () => {
    list([widget("a", 1, { uid: "new" })], 1);
    expect(store.observeOwnWrite(widget("a", 5, { uid: "old" }))?.metadata.uid).toBe("new");
  });

  describe("that remove the last finalizer", () => {
    beforeEach(() => {
      list([widget("a", 5, { deleting: true, finalizers: ["f"] })], 5);
      changes = [];
      store.observeOwnWrite(widget("a", 5, { deleting: true }));
    });

    test("remove the object at once, although its version is the same", () => {
      expect(store.get("ns/a")).toBeUndefined();
      expect(changes).toEqual([["a@5", undefined, "ownWrite"]]);
    });

    test("are not reverted by late events or an older list", () => {
      store.apply({ type: "MODIFIED", object: widget("a", 4, { deleting: true, finalizers: ["f"] }) });
      list([widget("a", 5, { deleting: true, finalizers: ["f"] })], 6);
      store.apply({ type: "DELETED", object: widget("a", 7, { deleting: true }) });
      expect(store.get("ns/a")).toBeUndefined();
      expect(changes).toHaveLength(1);
    });

    test("do not affect an object that is re-created under the name", () => {
      store.apply({ type: "DELETED", object: widget("a", 7, { deleting: true }) });
      store.apply({ type: "ADDED", object: widget("a", 8, { uid: "new" }) });
      expect(store.get("ns/a")?.metadata.uid).toBe("new");
    });

    test("are confirmed by a list without the object; a later list from a restored backup brings it back", () => {
      list([], 8);
      list([widget("a", 3)], 4);
      expect(store.get("ns/a")?.metadata.resourceVersion).toBe("3");
    });
  });

  test("removing one of several finalizers keeps the object", () => {
    list([widget("a", 5, { deleting: true, finalizers: ["f", "g"] })], 5);
    store.observeOwnWrite(widget("a", 6, { deleting: true, finalizers: ["g"] }));
    expect(store.get("ns/a")?.metadata.finalizers).toEqual(["g"]);
  });
});

describe("indexes", () => {
  test("are updated by every change", () => {
    const names = (colour: string) =>
      store
        .index("colour", colour)
        .map(({ metadata }) => metadata.name)
        .toSorted();
    list([widget("a", 1), widget("b", 2), widget("c", 3, { colour: "blue" })], 5);
    expect(names("red")).toEqual(["a", "b"]);
    store.apply({ type: "MODIFIED", object: widget("a", 6, { colour: "blue" }) });
    expect([names("red"), names("blue")]).toEqual([["b"], ["a", "c"]]);
    store.apply({ type: "DELETED", object: widget("c", 7) });
    expect(names("blue")).toEqual(["a"]);
    list([widget("b", 8, { colour: "blue" })], 9);
    expect([names("red"), names("blue")]).toEqual([[], ["b"]]);
    expect(store.index("colour", "blue")[0]).toBe(store.get("ns/b"));
  });

  test("an unknown name is a compile error", () => {
    expectTypeOf<Store<Widget, "colour">["index"]>().parameter(0).toEqualTypeOf<"colour">();
    expectTypeOf<Store<Widget>["index"]>().parameter(0).toEqualTypeOf<never>();
  });
});

describe("the tally", () => {
  const counts = ({ tally }: Store<Widget>) =>
    Object.fromEntries(Array.from(tally, ([group, values]) => [group, Object.fromEntries(values)]));
  let tallied: Store<Widget>;
  let seen: unknown[];

  beforeEach(() => {
    tallied = new Store({
      indexes: {},
      tally: ({ metadata: { namespace = "" }, spec }: Widget) => [namespace, spec?.colour ?? ""],
    });
    const objects = [widget("a", 1), widget("b", 2), widget("c", 3, { colour: "blue" })];
    const elsewhere = widget("a", 4, { namespace: "other" });
    tallied.replace({
      namespace: undefined,
      objects: [...objects, elsewhere],
      resourceVersion: "5",
      versionAtStart: "0",
    });
    seen = [];
    tallied.onChange(() => seen.push(counts(tallied)));
  });

  test("counts the objects of a list by group and value", () => {
    expect(counts(tallied)).toEqual({ ns: { red: 2, blue: 1 }, other: { red: 1 } });
  });

  test.each<[string, Parameters<Store<Widget>["apply"]>[0], object]>([
    ["a new object", { type: "ADDED", object: widget("d", 6) }, { ns: { red: 3, blue: 1 }, other: { red: 1 } }],
    [
      "another value",
      { type: "MODIFIED", object: widget("a", 6, { colour: "blue" }) },
      { ns: { red: 1, blue: 2 }, other: { red: 1 } },
    ],
    [
      "the last object with a value",
      { type: "MODIFIED", object: widget("c", 6, { colour: "green" }) },
      { ns: { red: 2, green: 1 }, other: { red: 1 } },
    ],
    ["the same value", { type: "MODIFIED", object: widget("a", 6) }, { ns: { red: 2, blue: 1 }, other: { red: 1 } }],
    [
      "an object that was re-created",
      { type: "ADDED", object: widget("a", 6, { uid: "new", colour: "blue" }) },
      { ns: { red: 1, blue: 2 }, other: { red: 1 } },
    ],
    [
      "the last object of a group that is gone",
      { type: "DELETED", object: widget("a", 6, { namespace: "other" }) },
      { ns: { red: 2, blue: 1 } },
    ],
  ])("has changed before listeners learn of %s", (_, event, expected) => {
    tallied.apply(event);
    expect(counts(tallied)).toEqual(expected);
    expect(new Set(seen.map((one) => JSON.stringify(one)))).toEqual(new Set([JSON.stringify(expected)]));
  });

  test("follows our own writes, and lists that lack objects", () => {
    tallied.observeOwnWrite(widget("b", 6, { colour: "blue" }));
    tallied.observeOwnWrite(widget("a", 6, { deleting: true, finalizers: [] }));
    expect(counts(tallied)).toEqual({ ns: { blue: 2 }, other: { red: 1 } });
    tallied.replace({ namespace: "ns", objects: [], resourceVersion: "9", versionAtStart: "0" });
    expect(counts(tallied)).toEqual({ other: { red: 1 } });
  });

  test("is empty if nothing is to be counted", () => {
    list([widget("a", 1)], 1);
    expect(store.tally.size).toBe(0);
  });
});

describe("synced", () => {
  test("is true once every scope has been listed", () => {
    expect(store.synced).toBe(false);
    store.addScope("one");
    store.addScope("two");
    let synced = 0;
    store.onSynced(() => (synced += 1));
    list([], 1, "one");
    expect([store.synced, synced]).toEqual([false, 0]);
    list([], 1, "two");
    list([], 2, "two");
    expect([store.synced, synced]).toEqual([true, 1]);
    store.onSynced(() => (synced += 1));
    expect(synced).toBe(2);
  });

  test("is reported after the changes of the list", () => {
    store.addScope(undefined);
    const seen: unknown[] = [];
    store.onSynced(() => seen.push(changes.length));
    list([widget("a", 1)], 1);
    expect(seen).toEqual([1]);
  });
});

describe("a list in pages", () => {
  const parsed: string[] = [];
  const parsing = new Store<KubeObject>({
    parse: (object) => {
      parsed.push(object.metadata.name);
      return object;
    },
    indexes: {},
  });
  const seen: (string | undefined)[] = [];
  parsing.onChange((before, after) => seen.push(after?.metadata.name ?? `no ${before?.metadata.name}`));
  parsing.replace({ namespace: undefined, objects: [widget("a", 1)], resourceVersion: "1", versionAtStart: "0" });

  test("parses each page as it arrives, and changes nothing before its end", async () => {
    const writer = parsing.startList(undefined);
    writer.add([widget("b", 2)], "9");
    expect([parsed, seen, [...parsing.keys()]]).toEqual([["a", "b"], ["a"], ["ns/a"]]);
    writer.add([widget("c", 3)], "9");
    await writer.end();
    expect([parsed, seen]).toEqual([
      ["a", "b", "c"],
      ["a", "b", "c", "no a"],
    ]);
    expect(parsing.versionOf(undefined)).toBe("9");
  });

  test("keeps what was written between its pages, and its end", async () => {
    const writer = parsing.startList(undefined);
    writer.add([widget("b", 10), widget("c", 3)], "12");
    parsing.observeOwnWrite(widget("b", 11));
    await writer.end();
    expect(parsing.get("ns/b")?.metadata.resourceVersion).toBe("11");
    expect([...parsing.keys()]).toEqual(["ns/b", "ns/c"]);
  });

  test("is applied at once, while its listeners let others have turns before it is synced", async () => {
    const many = new Store<KubeObject>({ indexes: {} });
    many.addScope(undefined);
    const [calls, order]: [number[], string[]] = [[], []];
    many.onChange(() => calls.push(many.size));
    many.onSynced(() => order.push("synced"));
    const writer = many.startList(undefined);
    writer.add(
      Array.from({ length: 1_000 }, (_, index) => widget(`w${index}`, 1)),
      "9",
    );
    const ended = writer.end();
    expect([many.size, many.synced]).toEqual([1_000, false]);
    setImmediate(() => order.push("another turn"));
    await ended;
    expect(calls).toEqual(Array.from({ length: 1_000 }, () => 1_000));
    expect(order).toEqual(["another turn", "synced"]);
  });

  test("that fails between its pages changes nothing", () => {
    parsing.startList(undefined).add([widget("d", 20)], "20");
    expect([...parsing.keys()]).toEqual(["ns/b", "ns/c"]);
  });
});

describe("errors", () => {
  test("an object that cannot be stored fails its list, which is applied otherwise; the store is not synced by it", () => {
    let broken = true;
    const parsing = new Store<KubeObject>({
      parse: (object) => {
        if (broken && object.metadata.name === "a") throw new Error("broken parser");
        return object;
      },
      indexes: {},
    });
    const seen: (string | undefined)[] = [];
    parsing.onChange((_, after) => seen.push(after?.metadata.name));
    const all = { namespace: undefined, objects: [widget("a", 1), widget("b", 2)], resourceVersion: "5" };
    expect(() => parsing.replace({ ...all, versionAtStart: "0" })).toThrow("broken parser");
    expect([parsing.synced, seen]).toEqual([false, ["b"]]);
    broken = false;
    parsing.replace({ ...all, versionAtStart: "5" });
    expect([parsing.synced, seen]).toEqual([true, ["b", "a"]]);
  });

  test("a listener that throws keeps no change from the other listeners", () => {
    const seen: (string | undefined)[] = [];
    const failing = new Store<Widget>({ indexes: {} });
    failing.onChange(() => {
      throw new Error("broken listener");
    });
    failing.onChange((_, after) => seen.push(after?.metadata.name));
    const objects = [widget("a", 1), widget("b", 2)];
    expect(() => failing.replace({ namespace: undefined, objects, resourceVersion: "5", versionAtStart: "0" })).toThrow(
      "broken listener",
    );
    expect(seen).toEqual(["a", "b"]);
    expect(failing.synced).toBe(true);
  });
});

test("objects are deeply frozen and have no managedFields", () => {
  const arrived = { ...widget("a", 1), metadata: { ...widget("a", 1).metadata, managedFields: [{}] } };
  list([arrived], 1);
  const cached = store.get("ns/a");
  expect(cached?.metadata).not.toHaveProperty("managedFields");
  expect(() => Object.assign(cached?.spec ?? {}, { colour: "green" })).toThrow(TypeError);
  expect(() => Object.assign(cached?.metadata ?? {}, { name: "b" })).toThrow(TypeError);
});

test("stores what parse returns, for valid and for invalid objects", () => {
  const parsed = new Store<Widget & { invalid?: string }>({
    parse: (object) => ("spec" in object ? (object as Widget) : { ...object, invalid: "spec is missing" }),
    indexes: {},
  });
  const { spec: _, ...broken } = widget("a", 1);
  parsed.replace({
    namespace: undefined,
    objects: [broken, widget("b", 1)],
    resourceVersion: "1",
    versionAtStart: "0",
  });
  expect(parsed.get("ns/a")?.invalid).toBe("spec is missing");
  expect(parsed.get("ns/b")?.invalid).toBeUndefined();
});

test("an unsubscribed listener is not called", () => {
  const calls: unknown[] = [];
  const unsubscribe = store.onChange((...change) => calls.push(change));
  unsubscribe();
  list([widget("a", 1)], 1);
  expect(calls).toEqual([]);
});

test("a key never goes back to an older version, in any order of events and responses", () => {
  let seed = 3;
  const random = (below: number) => {
    seed = (seed * 1103515245 + 12345) % 2 ** 31;
    return seed % below;
  };
  for (let round = 0; round < 500; round++) {
    const one = new Store<Widget>({ indexes: {} });
    one.replace({ namespace: undefined, objects: [widget("a", 1)], resourceVersion: "1", versionAtStart: "0" });
    let highest = 1;
    const pending = Array.from({ length: 10 }, (_, index) => index + 2);
    while (pending.length > 0) {
      const [version = 0] = pending.splice(random(pending.length), 1);
      if (random(2) === 0) one.observeOwnWrite(widget("a", version));
      else one.apply({ type: "MODIFIED", object: widget("a", version) });
      highest = Math.max(highest, version);
      expect(one.get("ns/a")?.metadata.resourceVersion).toBe(String(highest));
    }
  }
});

test("parse gets the cached state of the same object, not of another object or another history", () => {
  const given: (string | undefined)[] = [];
  const parsing = new Store<KubeObject>({
    parse: (arrived, before) => {
      given.push(before?.metadata.resourceVersion);
      return arrived;
    },
    indexes: {},
  });
  const of = (uid: string, resourceVersion: string): KubeObject => ({
    apiVersion: "v1",
    kind: "Widget",
    metadata: { name: "a", namespace: "ns", uid, resourceVersion, generation: 1 },
  });
  const relist = (uid: string, resourceVersion: string, versionAtStart: string) =>
    parsing.replace({ namespace: "ns", objects: [of(uid, resourceVersion)], resourceVersion, versionAtStart });
  relist("one", "10", "0");
  parsing.apply({ type: "MODIFIED", object: of("one", "11") });
  parsing.observeOwnWrite(of("one", "12"));
  parsing.apply({ type: "MODIFIED", object: of("two", "13") });
  relist("two", "5", "13");
  expect(given).toEqual([undefined, "10", "11", undefined, undefined]);
});
