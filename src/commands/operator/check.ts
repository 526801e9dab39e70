import { defineCommand } from "#src/commands/command.ts";
import { Proxies } from "#src/http/proxies.ts";
import * as settings from "#src/commands/settings/settings.ts";
import { systemClock as clock } from "#src/time/clock.ts";
import { checkExchange } from "./check-exchange.ts";
import { checkReady } from "./check-ready.ts";
import { operatorSettings } from "./settings.ts";
import { untilConnected } from "./until-connected.ts";

const { platformUrl, authUrl, platformCa, identity, tokenFile, platformTimeout } = operatorSettings;

export default defineCommand({
  summary: "check that the operator is ready and can assume its identity on the platform",
  settings: {
    operatorUrl: settings.withDefault(
      settings.url,
      "http://127.0.0.1:8080",
      "The address at which the operator serves /readyz.",
    ),
    platformUrl,
    authUrl,
    platformCa,
    identity,
    tokenFile,
    platformTimeout,
  },
  /** Both are checked, so that one run reports every problem. */
  run: async (values, { env, stdout, signal }) => {
    const proxies = await Proxies.fromEnvironment(env);
    const results = await Promise.allSettled([
      untilConnected(() => checkReady(values.operatorUrl, values.platformTimeout), { clock, signal }),
      untilConnected(() => checkExchange(values, proxies), { clock, signal }),
    ]);
    const problems = results.flatMap((result) => (result.status === "rejected" ? [result.reason as unknown] : []));
    if (problems.length > 0) throw new Error(problems.map(messageOf).join("\n"), { cause: problems[0] });
    stdout.write("The operator is ready and can assume its identity on the platform.\n");
  },
});

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
