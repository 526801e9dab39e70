import { rotateAdminToken } from "#src/platform/rotate-admin-token.ts";
import { defineCommand } from "#src/commands/command.ts";
import { dataLocation, dataSettings, defaultFile, openExistingDatabase } from "./data.ts";
import * as settings from "#src/commands/settings/settings.ts";

export default defineCommand({
  summary: "replace the admin token of a platform, also while it runs",
  settings: {
    rotate: settings.toggle("Create a new admin token and revoke the current one. Required."),
    adminTokenFile: settings.optional(
      settings.file,
      "The file to which the token is written, with mode 0600. (default: the --data file name with .admin-token appended; required with --database)",
    ),
    ...dataSettings,
  },
  run: async (values, { stdout }) => {
    if (!values.rotate)
      throw new settings.SettingsError(["--rotate is required: it confirms that the current token is revoked"]);
    const location = dataLocation(values);
    const file = defaultFile(location, "admin-token", values.adminTokenFile);
    const database = await openExistingDatabase(location);
    try {
      await rotateAdminToken(database, file, Date.now());
    } finally {
      await database.close();
    }
    stdout.write(`Wrote the new admin token to ${file}. All earlier admin tokens are revoked.\n`);
  },
});
