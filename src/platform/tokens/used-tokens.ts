import { hash } from "node:crypto";
import { rootOf } from "../contract/uid.ts";
import { quotaExceeded } from "../errors/api-error.ts";
import { tokenLimits } from "../limits/token-limits.ts";
import { type Reader, statement, type Writer } from "../store/database.ts";
import { dayOf, endOf, reserveShare } from "../store/daily-share.ts";
import { deleteExpiredFrom } from "../store/expired-rows.ts";

const insert = statement((db, p: { digest: string; expires: number }) =>
  db
    .insertInto("used_tokens")
    .values({ digest: p.digest, expires: p.expires })
    .onConflict((conflict) => conflict.column("digest").doNothing()),
);
const select = statement((db, p: { digest: string; now: number }) =>
  db.selectFrom("used_tokens").select("digest").where("digest", "=", p.digest).where("expires", ">", p.now),
);
const deleteExpired = deleteExpiredFrom("used_tokens");

/** A token that is accepted once. */
export interface SingleUse {
  readonly token: string;
  /** The uid of the root group, or of anything in it, whose share of the day it counts against. */
  readonly owner: string;
  /** When the token is rejected for its age anyway. */
  readonly expires: number;
}

/**
 * Remembers a token that is accepted once, on every replica.
 * @returns false if it was used before
 * @throws ApiError (8) if its root group has used as many as it may in a day
 */
export async function useOnce(tx: Writer, { token, owner, expires }: SingleUse, now: number): Promise<boolean> {
  await tx.run(deleteExpired, { end: now + 1 });
  if ((await tx.run(insert, { digest: digestOf(token), expires })) === 0) return false;
  const root = rootOf(owner);
  const day = dayOf(now);
  const row = await tx.first(reserveShare, { owner: `used tokens of ${root}`, day, amount: 1 });
  const limit = tokenLimits.usedTokens.value;
  if ((row?.used ?? 1) <= limit) return true;
  throw quotaExceeded(
    root,
    `${limit} requests to AWS, consents and invites were used in group "${root}" today; further ones are refused until ${new Date(endOf(day)).toISOString()}`,
  );
}

/** Whether a token was used, and is remembered at this time. */
export async function wasUsed(reader: Reader, token: string, now: number): Promise<boolean> {
  return (await reader.first(select, { digest: digestOf(token), now })) !== undefined;
}

function digestOf(token: string): string {
  return hash("sha256", token, "base64url");
}
