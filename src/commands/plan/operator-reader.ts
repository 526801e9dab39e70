import type { CommandContext } from "#src/commands/command.ts";
import { readPlatformAddress } from "#src/commands/operator/connect-platform.ts";
import type { OperatorValues } from "#src/commands/operator/settings.ts";
import type { PlatformReader } from "#src/commands/reader/connect-reader.ts";
import { readOnlyPlatform } from "#src/commands/reader/read-only-platform.ts";
import { Proxies } from "#src/http/proxies.ts";
import { subjectTokenFile } from "#src/platform-client/subject-token-file.ts";
import { TokenSource } from "#src/platform-client/token-source.ts";
import { systemClock as clock } from "#src/time/clock.ts";

/**
 * Connects to the platform as the operator, with its service-account token. Nothing but GET requests is ever sent: the exchange of the
 * token is one.
 */
export async function connectAsOperator(
  values: Pick<OperatorValues, "platformUrl" | "authUrl" | "platformCa" | "identity" | "tokenFile" | "platformTimeout">,
  env: CommandContext["env"],
): Promise<Pick<PlatformReader, "api" | "claims" | "close" | "seesEverything">> {
  const { authUrl, ca, platformUrl, proxies } = await readPlatformAddress(values, await Proxies.fromEnvironment(env));
  const { api, close } = readOnlyPlatform({
    platformUrl,
    deadlineMs: values.platformTimeout,
    ca,
    proxies,
    tokens: (transport) =>
      new TokenSource(transport, {
        authUrl,
        audience: platformUrl.href.replace(/\/$/, ""),
        identity: values.identity,
        readSubjectToken: subjectTokenFile(values.tokenFile),
        clock,
      }),
  });
  // Nobody limits the operator's token.
  return { api, claims: undefined, seesEverything: false, close };
}
