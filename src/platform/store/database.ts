import type { Compilable, Kysely } from "kysely";
import type { Tables } from "./schema/tables.ts";

/**
 * A query whose text is compiled once for each backend: `build` sees a placeholder for each parameter. The library
 * builds the SQL; the hot path pays only for running it.
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

/** A query made for one call, where its shape depends on the request. */
export type Query<R> = (db: Kysely<Tables>) => Compilable<R>;

/** What a transaction sees: everything that was committed before it, and its own changes. */
export interface Reader {
  all<P extends object, R>(statement: Statement<P, R>, parameters: P): Promise<R[]>;
  first<P extends object, R>(statement: Statement<P, R>, parameters: P): Promise<R | undefined>;
  query<R>(query: Query<R>): Promise<R[]>;
}

export interface Writer extends Reader {
  /** Changes rows and tells how many. */
  run<P extends object>(statement: Statement<P, unknown>, parameters: P): Promise<number>;
}

/**
 * Where the platform keeps what it knows: one interface, one suite of cases (`database.cases.ts`) for every backend.
 *
 * Guarantees: a `write` is atomic and serial with all other writes, and durable when its promise resolves; what
 * throws inside undoes that write alone. A `read` sees one state of committed writes.
 *
 * Assumptions: the functions wait for nothing but their own transaction (no network, no timer, no transaction within
 * another), and a write may be run again from its start, so it changes nothing outside.
 */
export interface Database {
  read<T>(work: (reader: Reader) => Promise<T>): Promise<T>;
  write<T>(work: (writer: Writer) => Promise<T>): Promise<T>;
  /** Runs what was accepted to its end, then closes. */
  close(): Promise<void>;
}

/** The database could not take a write, or answer a read: it is locked, full, broken or not to be reached. */
export class DatabaseUnavailableError extends Error {
  override readonly name = "StoreUnavailableError";
  /** What is left of a write: nothing, unless the connection broke just while it was committed. */
  readonly kept: "nothing" | "unknown";
  constructor(message: string, { kept = "nothing", ...options }: ErrorOptions & { kept?: "nothing" | "unknown" } = {}) {
    super(message, options);
    this.kept = kept;
  }
}

/** The data was written by a newer version of the platform: it is left alone. */
export class NewerSchemaError extends Error {
  override readonly name = "NewerSchemaError";
  constructor(found: number, known: number) {
    super(`the data has schema version ${found}, this version of the platform knows ${known}: use a newer version`);
  }
}
