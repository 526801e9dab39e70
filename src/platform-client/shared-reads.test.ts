import { describe, expect, it } from "vitest";
import { CollectionView } from "./collection-view.ts";
import { groupCollection as collection } from "./group-collection.testing.ts";
import { SharedReads } from "./shared-reads.ts";

const uid = `${"a".repeat(40)}/1111111111111111`;
const named = (name: string) => ({ uid, name, description: "" });

/** Reads that find `found` next. */
function start() {
  const view = new CollectionView(collection);
  const changed: string[] = [];
  let [reads, found] = [0, named("first")];
  const shared = new SharedReads({
    collections: [collection],
    viewOf: () => view,
    read: async () => {
      reads += 1;
      await Promise.resolve();
      view.record(found, reads);
    },
    onChanged: (_collection, one) => changed.push(one),
  });
  return {
    shared,
    changed,
    reads: () => reads,
    find: (name: string) => {
      found = named(name);
    },
  };
}

describe("a shared read", () => {
  it("serves all that wait for the same resource", async () => {
    const { shared, reads } = start();
    await Promise.all([shared.read(collection.name, uid), shared.read(collection.name, uid)]);
    expect(reads()).toBe(1);
    await shared.read(collection.name, uid);
    expect(reads()).toBe(2);
  });

  it("reports a resource that differs from what was seen before, and no other", async () => {
    const { shared, changed, find } = start();
    await shared.read(collection.name, uid);
    await shared.read(collection.name, uid);
    expect(changed).toEqual([]);
    find("second");
    await shared.read(collection.name, uid);
    expect(changed).toEqual([uid]);
  });

  it("rejects for a type that the session does not have", async () => {
    await expect(start().shared.read("repos", uid)).rejects.toThrow("without repos");
  });
});
