import { hash } from "node:crypto";
import { type Reader, statement, type Writer } from "../store/database.ts";
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

/**
 * Remembers a token that is accepted once, on every replica.
 * @param expires when the token is rejected for its age anyway
 * @returns false if it was used before
 */
export async function useOnce(tx: Writer, token: string, now: number, expires: number): Promise<boolean> {
  await tx.run(deleteExpired, { now });
  return (await tx.run(insert, { digest: digestOf(token), expires })) === 1;
}

/** Whether a token was used, and is remembered at this time. */
export async function wasUsed(reader: Reader, token: string, now: number): Promise<boolean> {
  return (await reader.first(select, { digest: digestOf(token), now })) !== undefined;
}

function digestOf(token: string): string {
  return hash("sha256", token, "base64url");
}
