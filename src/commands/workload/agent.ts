import { defineCommand } from "#src/commands/command.ts";
import * as settings from "#src/commands/settings/settings.ts";
import { systemClock } from "#src/time/clock.ts";
import { TokenFiles } from "#src/workload/token-files.ts";
import { waitForToken } from "#src/workload/wait-for-token.ts";
import { apiAudience, defaultTokenFile, exchangeSettings } from "./settings.ts";

export default defineCommand({
  summary: "keep a token of the platform in a file, for the containers of a pod",
  description: "SIGHUP renews the token at once, for example after the platform ended it early.",
  settings: {
    ...exchangeSettings,
    apiAudience,
    tokenFile: settings.withDefault(
      settings.file,
      defaultTokenFile,
      "The file to write the token to. Its status, with the expiry, is written to a file of that name with .json appended.",
    ),
    check: settings.toggle(
      "Check the files that an agent writes, print their state and exit: with 0 if there is a valid token, otherwise with 1. For a startup probe.",
    ),
    wait: settings.flagOnly(
      settings.withDefault(
        settings.duration,
        "0s",
        "With --check: how long to wait for a valid token. A startup probe that waits ends as soon as there is one.",
      ),
    ),
  },
  run: async (values, { env, signal, stdout }) => {
    const files = new TokenFiles(values.tokenFile);
    if (values.check) {
      const { valid, message } = await waitForToken(files, { clock: systemClock, waitMs: values.wait, signal });
      if (!valid) throw new Error(message);
      stdout.write(`${message}\n`);
      return;
    }
    if (values.wait > 0)
      throw new settings.SettingsError(["--wait needs --check: it is the time that the check waits"]);
    // On demand: a check is a process of its own, and the containers of the pod wait until it has started.
    const { keepToken } = await import("./keep-token.ts");
    await keepToken(values, files, env, signal);
  },
});
