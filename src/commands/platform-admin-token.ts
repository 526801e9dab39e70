import { rotateAdminToken } from "#src/platform/rotate-admin-token.ts";
import { defineCommand } from "./command.ts";
import { dataPlace, dataSettings, fileBeside, openExistingStore } from "./platform-data.ts";
import * as settings from "./settings.ts";

export default defineCommand({
  summary: "give a platform, which may run, a new admin token",
  settings: {
    rotate: settings.toggle("make a new admin token; the old one ends"),
    adminTokenFile: settings.optional(
      settings.file,
      "where the token is written, mode 0600 (default: the file of --data with .admin-token; required with --database)",
    ),
    ...dataSettings,
  },
  run: async (values, { stdout }) => {
    if (!values.rotate) throw new settings.SettingsError(["--rotate is required: it is all that this command does"]);
    const place = dataPlace(values);
    const file = fileBeside(place, "admin-token", values.adminTokenFile);
    const store = await openExistingStore(place);
    try {
      await rotateAdminToken(store, file, Date.now());
    } finally {
      await store.close();
    }
    stdout.write(`${file} holds the new admin token; every other one has ended.\n`);
  },
});
