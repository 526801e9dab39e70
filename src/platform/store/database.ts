import type { Compilable, Kysely } from "kysely";
import type { Share } from "../shares/share.ts";
import type { Tables } from "./schema/tables.ts";

/**
 * A query that is compiled once per backend: `build` receives a placeholder for each parameter. The query builder is not
 * on the hot path; each call only runs the compiled SQL.
 */
export interface Statement<P, R> {
  readonly build: (db: Kysely<Tables>, parameters: P) => Compilable<R>;
}

/** @example const byUid = statement((db, p: { uid: string }) => db.selectFrom("groups").selectAll().where("uid", "=", p.uid)) */
export function statement<P extends object, R>(
  build: (db: Kysely<Tables>, parameters: P) => Compilable<R>,
): Statement<P, R> {
  return { build };
}

/** A query that is built for each call, because its shape depends on the request. */
export type Query<R> = (db: Kysely<Tables>) => Compilable<R>;

/** A transaction that reads. It sees everything that was committed before it, and its own changes. */
export interface Reader {
  all<P extends object, R>(statement: Statement<P, R>, parameters: P): Promise<R[]>;
  first<P extends object, R>(statement: Statement<P, R>, parameters: P): Promise<R | undefined>;
  query<R>(query: Query<R>): Promise<R[]>;
}

export interface Writer extends Reader {
  /** Runs a statement that changes rows. @returns how many it changed */
  run<P extends object>(statement: Statement<P, unknown>, parameters: P): Promise<number>;
}

/**
 * `reserved`: what takes something away, such as access, or records a security event. It is written also while there is no space for
 * anything else, if the backend has a reserve.
 */
export type WritePriority = "normal" | "reserved";

/**
 * The database of the platform: one interface with one contract suite (`database-contract.testing.ts`) for all backends.
 *
 * Guarantees: a `write` is atomic, serial with all other writes, and durable when its promise resolves. An error inside
 * it rolls back that write alone. A `read` sees one consistent state of committed writes.
 *
 * Work that waits is served in an order that is fair to those whose `shares` it uses (`shares/fair-queue.ts`), so that nobody
 * waits for all work of a caller that has much. Work without shares has those of all such work together.
 *
 * Assumptions: the callback awaits nothing but its own transaction (no network, no timer, no nested transaction). It may be run
 * again from its start, so it has no side effects outside its transaction.
 */
export interface Database {
  read<T>(work: (reader: Reader) => Promise<T>, shares?: readonly Share[]): Promise<T>;
  write<T>(work: (writer: Writer) => Promise<T>, shares?: readonly Share[], priority?: WritePriority): Promise<T>;
  /** Completes the reads and writes that were accepted, then closes. */
  close(): Promise<void>;
}

/**
 * The outcome of a write that failed: unknown if the connection was lost during the commit, partial if some of several transactions
 * were committed.
 */
export type WriteOutcome = "notCommitted" | "unknown" | "partial";

/** A read or write failed because the database is locked, full, damaged or unreachable. */
export class DatabaseUnavailableError extends Error {
  override readonly name = "DatabaseUnavailableError";
  readonly outcome: WriteOutcome;
  constructor(
    message: string,
    { outcome = "notCommitted", ...options }: ErrorOptions & { outcome?: WriteOutcome } = {},
  ) {
    super(message, options);
    this.outcome = outcome;
  }
}
