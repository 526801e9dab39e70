import { setTimeout } from "node:timers/promises";
import { sql } from "kysely";
import { type Database, statement, type Writer } from "../store/database.ts";

/** The events that one transaction deletes. Small, so that other writes can run between two transactions. */
const batch = 500;
/** The pause between two batches (ms). */
const pause = 20;
/** The events that one read counts or searches, along an index that has all that it needs. */
const stride = 10_000;

const ofRoots = statement((db, p: { after: number; stride: number }) =>
  db
    .selectFrom(
      db
        .selectFrom("audit_log")
        .select(["sequence", "root"])
        .where("form", "=", sql.lit("event"))
        .where("sequence", ">", p.after)
        .orderBy("sequence")
        .limit(p.stride)
        .as("next"),
    )
    .select(["root", (row) => row.fn.countAll<number>().as("events"), (row) => row.fn.max("sequence").as("last")])
    .groupBy("root"),
);
const next = statement((db, p: { after: number; batch: number }) =>
  db
    .selectFrom("audit_log")
    .select(["sequence", "root"])
    .where("form", "=", sql.lit("event"))
    .where("sequence", ">", p.after)
    .orderBy("sequence")
    .limit(p.batch),
);

/**
 * How many events of each root group are surplus. All may keep the same number, the largest with which the total is within the
 * maximum, so those with fewer lose none because of others.
 * @param counts of the events, by root group
 */
export function surplusOf(counts: ReadonlyMap<string, number>, maximum: number): Map<string, number> {
  let left = maximum;
  const surplus = new Map<string, number>();
  const ascending = [...counts].toSorted(([, a], [, b]) => a - b);
  for (const [index, [root, count]] of ascending.entries()) {
    const kept = Math.min(count, Math.floor(left / (ascending.length - index)));
    left -= kept;
    if (kept < count) surplus.set(root, count - kept);
  }
  return surplus;
}

/**
 * Deletes events until this number is left, in small transactions: the oldest of the root groups that have more than their part. What is
 * about no root group has a part of its own. Changes are not events, and stay.
 * @returns how many it deleted @throws the reason of the signal
 */
export async function deleteSurplusEvents(database: Database, maximum: number, signal: AbortSignal): Promise<number> {
  const surplus = surplusOf(await countsOfRoots(database, signal), maximum);
  let deleted = 0;
  for (let after = 0; surplus.size > 0; ) {
    const events = await database.read((tx) => tx.all(next, { after, batch }));
    signal.throwIfAborted();
    const last = events.at(-1);
    if (last === undefined) break;
    after = last.sequence;
    const found = events.filter(({ root }) => takeOne(surplus, root)).map(({ sequence }) => sequence);
    if (found.length === 0) continue;
    await database.write(
      (tx: Writer) => tx.query((db) => db.deleteFrom("audit_log").where("sequence", "in", found)),
      undefined,
      "reserved",
    );
    deleted += found.length;
    await setTimeout(pause, undefined, { signal });
  }
  return deleted;
}

async function countsOfRoots(database: Database, signal: AbortSignal): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (let after = 0; ; ) {
    const rows = await database.read((tx) => tx.all(ofRoots, { after, stride }));
    signal.throwIfAborted();
    if (rows.length === 0) return counts;
    for (const { root, events } of rows) counts.set(root, (counts.get(root) ?? 0) + events);
    after = Math.max(...rows.map(({ last }) => last));
  }
}

/** @returns whether the root group had surplus, which is one less now */
function takeOne(surplus: Map<string, number>, root: string): boolean {
  const count = surplus.get(root);
  if (count === undefined) return false;
  if (count === 1) surplus.delete(root);
  else surplus.set(root, count - 1);
  return true;
}
