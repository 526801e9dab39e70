import { beforeEach, describe, expect, test } from "vitest";
import type { KubeObject } from "./object.ts";
import { type ChangeSource, Store } from "./store.ts";

interface Thing extends KubeObject {
  readonly spec?: { readonly colour: string };
}

interface Fields {
  uid?: string;
  namespace?: string;
  colour?: string;
  finalizers?: string[];
  deleting?: boolean;
}

function thing(name: string, version: number, fields: Fields = {}): Thing {
  const { uid = `uid-${name}`, namespace = "ns", colour = "red", finalizers, deleting } = fields;
  return {
    apiVersion: "v1",
    kind: "Thing",
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

let store: Store<Thing>;
let told: [string | undefined, string | undefined, ChangeSource][];

beforeEach(() => {
  store = new Store<Thing>({ indexes: { colour: ({ spec }) => (spec === undefined ? [] : [spec.colour]) } });
  told = [];
  const shown = (object: Thing | undefined) =>
    object === undefined ? undefined : `${object.metadata.name}@${object.metadata.resourceVersion}`;
  store.onChange((before, after, source) => told.push([shown(before), shown(after), source]));
});

function list(
  objects: KubeObject[],
  version: number,
  namespace?: string,
  since: string = store.versionOf(namespace),
): void {
  store.replace({ namespace, objects, resourceVersion: String(version), since });
}

describe("list", () => {
  test("is swapped in whole: listeners see nothing of the state before", () => {
    list([thing("a", 1), thing("b", 2)], 5);
    const sizes: number[] = [];
    store.onChange(() => sizes.push(store.size));
    list([thing("c", 6), thing("d", 7)], 8);
    expect([...store.keys()]).toEqual(["ns/c", "ns/d"]);
    expect(sizes).toEqual([2, 2, 2, 2]);
  });

  test("tells what came, changed and went, and nothing of what stayed", () => {
    list([thing("a", 1), thing("b", 2), thing("c", 3)], 5);
    told = [];
    list([thing("a", 1), thing("b", 6)], 7);
    expect(told).toEqual([
      ["b@2", "b@6", "list"],
      ["c@3", undefined, "list"],
    ]);
  });

  test("an object made anew under its name went and came", () => {
    list([thing("a", 1)], 1);
    told = [];
    list([thing("a", 5, { uid: "other" })], 6);
    expect(told).toEqual([
      ["a@1", undefined, "list"],
      [undefined, "a@5", "list"],
    ]);
  });

  test("of one namespace leaves the others alone", () => {
    list([thing("a", 1, { namespace: "one" })], 2, "one");
    list([thing("b", 1, { namespace: "two" })], 2, "two");
    list([], 3, "one");
    expect([...store.keys()]).toEqual(["two/b"]);
  });

  test("does not take back or remove what was seen later than it", () => {
    list([thing("a", 1), thing("b", 2)], 5);
    const since = store.versionOf(undefined);
    store.observeOwnWrite(thing("a", 9));
    store.apply({ type: "ADDED", object: thing("c", 8) });
    told = [];
    list([thing("a", 6), thing("b", 2)], 7, undefined, since);
    expect(told).toEqual([]);
    expect(store.get("ns/a")?.metadata.resourceVersion).toBe("9");
    expect(store.get("ns/c")).toBeDefined();
  });

  test("older than what was seen before it began means that history went back: it is taken as it is", () => {
    list([thing("a", 100), thing("b", 101)], 110);
    told = [];
    list([thing("a", 50)], 60);
    expect(told).toEqual([
      ["a@100", "a@50", "list"],
      ["b@101", undefined, "list"],
    ]);
    expect(store.versionOf(undefined)).toBe("60");
  });

  test("history goes back for each namespace when it is listed, not for all with the first", () => {
    list([thing("a", 100, { namespace: "one" })], 110, "one");
    list([thing("b", 100, { namespace: "two" })], 110, "two");
    list([thing("a", 50, { namespace: "one" })], 60, "one");
    list([thing("b", 50, { namespace: "two" })], 61, "two");
    expect(store.get("two/b")?.metadata.resourceVersion).toBe("50");
  });
});

describe("watch", () => {
  test("events change the store and are told", () => {
    list([thing("a", 1)], 1);
    told = [];
    store.apply({ type: "MODIFIED", object: thing("a", 2) });
    store.apply({ type: "ADDED", object: thing("b", 3) });
    store.apply({ type: "DELETED", object: thing("a", 4) });
    expect(told).toEqual([
      ["a@1", "a@2", "watch"],
      [undefined, "b@3", "watch"],
      ["a@2", undefined, "watch"],
    ]);
    expect(store.versionOf(undefined)).toBe("4");
  });

  test("an older event or one seen already changes nothing", () => {
    list([thing("a", 9)], 10);
    told = [];
    store.apply({ type: "MODIFIED", object: thing("a", 9) });
    store.apply({ type: "MODIFIED", object: thing("a", 8) });
    expect(told).toEqual([]);
  });

  test("10 is newer than 9", () => {
    list([thing("a", 9)], 9);
    store.apply({ type: "MODIFIED", object: thing("a", 10) });
    expect(store.get("ns/a")?.metadata.resourceVersion).toBe("10");
  });

  test("the deletion of a former object does not remove its successor", () => {
    list([thing("a", 5, { uid: "new" })], 6);
    store.apply({ type: "DELETED", object: thing("a", 4, { uid: "old" }) });
    expect(store.get("ns/a")?.metadata.uid).toBe("new");
  });

  test("a successor whose predecessor's deletion was missed is two changes", () => {
    list([thing("a", 5, { uid: "old" })], 6);
    told = [];
    store.apply({ type: "ADDED", object: thing("a", 9, { uid: "new" }) });
    expect(told).toEqual([
      ["a@5", undefined, "watch"],
      [undefined, "a@9", "watch"],
    ]);
  });
});

describe("own writes", () => {
  test("are there at once, are told, and older echoes do not undo them", () => {
    list([thing("a", 1)], 1);
    told = [];
    expect(store.observeOwnWrite(thing("a", 5, { colour: "blue" }))?.spec?.colour).toBe("blue");
    store.apply({ type: "MODIFIED", object: thing("a", 3) });
    store.apply({ type: "MODIFIED", object: thing("a", 5, { colour: "blue" }) });
    expect(told).toEqual([["a@1", "a@5", "ownWrite"]]);
    expect(store.get("ns/a")?.spec?.colour).toBe("blue");
  });

  test("an answer that comes later than a newer event is left out", () => {
    list([thing("a", 1)], 1);
    store.apply({ type: "MODIFIED", object: thing("a", 7) });
    expect(store.observeOwnWrite(thing("a", 5))?.metadata.resourceVersion).toBe("7");
  });

  test("an answer that comes after the deletion does not bring the object back", () => {
    list([thing("a", 1)], 1);
    store.apply({ type: "DELETED", object: thing("a", 7) });
    expect(store.observeOwnWrite(thing("a", 5))).toBeUndefined();
    expect(store.size).toBe(0);
  });

  test("an answer for a predecessor does not touch the successor", () => {
    list([thing("a", 1, { uid: "new" })], 1);
    expect(store.observeOwnWrite(thing("a", 5, { uid: "old" }))?.metadata.uid).toBe("new");
  });

  describe("that remove the last finalizer", () => {
    beforeEach(() => {
      list([thing("a", 5, { deleting: true, finalizers: ["f"] })], 5);
      told = [];
      store.observeOwnWrite(thing("a", 5, { deleting: true }));
    });

    test("make the object go at once, though its version did not grow", () => {
      expect(store.get("ns/a")).toBeUndefined();
      expect(told).toEqual([["a@5", undefined, "ownWrite"]]);
    });

    test("late events and an older list do not bring it back", () => {
      store.apply({ type: "MODIFIED", object: thing("a", 4, { deleting: true, finalizers: ["f"] }) });
      list([thing("a", 5, { deleting: true, finalizers: ["f"] })], 6);
      store.apply({ type: "DELETED", object: thing("a", 7, { deleting: true }) });
      expect(store.get("ns/a")).toBeUndefined();
      expect(told).toHaveLength(1);
    });

    test("a successor comes as any other", () => {
      store.apply({ type: "DELETED", object: thing("a", 7, { deleting: true }) });
      store.apply({ type: "ADDED", object: thing("a", 8, { uid: "new" }) });
      expect(store.get("ns/a")?.metadata.uid).toBe("new");
    });

    test("a list without it settles the matter; a restored backup that has it is believed", () => {
      list([], 8);
      list([thing("a", 3)], 4);
      expect(store.get("ns/a")?.metadata.resourceVersion).toBe("3");
    });
  });

  test("removing one of several finalizers keeps the object", () => {
    list([thing("a", 5, { deleting: true, finalizers: ["f", "g"] })], 5);
    store.observeOwnWrite(thing("a", 6, { deleting: true, finalizers: ["g"] }));
    expect(store.get("ns/a")?.metadata.finalizers).toEqual(["g"]);
  });
});

describe("indexes", () => {
  test("follow every change", () => {
    const names = (colour: string) =>
      store
        .index("colour", colour)
        .map(({ metadata }) => metadata.name)
        .toSorted();
    list([thing("a", 1), thing("b", 2), thing("c", 3, { colour: "blue" })], 5);
    expect(names("red")).toEqual(["a", "b"]);
    store.apply({ type: "MODIFIED", object: thing("a", 6, { colour: "blue" }) });
    expect([names("red"), names("blue")]).toEqual([["b"], ["a", "c"]]);
    store.apply({ type: "DELETED", object: thing("c", 7) });
    expect(names("blue")).toEqual(["a"]);
    list([thing("b", 8, { colour: "blue" })], 9);
    expect([names("red"), names("blue")]).toEqual([[], ["b"]]);
    expect(store.index("colour", "blue")[0]).toBe(store.get("ns/b"));
  });

  test("asking one that is not there is a mistake of the caller", () => {
    expect(() => store.index("size", "1")).toThrow('no index "size"');
  });
});

describe("synced", () => {
  test("when each scope was listed once", async () => {
    expect(store.synced).toBe(false);
    store.addScope("one");
    store.addScope("two");
    let resolved = false;
    const waiting = store.whenSynced(new AbortController().signal).then(() => {
      resolved = true;
    });
    list([], 1, "one");
    await Promise.resolve();
    expect([store.synced, resolved]).toEqual([false, false]);
    list([], 1, "two");
    await waiting;
    expect(store.synced).toBe(true);
  });

  test("waiting for it ends with its signal", async () => {
    store.addScope("one");
    const abort = new AbortController();
    const waiting = store.whenSynced(abort.signal);
    abort.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
  });
});

test("what it holds is frozen to the bottom, and has no managed fields", () => {
  const arrived = { ...thing("a", 1), metadata: { ...thing("a", 1).metadata, managedFields: [{}] } };
  list([arrived], 1);
  const held = store.get("ns/a");
  expect(held?.metadata).not.toHaveProperty("managedFields");
  expect(() => Object.assign(held?.spec ?? {}, { colour: "green" })).toThrow(TypeError);
  expect(() => Object.assign(held?.metadata ?? {}, { name: "b" })).toThrow(TypeError);
});

test("it holds what parse makes of an object, valid or not", () => {
  const parsed = new Store<Thing & { invalid?: string }>({
    parse: (object) => ("spec" in object ? (object as Thing) : { ...object, invalid: "spec is missing" }),
  });
  const { spec: _, ...broken } = thing("a", 1);
  parsed.replace({ namespace: undefined, objects: [broken, thing("b", 1)], resourceVersion: "1", since: "0" });
  expect(parsed.get("ns/a")?.invalid).toBe("spec is missing");
  expect(parsed.get("ns/b")?.invalid).toBeUndefined();
});

test("an unsubscribed listener hears nothing", () => {
  const heard: unknown[] = [];
  const unsubscribe = store.onChange((...change) => heard.push(change));
  unsubscribe();
  list([thing("a", 1)], 1);
  expect(heard).toEqual([]);
});

test("in any order of list, events and answers, a key never goes back", () => {
  let seed = 3;
  const random = (below: number) => {
    seed = (seed * 1103515245 + 12345) % 2 ** 31;
    return seed % below;
  };
  for (let round = 0; round < 500; round++) {
    const one = new Store<Thing>();
    one.replace({ namespace: undefined, objects: [thing("a", 1)], resourceVersion: "1", since: "0" });
    let highest = 1;
    const pending = Array.from({ length: 10 }, (_, index) => index + 2);
    while (pending.length > 0) {
      const [version = 0] = pending.splice(random(pending.length), 1);
      if (random(2) === 0) one.observeOwnWrite(thing("a", version));
      else one.apply({ type: "MODIFIED", object: thing("a", version) });
      highest = Math.max(highest, version);
      expect(one.get("ns/a")?.metadata.resourceVersion).toBe(String(highest));
    }
  }
});

test("a parser is given what the store holds of the same object, but not of another or of another history", () => {
  const given: (string | undefined)[] = [];
  const read = new Store<KubeObject>({
    parse: (arrived, before) => {
      given.push(before?.metadata.resourceVersion);
      return arrived;
    },
  });
  const of = (uid: string, resourceVersion: string): KubeObject => ({
    apiVersion: "v1",
    kind: "Thing",
    metadata: { name: "a", namespace: "ns", uid, resourceVersion, generation: 1 },
  });
  const relist = (uid: string, version: string, since: string) =>
    read.replace({ namespace: "ns", objects: [of(uid, version)], resourceVersion: version, since });
  relist("one", "10", "0");
  read.apply({ type: "MODIFIED", object: of("one", "11") });
  read.observeOwnWrite(of("one", "12"));
  read.apply({ type: "MODIFIED", object: of("two", "13") });
  relist("two", "5", "13");
  expect(given).toEqual([undefined, "10", "11", undefined, undefined]);
});
