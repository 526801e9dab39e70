import { readKeyFile } from "#src/platform/tokens/key-file.ts";
import { rotateSigningKey } from "#src/platform/rotate-signing-key.ts";
import { defineCommand } from "#src/commands/command.ts";
import * as settings from "#src/commands/settings/settings.ts";
import { dataLocation, dataSettings, defaultFile, keyFileSetting, withExistingDatabase } from "./data.ts";

export default defineCommand({
  summary: "create the next key that signs API tokens, also while the platform runs",
  description: `Running platforms publish the new key within a minute, and sign with it an hour later (or after half of --signing-key-interval, if that is less). By then, everybody who verifies tokens knows it. Earlier keys stay published until their last token has expired. If a key is compromised, use --revoke.`,
  settings: {
    revoke: settings.toggle(
      "Delete all earlier keys: every API token that they signed ends, within a minute on running platforms, and the new key signs at once. Workloads exchange their tokens again.",
    ),
    keyFile: keyFileSetting(),
    ...dataSettings,
  },
  run: async ({ revoke, keyFile, ...data }, { stdout }) => {
    const location = dataLocation(data);
    const file = defaultFile(location, "key", keyFile);
    settings.requirePrivateFile("--key-file", file);
    const masterKey = readKeyFile(file);
    const kid = await withExistingDatabase(location, (database) =>
      rotateSigningKey(database, masterKey, { revoke, now: Date.now() }),
    );
    stdout.write(
      `Created the signing key ${kid}. ${revoke ? "All earlier keys are deleted." : "Earlier keys stay valid for their tokens."}\n`,
    );
  },
});
