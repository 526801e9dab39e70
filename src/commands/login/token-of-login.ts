import type { CommandContext } from "#src/commands/command.ts";
import { SettingsError } from "#src/commands/settings/settings.ts";
import { type LoginTokens, platformKey } from "#src/login/credentials.ts";
import { withExitCode } from "./exit-code.ts";
import type { LoginValues } from "./settings.ts";
import { credentialsFile, openStoredLogin } from "./stored-login.ts";

/**
 * The current tokens of a login, for `muster token`.
 * @throws {SettingsError} if nobody has ever logged in: then the settings of an exchange are missing, too
 */
export function tokenOfLogin(
  values: LoginValues & { readonly authUrl: URL | undefined },
  context: CommandContext,
): Promise<LoginTokens> {
  return withExitCode(async () => {
    if (credentialsFile(context).read().logins.size === 0)
      throw new SettingsError([
        "there is no login on this machine: run muster login. To exchange a workload's own token, --identity (or MUSTER_IDENTITY), --auth-url (or MUSTER_AUTH_URL) and --api-audience (or MUSTER_API_AUDIENCE) are required",
      ]);
    const { login, platform, session } = await openStoredLogin(values, context);
    if (values.authUrl !== undefined && platformKey(values.authUrl) !== login.authUrl)
      throw new SettingsError([
        `--auth-url: the login to ${platform} is at ${login.authUrl}. To exchange a workload's own token, also give --identity and --api-audience`,
      ]);
    return session.tokens();
  });
}
