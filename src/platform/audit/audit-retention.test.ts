import pino from "pino";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type Database, statement } from "#src/platform/store/database.ts";
import { describeOnEachBackend } from "#src/platform/tests/describe-on-each-backend.testing.ts";
import { insertEvent, record } from "./audit-log.ts";
import type { AuditRecord, ChangeAction } from "./audit-record.ts";
import { deleteRecordsBefore, retainAuditLog } from "./audit-retention.ts";
import { AuthoredWriter } from "./authored-writer.ts";
import { fieldDecidesAccess } from "./deciding-fields.ts";
import { deleteSurplusEvents } from "./event-retention.ts";
import type { FieldChanges } from "./field-changes.ts";
import type { Folding } from "./fold-records.ts";
import { readAuditLog } from "./read-records.ts";
import { type RebuiltAccess, rebuildAccess } from "./rebuilt-access.ts";
import { retentionOf } from "./retention-position.ts";

const times = statement<object, { time: number }>((db) =>
  db.selectFrom("audit_log").select("time").orderBy("sequence"),
);
const fact = statement((db, p: { name: string }) => db.insertInto("facts").values({ name: p.name, value: "" }));

/** What retention keeps known: the fields that decide access, and the names of unknown ones. */
function deciding(rebuilt: RebuiltAccess) {
  return [...rebuilt].flatMap(([type, states]) =>
    [...states].map(([uid, { fields, unknown, isWhole, tokensEnded }]) => {
      const kept = (path: string) => fieldDecidesAccess(type, path);
      return [type, uid, [...fields].filter(([path]) => kept(path)), [...unknown].filter(kept), isWhole, tokensEnded];
    }),
  );
}

const event = {
  action: "refuse",
  author: { kind: "anonymous" },
  type: "",
  uid: "",
  method: "",
  code: 16,
  reason: "",
  address: "",
} as const;

describeOnEachBackend("audit retention", (open) => {
  let database: Database;
  let remove: () => Promise<void>;
  beforeEach(async () => {
    ({ database, remove } = await open());
  });
  afterEach(() => remove());

  const add = (...all: readonly number[]) =>
    database.write(async (writer) => {
      for (const time of all)
        await record(new AuthoredWriter(writer, { kind: "host", command: "test" }, time), {
          action: "create",
          type: "repo",
          uid: "a",
          fields: {},
        });
    });
  const kept = async () => (await database.read((tx) => tx.all(times, {}))).map(({ time }) => time);
  const never = new AbortController().signal;

  it("deletes the records from before a time and no others", async () => {
    await add(1, 2, 10, 11);
    expect(await deleteRecordsBefore(database, 10, never)).toBe(2);
    expect(await kept()).toEqual([10, 11]);
    expect(await deleteRecordsBefore(database, 10, never)).toBe(0);
  });

  it("deletes a record that is older than those before it once it is among the oldest", async () => {
    await add(10, 1, 11);
    expect(await deleteRecordsBefore(database, 10, never)).toBe(1);
    expect(await kept()).toEqual([10, 11]);
  });

  it("deletes many records in transactions between which others can write", async () => {
    await add(...Array.from({ length: 1_600 }, () => 1), 10);
    const writes: Promise<number>[] = [];
    const left: number[] = [];
    const write = database.write.bind(database);
    database.write = async (work) => {
      const result = await write(work);
      writes.push(write((tx) => tx.run(fact, { name: `other ${writes.length}` })));
      left.push((await kept()).length);
      return result;
    };
    expect(await deleteRecordsBefore(database, 10, never)).toBe(1_600);
    database.write = write;
    expect(left).toEqual([1_101, 601, 101, 1]);
    expect(await Promise.all(writes)).toEqual([1, 1, 1, 1]);
  });

  it("deletes fewer large records in a transaction", async () => {
    const fields = { description: { old: "x".repeat(250_000), new: "y".repeat(250_000) } };
    await database.write(async (writer) => {
      const tx = new AuthoredWriter(writer, { kind: "host", command: "test" }, 1);
      for (let n = 0; n < 20; n++) await record(tx, { action: "update", type: "repo", uid: "a", fields });
    });
    const deleted: number[] = [];
    const write = database.write.bind(database);
    database.write = async (work) => {
      const result = await write(work);
      deleted.push((result as Folding).folded);
      return result;
    };
    expect(await deleteRecordsBefore(database, 10, never)).toBe(20);
    // 4 MiB.
    expect(deleted).toEqual([8, 8, 4]);
  });

  const change = (time: number, action: ChangeAction, uid: string, fields: FieldChanges = {}, type = "role") =>
    database.write((writer) =>
      record(new AuthoredWriter(writer, { kind: "admin" }, time), { action, type, uid, fields }),
    );
  const all = async () => {
    const records: AuditRecord[] = [];
    for await (const one of readAuditLog((work) => database.read(work), {})) records.push(one);
    return records;
  };

  it("leaves the state of what decides access and still existed, so that no later moment is lost", async () => {
    await change(1, "create", "a", { name: { new: "n" }, capabilities: { new: ["A"] }, description: { new: "d" } });
    await change(2, "create", "b", { capabilities: { new: ["A"] } });
    await change(3, "update", "a", { capabilities: { old: ["A"], new: ["B"] } });
    await change(4, "create", "c", {}, "repo");
    await change(5, "delete", "b", { capabilities: { old: ["A"] } });
    await change(6, "revokeTokens", "i", {}, "identity");
    await change(20, "update", "a", { capabilities: { old: ["B"], new: ["C"] } });
    const moments = [10, 20, 30];
    const before = await Promise.all(moments.map(async (moment) => deciding(await rebuildAccess(await all(), moment))));
    expect(await deleteRecordsBefore(database, 10, never)).toBe(6);
    const left = await all();
    expect(left.map(({ form, action, uid, sequence }) => [form, action, uid, sequence])).toEqual([
      ["state", "state", "a", 3],
      ["state", "state", "i", 6],
      ["full", "update", "a", 7],
    ]);
    expect(left[0]?.fields).toEqual({
      name: { new: "n" },
      description: { omitted: true },
      capabilities: { new: ["B"] },
    });
    expect(await Promise.all(moments.map(async (moment) => deciding(await rebuildAccess(left, moment))))).toEqual(
      before,
    );
    expect(await database.read(retentionOf)).toEqual({ position: 6, completeSince: 10 });
    expect(await deleteRecordsBefore(database, 15, never)).toBe(0);
    await change(21, "delete", "a");
    expect(await deleteRecordsBefore(database, 30, never)).toBe(2);
    expect((await all()).map(({ uid }) => uid)).toEqual(["i"]);
    expect(await database.read(retentionOf)).toEqual({ position: 8, completeSince: 30 });
  });

  it("does not take a record before an earlier one of the same resource", async () => {
    await change(1, "create", "a", { capabilities: { new: ["A"] } });
    await change(90, "update", "a", { capabilities: { new: ["B"] } });
    await change(3, "update", "a", { capabilities: { new: ["C"] } });
    await change(4, "create", "b");
    expect(await deleteRecordsBefore(database, 10, never)).toBe(2);
    expect((await all()).map(({ form, uid }) => `${form} ${uid}`)).toEqual(["state a", "full a", "full a", "state b"]);
    expect(await deleteRecordsBefore(database, 100, never)).toBe(2);
    expect((await all()).map(({ fields }) => fields)).toEqual([{ capabilities: { new: ["C"] } }, {}]);
  });

  it("keeps what it does not know unknown", async () => {
    await change(1, "update", "a", { name: { new: "n" }, capabilities: { omitted: true } });
    const before = deciding(await rebuildAccess(await all()));
    await deleteRecordsBefore(database, 10, never);
    expect((await all())[0]).toMatchObject({ form: "state", details: { fields: { isPartial: true } } });
    expect(deciding(await rebuildAccess(await all()))).toEqual(before);
  });

  it("is bounded by what exists, not by how often it changed, and reads a bounded number of bytes at a time", async () => {
    const text = "x".repeat(1024 * 1024);
    await change(1, "create", "a", { capabilities: { new: [text] } });
    for (let time = 2; time <= 10; time += 1)
      await change(time, "update", "a", { capabilities: { new: [`${time}${text}`] } });
    const write = database.write.bind(database);
    let transactions = 0;
    database.write = (work) => {
      transactions += 1;
      return write(work);
    };
    expect(await deleteRecordsBefore(database, 100, never)).toBe(10);
    expect(transactions).toBeGreaterThanOrEqual(3);
    expect((await all()).map(({ fields }) => fields)).toEqual([{ capabilities: { new: [`10${text}`] } }]);
  });

  it("keeps a number of events, the newest, and every change", async () => {
    await database.write(async (tx) => {
      for (let time = 1; time <= 25_000; time += 1_000)
        await Promise.all(
          Array.from({ length: 1_000 }, (_, index) => insertEvent(tx, { event, time: time + index, omitted: 0 })),
        );
    });
    await add(1, 2);
    expect(await deleteSurplusEvents(database, 30_000, never)).toBe(0);
    expect(await deleteSurplusEvents(database, 25_000, never)).toBe(0);
    expect(await deleteSurplusEvents(database, 20_500, never)).toBe(4_500);
    expect((await kept()).slice(0, 2)).toEqual([4_501, 4_502]);
    expect(await deleteSurplusEvents(database, 10_000, never)).toBe(10_500);
    expect(await deleteSurplusEvents(database, 1, never)).toBe(9_999);
    expect(await kept()).toEqual([25_000, 1, 2]);
  });

  it("deletes events of the root groups that have the most, not the oldest of all", async () => {
    const [noisy, quiet] = ["n".repeat(40), "q".repeat(40)];
    await database.write(async (tx) => {
      for (let time = 1; time <= 3_000; time++) {
        const uid = time % 30 === 0 ? quiet : noisy;
        await insertEvent(tx, { event: { ...event, uid }, time, omitted: 0 });
      }
    });
    expect(await deleteSurplusEvents(database, 1_000, never)).toBe(2_000);
    const left = await database.read((tx) => tx.query((db) => db.selectFrom("audit_log").select(["root", "time"])));
    expect(left.filter(({ root }) => root === quiet).length).toBe(100);
    const ofNoisy = left.filter(({ root }) => root === noisy).map(({ time }) => time);
    expect([ofNoisy.length, Math.min(...ofNoisy)]).toEqual([900, 2_069]);
  });

  it("stops between two transactions", async () => {
    await add(...Array.from({ length: 600 }, () => 1));
    const stopping = new AbortController();
    const deleting = deleteRecordsBefore(database, 10, stopping.signal);
    stopping.abort();
    await expect(deleting).rejects.toThrowError();
    expect((await kept()).length).toBe(100);
  });

  it("deletes at the start and then periodically", async () => {
    await add(1_000, 5_000);
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    let now = 2_500;
    const lines: string[] = [];
    const log = pino({ base: null }, { write: (line: string) => lines.push(line) });
    const stop = retainAuditLog({ database, age: 1_000, maximumEvents: 1_000, clock: () => now, log });
    try {
      await vi.waitUntil(async () => (await kept()).length === 1);
      now = 6_500;
      await vi.advanceTimersByTimeAsync(3_600_000);
      await vi.waitUntil(async () => (await kept()).length === 0);
    } finally {
      vi.useRealTimers();
      await stop();
    }
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { deleted: 1, before: "1970-01-01T00:00:01.500Z" },
      { deleted: 1, before: "1970-01-01T00:00:05.500Z" },
    ]);
  });
});
