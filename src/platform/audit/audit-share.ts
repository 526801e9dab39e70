import { hours } from "#src/time/durations.ts";
import { quotaExceeded } from "../errors/api-error.ts";
import { auditSharesOf } from "../limits/quota.ts";
import { type Database, statement, type Writer } from "../store/database.ts";
import type { ChangeAction } from "./audit-record.ts";
import type { AuthoredWriter } from "./authored-writer.ts";

const dayMs = hours(24);
/** The owner of the records of admins, who belong to no root group. */
const admins = "";

const charge = statement((db, p: { owner: string; day: number; bytes: number }) =>
  db
    .insertInto("audit_shares")
    .values({ owner: p.owner, day: p.day, bytes: p.bytes })
    .onConflict((conflict) =>
      conflict.column("owner").doUpdateSet((row) => {
        // The clocks of replicas differ: a new day begins once.
        const isNewDay = row("excluded.day", ">", row.ref("audit_shares.day"));
        return {
          day: row.case().when(isNewDay).then(row.ref("excluded.day")).else(row.ref("audit_shares.day")).end(),
          bytes: row
            .case()
            .when(isNewDay)
            .then(row.ref("excluded.bytes"))
            .else(row("audit_shares.bytes", "+", row.ref("excluded.bytes")))
            .end(),
        };
      }),
    )
    .returning("bytes"),
);
const deleteBefore = statement((db, p: { day: number }) => db.deleteFrom("audit_shares").where("day", "<", p.day));

/** What a change costs the share of its root group, and the form in which it is recorded. */
export interface Charge {
  readonly form: "full" | "short";
  /** Charges what the record takes instead of what was charged for its full form. @param bytes of what is written in its place */
  readonly correct: (bytes: number) => Promise<void>;
}

/**
 * Charges the share of a root group for the record of a change, in the transaction of the change. A share is of a day (UTC). Changes by
 * the host and the platform itself cost nothing; those by admins have a share of their own, and are never refused.
 * @param root of the resource @param bytes of the record in full form
 * @throws ApiError (8) if the day's share is used up; the change is not made then. Never for a deletion: there are at most as many as
 * resources.
 */
export async function chargeForRecord(
  tx: AuthoredWriter,
  { root, action, bytes }: { readonly root: string; readonly action: ChangeAction; readonly bytes: number },
): Promise<Charge> {
  if (tx.quota === undefined) return { form: "full", correct: () => Promise.resolve() };
  const owner = tx.author.kind === "admin" ? admins : root;
  const day = Math.floor(tx.now / dayMs);
  const used = (await tx.first(charge, { owner, day, bytes }))?.bytes ?? 0;
  const { full, all, withRevocations } = auditSharesOf(tx.quota);
  const limit = action === "delete" ? Number.POSITIVE_INFINITY : action === "revokeTokens" ? withRevocations : all;
  if (owner !== admins && used - bytes >= limit) throw usedUp(owner, limit, (day + 1) * dayMs);
  return {
    form: used <= full ? "full" : "short",
    correct: async (taken) => void (await tx.run(charge, { owner, day, bytes: taken - bytes })),
  };
}

function usedUp(root: string, limit: number, end: number) {
  return quotaExceeded(
    root,
    `the changes in group "${root}" have ${limit} bytes of audit records today, which is its share (--maximum-audit-bytes); further ones are refused until ${new Date(end).toISOString()}, except deletions`,
  );
}

/** Deletes the shares of days that are over, which nothing needs. */
export async function deleteOldShares(database: Pick<Database, "write">, now: number): Promise<void> {
  const day = Math.floor(now / dayMs) - 1;
  await database.write((tx: Writer) => tx.run(deleteBefore, { day }), undefined, "reserved");
}
