import { hash, randomBytes } from "node:crypto";
import { type Reader, statement, type Writer } from "../store/database.ts";
import type { Admin } from "./caller.ts";

/** Distinguishes an admin token from a JWT, for people and for secret scanners. */
const prefix = "muster-admin-";

/** An admin token that is for one person or program, and that expires. */
export interface NamedAdmin {
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly expires: number;
}

const insert = statement((db, p: { hash: string; create_time: number; name: string | null; expires: number | null }) =>
  db.insertInto("admin_tokens").values({ hash: p.hash, create_time: p.create_time, name: p.name, expires: p.expires }),
);
const select = statement((db, p: { hash: string }) =>
  db.selectFrom("admin_tokens").select(["name", "expires"]).where("hash", "=", p.hash),
);
const selectNamed = statement((db) =>
  db.selectFrom("admin_tokens").select(["name", "expires"]).where("name", "is not", null).orderBy("name"),
);
const deleteNamed = statement((db, p: { name: string }) => db.deleteFrom("admin_tokens").where("name", "=", p.name));
const deleteOtherUnnamed = statement((db, p: { hash: string }) =>
  db.deleteFrom("admin_tokens").where("hash", "!=", p.hash).where("name", "is", null),
);

export function newAdminToken(): string {
  return prefix + randomBytes(32).toString("base64url");
}

export function looksLikeAdminToken(token: string): boolean {
  return token.startsWith(prefix);
}

/** Stores the hash of the token, so that the token cannot be recovered from the data. */
export async function insertAdminToken(tx: Writer, token: string, now: number, named?: NamedAdmin): Promise<void> {
  const { name = null, expires = null } = named ?? {};
  await tx.run(insert, { hash: hashOf(token), create_time: now, name, expires });
}

/** Deletes all admin tokens without a name but this one. */
export async function deleteOtherUnnamedTokens(tx: Writer, token: string): Promise<void> {
  await tx.run(deleteOtherUnnamed, { hash: hashOf(token) });
}

/** Deletes the token of a named admin. @returns whether there was one */
export async function deleteNamedAdmin(tx: Writer, name: string): Promise<boolean> {
  return (await tx.run(deleteNamed, { name })) > 0;
}

/** The named admins by name, including those whose tokens have expired. */
export async function namedAdmins(tx: Reader): Promise<readonly NamedAdmin[]> {
  const rows = await tx.all(selectNamed, {});
  return rows.map(({ name, expires }) => ({ name: name ?? "", expires: expires ?? 0 }));
}

/** Whose admin token this is; undefined if it is not valid at the time `now`. */
export async function findAdmin(tx: Reader, token: string, now: number): Promise<Admin | undefined> {
  const row = await tx.first(select, { hash: hashOf(token) });
  if (row === undefined || (row.expires !== null && row.expires <= now)) return undefined;
  return row.name === null ? { kind: "admin" } : { kind: "admin", name: row.name };
}

/** A random token of 256 bits does not need a slow hash. */
function hashOf(token: string): string {
  return hash("sha256", token, "hex");
}
