import { setTimeout } from "node:timers/promises";
import type { Logger } from "pino";
import type { WallClock } from "#src/time/wall-clock.ts";
import { hours } from "#src/time/durations.ts";
import type { Database } from "../store/database.ts";
import { deleteOldShares } from "../store/daily-share.ts";
import { deleteSurplusEvents } from "./event-retention.ts";
import { foldOldestRecords } from "./fold-records.ts";

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
      if (surplus > 0) log.info({ deleted: surplus, maximumEvents }, "surplus audit events deleted");
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
