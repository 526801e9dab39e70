import { chmod, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type SQLOutputValue } from "node:sqlite";
import { PostgresDatabase } from "#src/platform/store/postgres/postgres-database.ts";
import type { PostgresServer } from "#src/platform/tests/postgres-server.testing.ts";

/**
 * Copies a filled SQLite file into a new PostgreSQL database. Each table goes through a file that the server reads,
 * which is the fastest way. Then the statistics are updated, as the server would do later by itself.
 * @returns the URL of the database
 */
export async function postgresCopy(server: PostgresServer, sqliteFile: string): Promise<string> {
  const url = await server.newDatabase();
  // Creates the schema.
  await (await PostgresDatabase.open(url, { connections: 1 })).close();
  const source = new DatabaseSync(sqliteFile, { readOnly: true });
  const folder = await mkdtemp(join(tmpdir(), "muster-bench-copy-"));
  // The server runs as another user, which must read the folder.
  await chmod(folder, 0o755);
  try {
    const tables = source.prepare("select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'");
    for (const { name } of tables.all()) {
      const [table, file] = [String(name), join(folder, String(name))];
      const columns = await writeTable(source, table, file);
      if (columns.length > 0) await server.run(url, `copy ${table} (${columns.join(", ")}) from '${file}'`);
      await rm(file, { force: true });
    }
  } finally {
    source.close();
    await rm(folder, { recursive: true });
  }
  await server.run(url, "select setval(pg_get_serial_sequence('audit_log', 'sequence'), max(sequence)) from audit_log");
  await server.run(url, "vacuum analyze");
  return url;
}

/** Writes a table in the text format of COPY. @returns its columns; none if the table is empty */
async function writeTable(source: DatabaseSync, table: string, path: string): Promise<string[]> {
  const file = await open(path, "wx", 0o644);
  let columns: string[] = [];
  let lines = "";
  for (const row of source.prepare(`select * from ${table}`).iterate()) {
    if (columns.length === 0) columns = Object.keys(row);
    lines += `${Object.values(row).map(copyText).join("\t")}\n`;
    if (lines.length < 1_000_000) continue;
    await file.write(lines);
    lines = "";
  }
  await file.write(lines);
  await file.close();
  return columns;
}

function copyText(value: SQLOutputValue): string {
  if (value === null) return "\\N";
  if (value instanceof Uint8Array)
    return `\\\\x${Buffer.from(value.buffer, value.byteOffset, value.length).toString("hex")}`;
  return String(value).replace(/[\\\n\r\t]/g, (character) => `\\${character}`);
}
