import pino from "pino";
import { expect, it } from "vitest";
import type { Database, Writer } from "../store/database.ts";
import { type SecurityEvent } from "./security-event.ts";
import { SecurityLog } from "./security-log.ts";
import { writeWithEvent } from "./write-with-event.ts";

const event = (uid: string): SecurityEvent => ({
  action: "login",
  author: { kind: "identity", uid, onBehalfOf: undefined },
  type: "identity",
  uid,
  method: "Login/Consent",
  code: 0,
  reason: "",
  address: "192.0.2.1",
});

/** A database that runs each write again, as after a conflict, and keeps what the last run inserted. */
class RepeatingDatabase implements Pick<Database, "write"> {
  inserted: string[] = [];

  async write<T>(work: (writer: Writer) => Promise<T>): Promise<T> {
    const run = () => {
      this.inserted = [];
      const insert = async (_statement: unknown, { uid }: { uid: string }) => this.inserted.push(uid);
      return work({ run: insert } as unknown as Writer);
    };
    await run();
    return run();
  }
}

function newLog(): { readonly securityLog: SecurityLog; readonly lines: Record<string, unknown>[] } {
  const lines: Record<string, unknown>[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) });
  const database = {} as Database;
  return { securityLog: new SecurityLog({ database, log, clock: () => 0, monotonic: () => 0 }), lines };
}

it("records and logs what the last run of the work recorded, and counts it once", async () => {
  const { securityLog, lines } = newLog();
  const database = new RepeatingDatabase();
  // Ten events of a cause are admitted in a minute.
  for (let count = 0; count < 10; count++)
    await writeWithEvent(database, securityLog, (_tx, record) => record(event("same")));
  expect(database.inserted).toEqual(["same"]);
  expect([lines.length, securityLog.omittedEvents]).toEqual([10, 0]);
  await writeWithEvent(database, securityLog, (_tx, record) => record(event("same")));
  expect([database.inserted, lines.length, securityLog.omittedEvents]).toEqual([[], 10, 1]);

  let run = 0;
  await writeWithEvent(database, securityLog, (_tx, record) => record(event(`run ${++run}`)));
  expect(database.inserted).toEqual(["run 2"]);
  expect(lines.at(-1)).toMatchObject({ msg: "person logged in", resource: "run 2" });
});

it("logs nothing of a run that was not the last, or of a write that failed", async () => {
  const { securityLog, lines } = newLog();
  const database = new RepeatingDatabase();
  let run = 0;
  await writeWithEvent(database, securityLog, async (_tx, record) => {
    run += 1;
    if (run === 1) await record(event("first"));
  });
  const failing = writeWithEvent(database, securityLog, async (_tx, record) => {
    await record(event("failed"));
    throw new Error("rolled back");
  });
  await expect(failing).rejects.toThrow("rolled back");
  expect(lines).toEqual([]);
});
