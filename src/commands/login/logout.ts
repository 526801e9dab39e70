import { defineCommand } from "#src/commands/command.ts";
import * as settings from "#src/commands/settings/settings.ts";
import { AuthorizationServer } from "#src/login/authorization-server.ts";
import { platformKey, withLogin } from "#src/login/credentials.ts";
import { systemClock } from "#src/time/clock.ts";
import { loginSettings } from "./settings.ts";
import { credentialsFile, httpOptions } from "./stored-login.ts";

export default defineCommand({
  summary: "end a login, and remove its tokens from this machine",
  description:
    "The tokens are removed even if the platform cannot be reached. The exit code is then 1, because the login continues on the platform until it ends by itself.",
  settings: {
    ...loginSettings,
    all: settings.toggle("End the logins to all platforms."),
  },
  run: async (values, context) => {
    const file = credentialsFile(context);
    const { current, logins } = file.read();
    if (values.all && values.platformUrl !== undefined)
      throw new settings.SettingsError(["--all and --platform-url exclude each other"]);
    const one = values.platformUrl === undefined ? current : platformKey(values.platformUrl);
    const platforms = values.all ? [...logins.keys()] : one === undefined ? [] : [one];
    const failures: string[] = [];
    for (const platform of platforms) {
      if (!logins.has(platform)) continue;
      // Removed under the lock before it is revoked: otherwise another process could renew it in between.
      const removed = await file.change(
        { clock: systemClock, signal: context.signal },
        async ({ credentials, save }) => {
          save(withLogin(credentials, platform, undefined));
          return credentials.logins.get(platform);
        },
      );
      const refreshToken = removed?.tokens?.refreshToken;
      try {
        if (removed !== undefined && refreshToken !== undefined) {
          const http = await httpOptions(values.platformCa ?? removed.platformCa, context);
          const server = await AuthorizationServer.discover({ ...http, authUrl: removed.authUrl }, context.signal);
          await server.revoke(refreshToken, context.signal);
        }
        context.stdout.write(`Logged out of ${platform}.\n`);
      } catch (error) {
        const endsAt = removed?.tokens?.endsAt;
        const end = endsAt === undefined ? "by itself" : `at ${new Date(endsAt).toISOString()}`;
        failures.push(
          `the tokens for ${platform} were removed from this machine, but the login could not be ended on the platform, where it ends ${end}: ${(error as Error).message}`,
        );
      }
    }
    if (failures.length > 0) throw new Error(failures.join("\n"));
    if (!platforms.some((platform) => logins.has(platform)))
      context.stdout.write(
        one === undefined || values.all ? "You are not logged in.\n" : `You are not logged in to ${one}.\n`,
      );
  },
});
