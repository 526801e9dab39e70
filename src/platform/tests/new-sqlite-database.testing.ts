import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SqliteDatabase } from "#src/platform/store/sqlite/sqlite-database.ts";

/** The file of a database with the platform's schema and no rows, from which the others are copied: migrations take longer. */
let template: Promise<Buffer> | undefined;

/** Makes a database at `path`, where no file may be, with the platform's schema and no rows. */
export async function newSqliteDatabase(path: string): Promise<SqliteDatabase> {
  writeFileSync(path, await (template ??= makeTemplate()), { mode: 0o600, flag: "wx" });
  return new SqliteDatabase(path);
}

async function makeTemplate(): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), "muster-template-"));
  try {
    const path = join(folder, "data");
    // Closing it moves everything into this one file.
    await new SqliteDatabase(path).close();
    return readFileSync(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
