import pino from "pino";
import { afterEach, beforeEach, expect, it } from "vitest";
import { hours, minutes } from "#src/time/durations.ts";
import type { Database } from "../store/database.ts";
import { describeOnEachBackend } from "../tests/describe-on-each-backend.testing.ts";
import { record } from "./audit-log.ts";
import { AuthoredWriter } from "./authored-writer.ts";
import { nextRecords, readAuditLog } from "./read-records.ts";
import { RecordQueue } from "./record-queue.ts";
import type { RecordFilter } from "./record-query.ts";
import type { SecurityEvent } from "./security-event.ts";

const event: SecurityEvent = {
  action: "use",
  author: { kind: "admin" },
  type: "",
  uid: "",
  method: "RolesService/ListRoles",
  code: 0,
  reason: "",
  address: "",
};

const eight = Array.from({ length: 8 }, () => "use");

describeOnEachBackend("record queue", (open) => {
  let database: Database;
  let remove: () => Promise<void>;
  beforeEach(async () => {
    ({ database, remove } = await open());
  });
  afterEach(() => remove());

  const actions = async (filter: RecordFilter) => {
    const found: string[] = [];
    for await (const { action } of readAuditLog((work) => database.read(work), filter)) found.push(action);
    return found;
  };

  /** Events of the time 0, and a change and the write of the events after a time. */
  async function write(after: number): Promise<void> {
    let now = 0;
    const queue = new RecordQueue({ database, log: pino({ enabled: false }), clock: () => now, onDropped: () => {} });
    for (const _ of eight) queue.add({ event, time: now, omitted: 0 });
    now = after;
    const change = { action: "create", type: "group", uid: "a", fields: {} } as const;
    await database.write((tx) => record(new AuthoredWriter(tx, { kind: "platform" }, now), change));
    await queue.close();
  }

  it("hides no change that was committed while events waited for a long time, and says when these occurred", async () => {
    await write(hours(2));
    expect(await actions({ since: hours(1) })).toEqual(["create", ...eight]);
    const [first] = (
      await database.read((reader) => nextRecords(reader, 1, { limit: 1, maximumBytes: 1_000 }))
    ).values();
    expect(first).toMatchObject({
      time: "1970-01-01T02:00:00.000Z",
      details: { fields: { occurred: "1970-01-01T00:00:00.000Z" } },
    });
  });

  it("records each event once if it is closed while it writes", async () => {
    const methods = Array.from({ length: 450 }, (_, index) => `method ${index}`);
    const [writing, closing] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const slow: Database = {
      ...database,
      write: async (work, shares) => {
        writing.resolve();
        await closing.promise;
        const result = await database.write(work, shares);
        // A slow commit, so that the timer of the queue has its turn.
        await new Promise((resolve) => setTimeout(resolve, 2));
        return result;
      },
    };
    const queue = new RecordQueue({
      database: slow,
      log: pino({ enabled: false }),
      clock: () => 0,
      onDropped: () => {},
    });
    for (const method of methods) queue.add({ event: { ...event, method }, time: 0, omitted: 0 });
    await writing.promise;
    const closed = queue.close();
    closing.resolve();
    await closed;
    const recorded = await database.read((reader) => nextRecords(reader, 0, { limit: 1_000, maximumBytes: 1_000_000 }));
    expect([...recorded.values()].map(({ method }) => method)).toEqual(methods);
  });

  it("keeps the time of an event that did not wait for long", async () => {
    await write(minutes(1));
    expect(await actions({ until: 1 })).toEqual(eight);
  });

  it("has room for the events of others while those of one root group wait for the database", async () => {
    let dropped = 0;
    const failing = { ...database, write: () => Promise.reject(new Error("no")) } as Database;
    const options = { log: pino({ enabled: false }), clock: () => 0, onDropped: () => (dropped += 1) };
    const queue = new RecordQueue({ database: failing, ...options });
    const of = (root: string) => {
      const author = { kind: "identity", uid: `${root.repeat(40)}/${"0".repeat(16)}`, onBehalfOf: undefined } as const;
      return { event: { ...event, author }, time: 0, omitted: 0 };
    };
    for (let count = 0; count < 5_000; count++) queue.add(of("a"));
    const before = dropped;
    expect(before).toBeGreaterThanOrEqual(3_000);
    queue.add(of("b"));
    expect(dropped).toBe(before);
    await queue.close();
  });
});
