import { hash, randomBytes } from "node:crypto";
import { type Reader, statement, type Writer } from "../store/database.ts";

/** Tells an admin token from a JWT at a glance, for people and for scanners of secrets. */
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

/** Keeps the token's hash: who reads the data cannot call with it. */
export async function insertAdminToken(tx: Writer, token: string, now: number): Promise<void> {
  await tx.run(insert, { hash: hashOf(token), create_time: now });
}

/** Leaves the token as the only one. */
export async function deleteOtherAdminTokens(tx: Writer, token: string): Promise<void> {
  await tx.run(deleteOthers, { hash: hashOf(token) });
}

export async function isAdminToken(tx: Reader, token: string): Promise<boolean> {
  return (await tx.first(select, { hash: hashOf(token) })) !== undefined;
}

/** A random token of 256 bits needs no slow hash. */
function hashOf(token: string): string {
  return hash("sha256", token, "hex");
}
