import { restoreSqlite } from "#src/platform/store/sqlite/sqlite-backup.ts";
import { defineCommand } from "#src/commands/command.ts";
import { dataLocation, dataSettings } from "./data.ts";
import * as settings from "#src/commands/settings/settings.ts";

export default defineCommand({
  summary: "restore a platform's SQLite data from a backup",
  settings: {
    file: settings.operand(settings.file, "A file that muster platform backup wrote."),
    ...dataSettings,
  },
  run: async (values, { stdout }) => {
    const location = dataLocation(values);
    if (location.kind === "database")
      throw new Error("--database: use pg_restore, into an empty database, to restore a PostgreSQL backup of pg_dump");
    settings.requireFolderOf("--data", location.path);
    restoreSqlite(values.file, location.path);
    stdout.write(
      `Restored the data to ${location.path}. Start the platform with the key file that encrypted the data.\n`,
    );
  },
});
