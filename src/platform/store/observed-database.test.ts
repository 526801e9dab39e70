import { afterEach, beforeEach, expect, it } from "vitest";
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
    expect(await observed.isWritable()).toBe(true);
    fails = true;
    await expect(writeOne("b")).rejects.toThrow("full");
    await writeOne("c", "reserved");
    expect(await observed.isWritable()).toBe(false);
    fails = false;
    now = 4_999;
    expect(await observed.isWritable()).toBe(false);
    now = 5_000;
    expect(await observed.isWritable()).toBe(true);
  });

  it("stays writable when a write fails for a reason of its own", async () => {
    await expect(observed.write(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(await observed.isWritable()).toBe(true);
  });
});
