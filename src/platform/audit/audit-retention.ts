import { setTimeout } from "node:timers/promises";
import type { Logger } from "pino";
import type { WallClock } from "#src/time/wall-clock.ts";
import { type Database, statement } from "../store/database.ts";

/** Records that one transaction deletes: it takes some milliseconds, and other writes have their turn between two. */
const batch = 500;
/** Between two batches (ms). */
const pause = 20;
/** How often the log is looked at (ms). */
const interval = 3_600_000;

/** Of the oldest records those that are too old. Looks at no more than a batch, however long the log is. */
const deleteOldest = statement((db, p: { before: number; batch: number }) =>
  db.deleteFrom("audit_log").where("sequence", "in", (row) =>
    row
      .selectFrom(
        row.selectFrom("audit_log").select(["sequence", "time"]).orderBy("sequence").limit(p.batch).as("oldest"),
      )
      .select("oldest.sequence")
      .where("oldest.time", "<", p.before),
  ),
);

/**
 * Deletes the records from before a time, oldest first, in small transactions. The log is in the order in which records
 * came: where a clock went back, one may stay until those in front of it are old.
 * @returns how many it deleted @throws whatever the signal was aborted with
 */
export async function deleteRecordsBefore(database: Database, before: number, signal: AbortSignal): Promise<number> {
  for (let deleted = 0; ; ) {
    const found = await database.write((tx) => tx.run(deleteOldest, { before, batch }));
    deleted += found;
    if (found < batch) return deleted;
    await setTimeout(pause, undefined, { signal });
  }
}

export interface AuditRetentionOptions {
  readonly database: Database;
  /** How old a record gets, in milliseconds. */
  readonly age: number;
  readonly clock: WallClock;
  readonly log: Logger;
}

/** Keeps the audit log from growing for ever. Replicas may each run it. @returns how to stop it; resolves when it has */
export function retainAuditLog({ database, age, clock, log }: AuditRetentionOptions): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const look = async () => {
    const before = clock() - age;
    try {
      const deleted = await deleteRecordsBefore(database, before, signal);
      if (deleted > 0) log.info({ deleted, before: new Date(before).toISOString() }, "deleted old audit records");
    } catch (error) {
      if (!signal.aborted) log.error({ err: error }, "old audit records could not be deleted; the next look may");
    }
  };
  let last = look();
  const timer = setInterval(() => {
    last = last.then(look);
  }, interval);
  return async () => {
    clearInterval(timer);
    stopping.abort();
    await last;
  };
}
