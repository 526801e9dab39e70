import { hours } from "#src/time/durations.ts";
import { type Database, statement, type Writer } from "./database.ts";

const dayMs = hours(24);

/** The day (UTC) of a share. @param now milliseconds since the epoch */
export function dayOf(now: number): number {
  return Math.floor(now / dayMs);
}

/** When a day ends (milliseconds since the epoch). */
export function endOf(day: number): number {
  return (day + 1) * dayMs;
}

/** Takes a part of the share of an owner of a day. @returns what all replicas have taken of it with that */
export const reserveShare = statement((db, p: { owner: string; day: number; amount: number }) =>
  db
    .insertInto("daily_shares")
    .values({ owner: p.owner, day: p.day, used: p.amount })
    .onConflict((conflict) =>
      conflict.column("owner").doUpdateSet((row) => {
        // The clocks of replicas differ: a new day begins once.
        const isNewDay = row("excluded.day", ">", row.ref("daily_shares.day"));
        return {
          day: row.case().when(isNewDay).then(row.ref("excluded.day")).else(row.ref("daily_shares.day")).end(),
          used: row
            .case()
            .when(isNewDay)
            .then(row.ref("excluded.used"))
            .else(row("daily_shares.used", "+", row.ref("excluded.used")))
            .end(),
        };
      }),
    )
    .returning("used"),
);
const deleteBefore = statement((db, p: { day: number }) => db.deleteFrom("daily_shares").where("day", "<", p.day));

/** Deletes the shares of days that are over, which nothing needs. */
export async function deleteOldShares(database: Pick<Database, "write">, now: number): Promise<void> {
  const today = dayOf(now);
  await database.write((tx: Writer) => tx.run(deleteBefore, { day: today - 1 }), undefined, "reserved");
}
