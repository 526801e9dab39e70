import { describe, expect, it } from "vitest";
import { BoundedCache } from "./bounded-cache.ts";

describe("BoundedCache", () => {
  it("evicts the entry that was not used for the longest time when it has too many entries", () => {
    const cache = new BoundedCache<string, number>({ entries: 2, bytes: 100 });
    cache.set("a", 1, 1);
    cache.set("b", 2, 1);
    expect(cache.get("a")).toBe(1);
    cache.set("c", 3, 1);
    expect(["a", "b", "c"].map((key) => cache.get(key))).toEqual([1, undefined, 3]);
  });

  it("evicts as many entries as a new one needs bytes", () => {
    const evicted: string[] = [];
    const cache = new BoundedCache<string, string>({ entries: 10, bytes: 100 }, (value) => evicted.push(value));
    for (const name of ["a", "b", "c"]) cache.set(name, name, 30);
    cache.set("d", "d", 50);
    expect(evicted).toEqual(["a", "b"]);
    expect([cache.size, cache.bytes]).toEqual([2, 80]);
  });

  it.each([
    [{ entries: 10, bytes: 100 }, 101],
    [{ entries: 10, bytes: 100, entryBytes: 20 }, 21],
  ])("does not evict anything for an entry that is too large for %j", (bounds, bytes) => {
    const cache = new BoundedCache<string, number>(bounds);
    cache.set("a", 1, 20);
    cache.set("b", 2, bytes);
    expect([cache.get("a"), cache.get("b"), cache.bytes]).toEqual([1, undefined, 20]);
  });

  it("counts an entry that is replaced or deleted once", () => {
    const cache = new BoundedCache<string, number>({ entries: 10, bytes: 100 });
    cache.set("a", 1, 60);
    cache.set("a", 2, 70);
    expect([cache.get("a"), cache.size, cache.bytes]).toEqual([2, 1, 70]);
    cache.delete("a");
    cache.delete("a");
    expect([cache.size, cache.bytes]).toEqual([0, 0]);
  });
});
