import { type Statement, statement } from "./database.ts";

/** The expired rows that one statement deletes: far more than a write inserts, so that none stay for long. */
export const expiredTogether = 100;

/** The tables whose rows expire, whatever callers do: their keys, and what their rows expire by. Tenants choose how many rows they have. */
const columns = { used_tokens: ["digest", "expires"], refresh_families: ["id", "id"] } as const;

/**
 * Deletes some of the rows that have expired, those first that expired first. It runs with writes that insert a row: however
 * many rows expire at once, no write deletes all of them. Readers treat the others as if they were deleted.
 * @returns a statement that deletes what expires before `end`
 */
export function deleteExpiredFrom(table: keyof typeof columns): Statement<{ end: number | string }, unknown> {
  const [key, expiry] = columns[table];
  return statement((db, p: { end: number | string }) =>
    db
      .deleteFrom(table)
      .where(key, "in", (rows) =>
        rows.selectFrom(table).select(key).where(expiry, "<", p.end).orderBy(expiry).limit(expiredTogether),
      ),
  );
}
