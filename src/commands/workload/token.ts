import { defineCommand } from "#src/commands/command.ts";
import * as settings from "#src/commands/settings/settings.ts";
import { exchangeOnce } from "./exchange.ts";
import { apiAudience, exchangeSettings } from "./settings.ts";

export default defineCommand({
  summary: "exchange the workload's own token once, and print a token of the platform",
  settings: {
    ...exchangeSettings,
    apiAudience,
    output: {
      ...settings.withDefault(settings.oneOf("token", "json"), "token", "Print the token, or JSON with its expiry."),
      short: "o",
    },
  },
  run: async (values, { env, signal, stdout }) => {
    const { value, expiresAt } = await exchangeOnce(values, values.apiAudience, { env, signal });
    const expiry = new Date(expiresAt).toISOString();
    stdout.write(values.output === "json" ? `${JSON.stringify({ token: value, expiry })}\n` : `${value}\n`);
  },
});
