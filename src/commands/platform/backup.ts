import { backupSqlite } from "#src/platform/store/sqlite/sqlite-backup.ts";
import { defineCommand } from "#src/commands/command.ts";
import { dataLocation, dataSettings } from "./data.ts";
import * as settings from "#src/commands/settings/settings.ts";

export default defineCommand({
  summary: "copy a platform's SQLite data to a file, also while the platform runs",
  settings: {
    file: settings.operand(settings.file, "The file to write. It must not exist."),
    ...dataSettings,
  },
  run: async (values, { stdout }) => {
    const location = dataLocation(values);
    if (location.kind === "database")
      throw new Error("--database: use pg_dump --format=custom to back up PostgreSQL, also while platforms run");
    settings.requireFolderOf("FILE", values.file);
    backupSqlite(location.path, values.file);
    stdout.write(
      `Wrote the backup to ${values.file}. Secrets in it are encrypted with the platform's key file: back that file up separately.\n`,
    );
  },
});
