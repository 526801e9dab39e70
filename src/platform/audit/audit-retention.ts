import { setTimeout } from "node:timers/promises";
import { sql } from "kysely";
import type { Logger } from "pino";
import type { WallClock } from "#src/time/wall-clock.ts";
import { hours } from "#src/time/durations.ts";
import { type Database, statement } from "../store/database.ts";
import { deleteOldShares } from "./audit-share.ts";
import { foldOldestRecords } from "./fold-records.ts";

/** The events that one transaction deletes. Small, so that other writes can run between two transactions. */
const batch = 500;
/** The pause between two batches (ms). */
const pause = 20;
/** How often old records are deleted (ms). */
const interval = hours(1);

/**
 * Deletes the records from before a time, oldest first, in small transactions, and leaves the states of what decides access. The log
 * is ordered by insertion: if the clock went back, a record may stay until the records before it are old too.
 * @returns how many records it deleted or replaced by states @throws the reason of the signal
 */
export async function deleteRecordsBefore(database: Database, before: number, signal: AbortSignal): Promise<number> {
  for (let deleted = 0; ; ) {
    const { folded, mayHaveMore } = await database.write((tx) => foldOldestRecords(tx, before), undefined, "reserved");
    deleted += folded;
    if (!mayHaveMore) return deleted;
    await setTimeout(pause, undefined, { signal });
  }
}

/** Events that one read steps over. */
const stride = 10_000;

const nextOfEvents = statement((db, p: { before: number; stride: number }) =>
  db
    .selectFrom("audit_log")
    .select("sequence")
    .where("form", "=", sql.lit("event"))
    .where("sequence", "<", p.before)
    .orderBy("sequence", "desc")
    .limit(1)
    .offset(p.stride),
);
const deleteOldestEvents = statement((db, p: { until: number; batch: number }) =>
  db
    .deleteFrom("audit_log")
    .where("sequence", "in", (row) =>
      row
        .selectFrom(
          row
            .selectFrom("audit_log")
            .select("sequence")
            .where("form", "=", sql.lit("event"))
            .where("sequence", "<=", p.until)
            .orderBy("sequence")
            .limit(p.batch)
            .as("oldest"),
        )
        .select("oldest.sequence"),
    ),
);

/**
 * Deletes the oldest events until this number is left, in small transactions. Changes are not events, and stay.
 * @returns how many it deleted @throws the reason of the signal
 */
export async function deleteSurplusEvents(database: Database, maximum: number, signal: AbortSignal): Promise<number> {
  let until: number | undefined = Number.MAX_SAFE_INTEGER;
  for (let left = maximum; left >= 0 && until !== undefined; left -= stride) {
    const parameters: { before: number; stride: number } = { before: until, stride: Math.min(left, stride - 1) };
    until = (await database.read((tx) => tx.first(nextOfEvents, parameters)))?.sequence;
    signal.throwIfAborted();
  }
  if (until === undefined) return 0;
  for (let deleted = 0; ; ) {
    const parameters = { until, batch };
    const found = await database.write((tx) => tx.run(deleteOldestEvents, parameters), undefined, "reserved");
    deleted += found;
    if (found < batch) return deleted;
    await setTimeout(pause, undefined, { signal });
  }
}

export interface AuditRetentionOptions {
  readonly database: Database;
  /** The age at which records are deleted, in milliseconds; undefined to keep them. */
  readonly age: number | undefined;
  /** How many events are kept. */
  readonly maximumEvents: number;
  readonly clock: WallClock;
  readonly log: Logger;
}

/** Deletes old records periodically. Every replica may run it. @returns a function that stops it and resolves when it has stopped */
export function retainAuditLog({
  database,
  age,
  maximumEvents,
  clock,
  log,
}: AuditRetentionOptions): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const deleteOld = async () => {
    try {
      if (age !== undefined) {
        const before = clock() - age;
        const deleted = await deleteRecordsBefore(database, before, signal);
        if (deleted > 0) log.info({ deleted, before: new Date(before).toISOString() }, "old audit records deleted");
      }
      await deleteOldShares(database, clock());
      const surplus = await deleteSurplusEvents(database, maximumEvents, signal);
      if (surplus > 0) log.info({ deleted: surplus, maximumEvents }, "oldest audit events deleted");
    } catch (error) {
      if (!signal.aborted)
        log.error({ err: error }, "deletion of old audit records failed; it is retried with the next interval");
    }
  };
  let last = deleteOld();
  const timer = setInterval(() => {
    last = last.then(deleteOld);
  }, interval);
  return async () => {
    clearInterval(timer);
    stopping.abort();
    await last;
  };
}
