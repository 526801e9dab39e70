import { hash as digest, randomBytes } from "node:crypto";
import type { Kysely } from "kysely";
import { loginLimits } from "../limits/login-limits.ts";
import { mayTake } from "../shares/share.ts";
import { type Reader, statement, type Writer } from "../store/database.ts";
import type { Tables } from "../store/schema/tables.ts";
import { OAuthError } from "./oauth-error.ts";

type State = "pending" | "approved" | "denied" | "used";

interface Row {
  hash: string;
  user_code_hash: string | null;
  address: string;
  expires: number;
  state: State;
  next_poll: number;
  content: string;
}

/** A code as it is stored. */
export interface StoredCode<C> {
  readonly hash: string;
  readonly state: State;
  /** Milliseconds since the epoch. */
  readonly expires: number;
  readonly nextPoll: number;
  readonly content: C;
}

const deleteExpired = statement((db, p: { now: number }) => db.deleteFrom("login_codes").where("expires", "<=", p.now));
const count = (db: Kysely<Tables>) =>
  db.selectFrom("login_codes").select((row) => row.fn.countAll<number | string>().as("count"));
/** Each is served by an index alone. */
const countOfDevices = statement((db) => count(db).where("user_code_hash", "is not", null));
const countOfPrograms = statement((db) => count(db).where("user_code_hash", "is", null));
const countOf = statement((db, p: { address: string }) => count(db).where("address", "=", p.address));
const insert = statement((db, p: Row) =>
  db.insertInto("login_codes").values({
    hash: p.hash,
    user_code_hash: p.user_code_hash,
    address: p.address,
    expires: p.expires,
    state: p.state,
    next_poll: p.next_poll,
    content: p.content,
  }),
);
const byHash = statement((db, p: { hash: string }) =>
  db.selectFrom("login_codes").selectAll().where("hash", "=", p.hash),
);
const byUserCode = statement((db, p: { hash: string }) =>
  db.selectFrom("login_codes").selectAll().where("user_code_hash", "=", p.hash),
);
const update = statement((db, p: { hash: string; state: string; content: string }) =>
  db.updateTable("login_codes").set({ state: p.state, content: p.content }).where("hash", "=", p.hash),
);
const updateNextPoll = statement((db, p: { hash: string; next_poll: number }) =>
  db.updateTable("login_codes").set({ next_poll: p.next_poll }).where("hash", "=", p.hash),
);
const remove = statement((db, p: { hash: string }) => db.deleteFrom("login_codes").where("hash", "=", p.hash));

export function newCode(): string {
  return randomBytes(32).toString("base64url");
}

/** A random code of 256 bits does not need a slow hash; the code that a person types lives for minutes. */
export function hashOf(code: string): string {
  return digest("sha256", code, "base64url");
}

/**
 * Stores a code. Codes are bounded, and addresses share what is free, so that no client can prevent the logins of others. The codes
 * of devices, which anybody can request, are counted apart from those of people who have logged in.
 * @throws OAuthError (temporarily_unavailable) if there are too many
 */
export async function insertCode(
  tx: Writer,
  code: {
    readonly hash: string;
    readonly userCodeHash?: string;
    readonly address: string;
    readonly expires: number;
    readonly state: State;
    readonly content: unknown;
  },
  now: number,
): Promise<void> {
  await tx.run(deleteExpired, { now });
  const [countAll, limit] =
    code.userCodeHash === undefined
      ? [countOfPrograms, loginLimits.authorizationCodes]
      : [countOfDevices, loginLimits.deviceCodes];
  const all = Number((await tx.first(countAll, {}))?.count);
  if (!(await mayStore(tx, code.address, { all, free: limit.value - all })))
    throw new OAuthError("temporarily_unavailable", "too many logins are not complete; try again in some minutes");
  await tx.run(insert, {
    hash: code.hash,
    user_code_hash: code.userCodeHash ?? null,
    address: code.address,
    expires: code.expires,
    state: code.state,
    next_poll: 0,
    content: JSON.stringify(code.content),
  });
}

/** Whether an address may have one more code. Its own are counted only if that decides. */
async function mayStore(
  reader: Reader,
  address: string,
  { all, free }: { readonly all: number; readonly free: number },
): Promise<boolean> {
  if (mayTake(1, all, free, "address")) return true;
  if (free < 1) return false;
  const own = Number((await reader.first(countOf, { address }))?.count);
  return mayTake(1, own, free, "address");
}

/** @param contentOf reads the content, which only this platform writes */
export async function findCode<C>(reader: Reader, hash: string): Promise<StoredCode<C> | undefined> {
  return stored<C>(await reader.first(byHash, { hash }));
}

export async function findByUserCode<C>(reader: Reader, hash: string): Promise<StoredCode<C> | undefined> {
  return stored<C>(await reader.first(byUserCode, { hash }));
}

export async function changeCode(tx: Writer, hash: string, state: State, content: unknown): Promise<void> {
  await tx.run(update, { hash, state, content: JSON.stringify(content) });
}

export async function delayPoll(tx: Writer, hash: string, nextPoll: number): Promise<void> {
  await tx.run(updateNextPoll, { hash, next_poll: nextPoll });
}

export async function deleteCode(tx: Writer, hash: string): Promise<void> {
  await tx.run(remove, { hash });
}

function stored<C>(row: (Omit<Row, "state"> & { state: string }) | undefined): StoredCode<C> | undefined {
  if (row === undefined) return undefined;
  const { hash, state, expires, next_poll: nextPoll, content } = row;
  return { hash, state: state as State, expires, nextPoll, content: JSON.parse(content) as C };
}
