import { restoreSqlite } from "#src/platform/store/sqlite/sqlite-backup.ts";
import { defineCommand } from "./command.ts";
import { dataPlace, dataSettings } from "./platform-data.ts";
import * as settings from "./settings.ts";

export default defineCommand({
  summary: "make a platform's data from a backup",
  settings: {
    file: settings.operand(settings.file, "a file that muster platform backup wrote"),
    ...dataSettings,
  },
  run: async (values, { stdout }) => {
    const place = dataPlace(values);
    if (place.kind === "database")
      throw new Error(
        "PostgreSQL has its own way to restore: pg_restore, into an empty database, of what pg_dump wrote",
      );
    restoreSqlite(values.file, place.path);
    stdout.write(
      `${place.path} holds the data. Start the platform with the key file that the data was sealed under.\n`,
    );
  },
});
