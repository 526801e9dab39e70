import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { backupSqlite } from "#src/platform/store/sqlite/sqlite-backup.ts";
import { SqliteDatabase } from "#src/platform/store/sqlite/sqlite-database.ts";
import { defineCommand } from "#src/commands/command.ts";
import { anyOutput, formatValue } from "#src/commands/output/output-format.ts";
import * as settings from "#src/commands/settings/settings.ts";
import { databaseUrl, withStoppedData } from "./data.ts";

export default defineCommand({
  summary: "copy a platform's data from SQLite to an empty PostgreSQL database, with all uids",
  description: `Stop the platform first: what it changes after the copy has started is not copied. The file is not changed, and the database gets all rows or none. Then start the platform with --database, the same --key-file, --base-url and --auth-url. Keep the file until it runs.`,
  settings: {
    stopped: settings.toggle("Confirm that the platform is stopped. Required."),
    data: settings.required(settings.file, "The SQLite file to copy from."),
    database: settings.required(
      databaseUrl(),
      "The PostgreSQL database to copy to, without rows. Without sslmode=verify-full in the URL, the connection is not encrypted. Prefer the environment variable if the URL contains a password: other users of the machine can see the command line.",
    ),
    output: anyOutput("table"),
  },
  run: async ({ stopped, data, database, output }, { signal, stdout }) => {
    if (!stopped) throw new settings.SettingsError(["--stopped is required: it confirms that the platform is stopped"]);
    // Imported on demand, because only this command and platforms on PostgreSQL need its client.
    const { copyFromSqlite } = await import("#src/platform/store/postgres/copy-from-sqlite.ts");
    await withStoppedData({ kind: "file", path: data }, "muster platform migrate", async () => {
      const snapshot = `${data}.migration-${randomBytes(6).toString("hex")}`;
      try {
        backupSqlite(data, snapshot);
        // Data of an older version is brought up to date in the snapshot only.
        await new SqliteDatabase(snapshot).close();
        const rows = await copyFromSqlite(snapshot, database, signal);
        const counts = [...rows].map(([table, count]) => [table, count.toLocaleString("en")] as const);
        stdout.write(await formatValue(output, { rows: Object.fromEntries(rows) }, counts));
      } finally {
        for (const suffix of ["", "-wal", "-shm"]) rmSync(snapshot + suffix, { force: true });
      }
    });
  },
});
