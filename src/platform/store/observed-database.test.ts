import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { describeOnEachBackend } from "../tests/describe-on-each-backend.testing.ts";
import { type Database, DatabaseUnavailableError, statement } from "./database.ts";
import { ObservedDatabase } from "./observed-database.ts";

const insert = statement((db, p: { name: string; value: string }) =>
  db.insertInto("facts").values({ name: p.name, value: p.value }),
);

describeOnEachBackend("observed database", (open) => {
  let database: Database;
  let remove: () => Promise<void>;
  let fails: boolean;
  let now: number;
  let observed: ObservedDatabase;
  beforeEach(async () => {
    ({ database, remove } = await open());
    [fails, now] = [false, 0];
    const write: Database["write"] = (work, shares, priority) =>
      fails && priority !== "reserved"
        ? Promise.reject(new DatabaseUnavailableError("the disk is full"))
        : database.write(work, shares, priority);
    const failing: Database = { read: database.read.bind(database), write, close: () => database.close() };
    observed = new ObservedDatabase(failing, () => now);
  });
  afterEach(() => remove());

  const writeOne = (name: string, priority?: "reserved") =>
    observed.write((tx) => tx.run(insert, { name, value: "" }), undefined, priority);

  it("is writable until a write fails, whatever is reserved, and again when a try succeeds, without a write of others", async () => {
    await writeOne("a");
    expect(observed.isWritable()).toBe(true);
    fails = true;
    await expect(writeOne("b")).rejects.toThrow("full");
    await writeOne("c", "reserved");
    expect(observed.isWritable()).toBe(false);
    // The try that this began has failed.
    await nextTurn();
    fails = false;
    now = 4_999;
    expect(observed.isWritable()).toBe(false);
    await nextTurn();
    expect(observed.isWritable()).toBe(false);
    now = 5_000;
    await vi.waitUntil(() => observed.isWritable());
  });

  it("does not wait for a try, and makes one at a time", async () => {
    const started: PromiseWithResolvers<never>[] = [];
    const write = <T>(): Promise<T> => {
      const attempt = Promise.withResolvers<never>();
      started.push(attempt);
      return attempt.promise;
    };
    const stuck = new ObservedDatabase({ read: database.read.bind(database), write, close: async () => {} }, () => now);
    const failed = stuck.write(async () => {});
    started[0]?.reject(new DatabaseUnavailableError("locked"));
    await expect(failed).rejects.toThrow("locked");
    expect(stuck.isWritable()).toBe(false);
    now = 5_000;
    expect(stuck.isWritable()).toBe(false);
    expect(started).toHaveLength(2);
  });

  it("stays writable when a write fails for a reason of its own", async () => {
    await expect(observed.write(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(observed.isWritable()).toBe(true);
  });
});
