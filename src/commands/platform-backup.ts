import { backupSqlite } from "#src/platform/store/sqlite/sqlite-backup.ts";
import { defineCommand } from "./command.ts";
import { dataPlace, dataSettings } from "./platform-data.ts";
import * as settings from "./settings.ts";

export default defineCommand({
  summary: "copy a platform's data into a file while it runs",
  settings: {
    file: settings.operand(settings.file, "the file to write; it must not exist yet"),
    ...dataSettings,
  },
  run: async (values, { stdout }) => {
    const place = dataPlace(values);
    if (place.kind === "database")
      throw new Error(
        "PostgreSQL has its own backup, which platforms that run do not disturb: pg_dump --format=custom",
      );
    backupSqlite(place.path, values.file);
    stdout.write(
      `${values.file} holds the data. What is secret in it is sealed under the platform's key file: keep a copy of that elsewhere.\n`,
    );
  },
});
