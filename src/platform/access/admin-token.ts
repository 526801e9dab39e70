import { hash, randomBytes } from "node:crypto";
import { type Reader, statement, type Writer } from "../store/database.ts";

/** Distinguishes an admin token from a JWT, for people and for secret scanners. */
const prefix = "muster-admin-";

const insert = statement((db, p: { hash: string; create_time: number }) =>
  db.insertInto("admin_tokens").values({ hash: p.hash, create_time: p.create_time }),
);
const select = statement((db, p: { hash: string }) =>
  db.selectFrom("admin_tokens").select("hash").where("hash", "=", p.hash),
);

const deleteOthers = statement((db, p: { hash: string }) => db.deleteFrom("admin_tokens").where("hash", "!=", p.hash));

export function newAdminToken(): string {
  return prefix + randomBytes(32).toString("base64url");
}

export function looksLikeAdminToken(token: string): boolean {
  return token.startsWith(prefix);
}

/** Stores the hash of the token, so that the token cannot be recovered from the data. */
export async function insertAdminToken(tx: Writer, token: string, now: number): Promise<void> {
  await tx.run(insert, { hash: hashOf(token), create_time: now });
}

/** Deletes all admin tokens but this one. */
export async function deleteOtherAdminTokens(tx: Writer, token: string): Promise<void> {
  await tx.run(deleteOthers, { hash: hashOf(token) });
}

export async function isAdminToken(tx: Reader, token: string): Promise<boolean> {
  return (await tx.first(select, { hash: hashOf(token) })) !== undefined;
}

/** A random token of 256 bits does not need a slow hash. */
function hashOf(token: string): string {
  return hash("sha256", token, "hex");
}
