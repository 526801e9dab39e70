import { rotateKeyFile } from "#src/platform/rotate-key-file.ts";
import { readKeyFile } from "#src/platform/tokens/key-file.ts";
import { readOrCreateKeyFile } from "#src/platform/tokens/master-key.ts";
import { defineCommand } from "#src/commands/command.ts";
import * as settings from "#src/commands/settings/settings.ts";
import {
  dataLocation,
  dataSettings,
  defaultFile,
  keyFileSetting,
  withExistingDatabase,
  withStoppedData,
} from "./data.ts";

export default defineCommand({
  summary: "encrypt the secrets in a platform's data with a new key file",
  description: `Stop every platform on the data first. The old file still opens earlier backups: keep it as long as these.`,
  settings: {
    stopped: settings.toggle("Confirm that every platform on the data is stopped. Required."),
    newKeyFile: settings.required(
      settings.file,
      "The new key file. Created with mode 0600 if it is missing; an existing one is used: repeat a rotation that was interrupted.",
    ),
    keyFile: keyFileSetting(),
    ...dataSettings,
  },
  run: async ({ stopped, newKeyFile, keyFile, ...data }, { stdout }) => {
    if (!stopped)
      throw new settings.SettingsError(["--stopped is required: it confirms that every platform is stopped"]);
    const location = dataLocation(data);
    const file = defaultFile(location, "key", keyFile);
    settings.requireFolderOf("--new-key-file", newKeyFile);
    settings.requirePrivateFile("--key-file", file);
    settings.requirePrivateFile("--new-key-file", newKeyFile);
    const from = readKeyFile(file);
    await withStoppedData(location, "muster platform rotate-key-file", () =>
      withExistingDatabase(location, async (database) => {
        const to = readOrCreateKeyFile(newKeyFile);
        const { signingKeys, clientSecrets } = await rotateKeyFile(database, { from, to }, Date.now());
        stdout.write(
          `Encrypted ${signingKeys} signing keys and ${clientSecrets} client secrets with the new key. Start every platform with --key-file ${newKeyFile}, and keep ${file} for earlier backups.\n`,
        );
      }),
    );
  },
});
