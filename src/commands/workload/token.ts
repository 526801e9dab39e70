import { type CommandContext, defineCommand } from "#src/commands/command.ts";
import * as settings from "#src/commands/settings/settings.ts";
import { exchangeOnce } from "./exchange.ts";
import { defaultSubjectTokenFile, optionalExchangeSettings } from "./settings.ts";

const tokenSettings = {
  ...optionalExchangeSettings,
  subjectTokenFile: settings.optional(
    settings.file,
    `${optionalExchangeSettings.subjectTokenFile.help.replace(/ \(default: .*\)$/, "")} (default: ${defaultSubjectTokenFile})`,
  ),
  platformUrl: settings.optional(
    settings.url,
    "Without --identity: the platform whose login to use. (default: the platform of the last login)",
  ),
  output: {
    ...settings.withDefault(settings.oneOf("token", "json"), "token", "Print the token, or JSON with its expiry."),
    short: "o",
  },
};

type Values = settings.Values<typeof tokenSettings>;

export default defineCommand({
  summary: "print a token of the platform: your login's, or one in exchange for the workload's own token",
  description: `With --identity, --api-audience or --subject-token-file, as a flag or a variable, it exchanges the workload's own token once; --identity, --auth-url and --api-audience are then required. Without any of these three, it prints the current token of the login that muster login has stored, and renews it first if it is about to expire. A pod's variables thus take precedence over a login.`,
  settings: tokenSettings,
  run: async (values, context) => {
    const { value, expiresAt } = isExchange(values) ? await exchanged(values, context) : await ofLogin(values, context);
    const expiry = new Date(expiresAt).toISOString();
    context.stdout.write(values.output === "json" ? `${JSON.stringify({ token: value, expiry })}\n` : `${value}\n`);
  },
});

interface PrintedToken {
  readonly value: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

function isExchange({ apiAudience, identity, subjectTokenFile }: Values): boolean {
  return apiAudience !== undefined || identity !== undefined || subjectTokenFile !== undefined;
}

/** @throws {SettingsError} that names every setting that is missing */
async function exchanged(values: Values, context: CommandContext): Promise<PrintedToken> {
  const { identity, authUrl, apiAudience, subjectTokenFile = defaultSubjectTokenFile, platformCa } = values;
  if (identity === undefined || authUrl === undefined || apiAudience === undefined)
    throw new settings.SettingsError(
      (["identity", "authUrl", "apiAudience"] as const)
        .filter((key) => values[key] === undefined)
        .map(
          (key) => `${settings.flagOf(key)} (or ${settings.variableOf(key)}) is required: ${tokenSettings[key].help}`,
        ),
    );
  return exchangeOnce({ identity, authUrl, subjectTokenFile, platformCa }, apiAudience, context);
}

async function ofLogin(values: Values, context: CommandContext): Promise<PrintedToken> {
  // A workload does not load it.
  const { tokenOfLogin } = await import("#src/commands/login/token-of-login.ts");
  const { accessToken, expiresAt } = await tokenOfLogin(values, context);
  return { value: accessToken, expiresAt };
}
