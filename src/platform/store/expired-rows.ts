import { type Statement, statement } from "./database.ts";

/** The expired rows that one statement deletes: far more than a write inserts, so that none stay for long. */
export const expiredTogether = 100;

/** The tables whose rows expire, whatever callers do, with their keys. Tenants choose how many rows they have. */
const keys = { used_tokens: "digest", refresh_families: "id" } as const;

/**
 * Deletes some of the rows that have expired, those first that expired first. It runs with each write that inserts a row: however
 * many rows expire at once, no write deletes all of them. Readers treat the others as if they were deleted.
 */
export function deleteExpiredFrom(table: keyof typeof keys): Statement<{ now: number }, unknown> {
  return statement((db, p: { now: number }) =>
    db
      .deleteFrom(table)
      .where(keys[table], "in", (rows) =>
        rows
          .selectFrom(table)
          .select(keys[table])
          .where("expires", "<=", p.now)
          .orderBy("expires")
          .limit(expiredTogether),
      ),
  );
}
