/** The spelling of types and clauses in one backend. */
export interface SqlTypes {
  /** Text that is compared byte by byte. */
  readonly text: string;
  readonly integer: string;
  readonly bytes: string;
  /** A primary key that numbers rows in the order of insertion. */
  readonly sequence: string;
  /** The clause after a table's columns that stores its rows in the order of the primary key. */
  readonly clustered: string;
}

/** One step of the schema, forward only, as statements. Its version is its position in `migrations`, from 1. */
export type Migration = (types: SqlTypes) => readonly string[];

export const sqliteTypes: SqlTypes = {
  text: "text",
  integer: "integer",
  bytes: "blob",
  sequence: "integer primary key autoincrement",
  clustered: "without rowid",
};

export const postgresTypes: SqlTypes = {
  text: 'text collate "C"',
  integer: "bigint",
  bytes: "bytea",
  sequence: "bigint generated always as identity primary key",
  clustered: "",
};
