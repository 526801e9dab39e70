import { DatabaseSync, type SQLOutputValue } from "node:sqlite";
import { Client } from "pg";
import { PostgresDatabase } from "./postgres-database.ts";

/** The number of rows of each table that were copied, by the name of the table. */
export type CopiedRows = ReadonlyMap<string, number>;

/** Rows of one statement. A row is a few hundred bytes, or some KiB for an advisory. */
const batchSize = 500;
const arrayTypes = { text: "text[]", integer: "bigint[]", blob: "bytea[]" } as const;

interface Column {
  readonly name: string;
  readonly type: keyof typeof arrayTypes;
}

/**
 * Copies every row of a platform's SQLite file to a PostgreSQL database without rows, in one transaction: all of them, with
 * their uids, or none. Platforms cannot write to the target meanwhile. The counts of each table are compared before the commit.
 * @param file the data of this version, which nothing writes to
 * @param url `postgres://USER:PASSWORD@HOST:PORT/DATABASE`; its schema is created or migrated
 * @throws Error if the target has rows, or the tables or counts differ
 * @throws UnsupportedSchemaError, DatabaseUnavailableError
 */
export async function copyFromSqlite(file: string, url: string, signal: AbortSignal): Promise<CopiedRows> {
  const migrated = await PostgresDatabase.open(url, { connections: 1 });
  await migrated.close();
  const source = new DatabaseSync(file, { readOnly: true });
  const target = new Client({ connectionString: url, application_name: "muster platform migrate" });
  // A lost connection fails the next statement.
  target.on("error", () => {});
  try {
    await target.connect();
    // The lock of every write of a platform.
    await target.query("begin; lock table schema_version in exclusive mode");
    const tables = tablesOf(source);
    await requireEqualTables(tables, target);
    await requireNoRows(tables, target);
    const copied = new Map<string, number>();
    for (const table of tables) copied.set(table, await copyTable(table, source, target, signal));
    await continueSequence(target);
    await compareCounts(copied, source, target);
    await target.query("commit");
    return copied;
  } finally {
    source.close();
    // Without a commit, closing the connection rolls back.
    await target.end();
  }
}

function tablesOf(source: DatabaseSync): readonly string[] {
  const rows = source.prepare(
    "select name from sqlite_master where type = 'table' and name <> 'schema_version' and name not like 'sqlite\\_%' escape '\\'",
  );
  return rows
    .all()
    .map(({ name }) => String(name))
    .toSorted();
}

async function requireEqualTables(tables: readonly string[], target: Client): Promise<void> {
  const { rows } = await target.query<{ name: string }>(
    `select table_name as name from information_schema.tables
     where table_schema = current_schema() and table_type = 'BASE TABLE' and table_name <> 'schema_version'`,
  );
  const found = rows.map(({ name }) => name).toSorted();
  if (found.join() !== tables.join())
    throw new Error(
      `the database must have the tables of a platform and no others; it has ${found.join(", ")}. Create a new database`,
    );
}

async function requireNoRows(tables: readonly string[], target: Client): Promise<void> {
  for (const table of tables) {
    const { rowCount } = await target.query(`select 1 from "${table}" limit 1`);
    if (rowCount !== 0)
      throw new Error(
        `the database is not empty: its table ${table} has rows. Nothing was changed. Create a new database`,
      );
  }
}

async function copyTable(table: string, source: DatabaseSync, target: Client, signal: AbortSignal): Promise<number> {
  const columns = columnsOf(table, source);
  const names = columns.map(({ name }) => `"${name}"`).join(", ");
  const arrays = columns.map(({ type }, index) => `$${index + 1}::${arrayTypes[type]}`).join(", ");
  const insert = `insert into "${table}" (${names}) overriding system value select * from unnest(${arrays})`;
  let copied = 0;
  let batch: Record<string, SQLOutputValue>[] = [];
  const flush = async () => {
    signal.throwIfAborted();
    if (batch.length === 0) return;
    const values = columns.map(({ name }) => batch.map((row) => valueOf(row[name])));
    await target.query(insert, values).catch((cause: Error) => {
      throw new Error(`a row of the table ${table} cannot be copied: ${cause.message}. Nothing was changed`, { cause });
    });
    copied += batch.length;
    batch = [];
  };
  for (const row of source.prepare(`select ${names} from "${table}"`).iterate()) {
    batch.push(row);
    if (batch.length === batchSize) await flush();
  }
  await flush();
  return copied;
}

function columnsOf(table: string, source: DatabaseSync): readonly Column[] {
  return source
    .prepare(`pragma table_info("${table}")`)
    .all()
    .map(({ name, type }) => {
      const lower = String(type).toLowerCase();
      if (lower !== "text" && lower !== "integer" && lower !== "blob")
        throw new Error(`the column ${String(name)} of ${table} has the unknown type ${lower}`);
      return { name: String(name), type: lower };
    });
}

/** pg sends a Buffer as bytes, and would send another array of bytes as an object. */
function valueOf(value: SQLOutputValue | undefined): unknown {
  return value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value;
}

/** Later records of the audit log follow those that were copied. */
async function continueSequence(target: Client): Promise<void> {
  await target.query(
    `select setval(pg_get_serial_sequence('audit_log', 'sequence'), greatest(max(sequence), 1), max(sequence) is not null) from audit_log`,
  );
}

async function compareCounts(copied: CopiedRows, source: DatabaseSync, target: Client): Promise<void> {
  for (const [table, count] of copied) {
    const [row] = source.prepare(`select count(*) as count from "${table}"`).all();
    const { rows } = await target.query<{ count: string }>(`select count(*) as count from "${table}"`);
    if (Number(row?.["count"]) !== count || Number(rows[0]?.count) !== count)
      throw new Error(
        `the table ${table} has ${String(row?.["count"])} rows in the file and ${rows[0]?.count} in the database. Nothing was changed`,
      );
  }
}
