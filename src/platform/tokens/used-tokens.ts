import { hash } from "node:crypto";
import { statement, type Writer } from "../store/database.ts";

const insert = statement((db, p: { digest: string; expires: number }) =>
  db
    .insertInto("used_tokens")
    .values({ digest: p.digest, expires: p.expires })
    .onConflict((conflict) => conflict.column("digest").doNothing()),
);
const deleteExpired = statement((db, p: { now: number }) => db.deleteFrom("used_tokens").where("expires", "<=", p.now));

/**
 * Remembers a token that is accepted once, on every replica.
 * @param expires when the token is rejected for its age anyway
 * @returns false if it was used before
 */
export async function useOnce(tx: Writer, token: string, now: number, expires: number): Promise<boolean> {
  await tx.run(deleteExpired, { now });
  return (await tx.run(insert, { digest: hash("sha256", token, "base64url"), expires })) === 1;
}
