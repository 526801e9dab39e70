import type { CommandContext } from "#src/commands/command.ts";
import { readPlatformAddress } from "#src/commands/operator/connect-platform.ts";
import type { OperatorValues } from "#src/commands/operator/settings.ts";
import type { PlatformReader } from "#src/commands/reader/connect-reader.ts";
import { repeatedReads } from "#src/commands/reader/repeated-reads.ts";
import { Proxies } from "#src/http/proxies.ts";
import { HttpPlatformApi } from "#src/platform-client/http-api.ts";
import { subjectTokenFile } from "#src/platform-client/subject-token-file.ts";
import { TokenSource } from "#src/platform-client/token-source.ts";
import { HttpTransport } from "#src/platform-client/transport.ts";
import { systemClock as clock } from "#src/time/clock.ts";

/** Lists are read at the same time. */
const connections = 4;

/**
 * Connects to the platform as the operator, with its service-account token. Nothing but GET requests is ever sent: the exchange of the
 * token is one, and the transport refuses others.
 */
export async function connectAsOperator(
  values: Pick<OperatorValues, "platformUrl" | "authUrl" | "platformCa" | "identity" | "tokenFile" | "platformTimeout">,
  env: CommandContext["env"],
): Promise<Pick<PlatformReader, "api" | "claims" | "close" | "seesEverything">> {
  const { authUrl, ca, platformUrl, proxies } = await readPlatformAddress(values, await Proxies.fromEnvironment(env));
  const transport = new HttpTransport({
    connections,
    deadlineMs: values.platformTimeout,
    clock,
    proxies,
    ...(ca === undefined ? {} : { ca }),
    canWrite: () => false,
  });
  const tokens = new TokenSource(transport, {
    authUrl,
    audience: platformUrl.href.replace(/\/$/, ""),
    identity: values.identity,
    readSubjectToken: subjectTokenFile(values.tokenFile),
    clock,
  });
  return {
    api: repeatedReads(new HttpPlatformApi(transport, tokens, platformUrl), clock),
    // Nobody limits the operator's token.
    claims: undefined,
    seesEverything: false,
    close: () => transport.close(),
  };
}
