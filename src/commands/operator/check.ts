import { request } from "undici";
import { defineCommand } from "#src/commands/command.ts";
import { Proxies } from "#src/http/proxies.ts";
import * as settings from "#src/commands/settings/settings.ts";
import { subjectTokenFile } from "#src/platform-client/subject-token-file.ts";
import { TokenSource } from "#src/platform-client/token-source.ts";
import { HttpTransport } from "#src/platform-client/transport.ts";
import { systemClock as clock } from "#src/time/clock.ts";
import { readPlatformAddress } from "./connect-platform.ts";
import { operatorSettings } from "./settings.ts";

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
  run: async (values, { env, stdout }) => {
    const proxies = await Proxies.fromEnvironment(env);
    const results = await Promise.allSettled([
      checkReady(values.operatorUrl, values.platformTimeout),
      checkIdentity(values, proxies),
    ]);
    const problems = results.flatMap((result) => (result.status === "rejected" ? [messageOf(result.reason)] : []));
    if (problems.length > 0) throw new Error(problems.join("\n"));
    stdout.write("The operator is ready and can assume its identity on the platform.\n");
  },
});

/** @throws {Error} unless the operator reports that it is ready. */
async function checkReady(operatorUrl: URL, deadlineMs: number): Promise<void> {
  const url = new URL("/readyz", operatorUrl);
  const options = { headersTimeout: deadlineMs, bodyTimeout: deadlineMs };
  const { statusCode, body } = await request(url, options).catch((error: unknown) => {
    throw new Error(
      `--operator-url: the operator does not respond at ${url.href} (${messageOf(error)}). Check that its pods run: kubectl describe pods`,
      { cause: error },
    );
  });
  await body.dump();
  if (statusCode !== 200)
    throw new Error(
      `the operator is not ready (${url.href} responds with ${statusCode}): it has not yet read its objects. Its log says why, such as a missing CRD or permission`,
    );
}

/** @throws {PlatformFailure | Error} unless the operator's token can be exchanged for a token of its identity. */
async function checkIdentity(
  values: Pick<
    settings.Values<typeof operatorSettings>,
    "platformUrl" | "authUrl" | "platformCa" | "identity" | "tokenFile" | "platformTimeout"
  >,
  proxies: Proxies | undefined,
): Promise<void> {
  const address = await readPlatformAddress(values, proxies);
  const transport = new HttpTransport({
    connections: 1,
    deadlineMs: values.platformTimeout,
    clock,
    proxies: address.proxies,
    ...(address.ca === undefined ? {} : { ca: address.ca }),
  });
  try {
    const tokens = new TokenSource(transport, {
      authUrl: address.authUrl,
      audience: address.platformUrl.href.replace(/\/$/, ""),
      identity: values.identity,
      readSubjectToken: subjectTokenFile(values.tokenFile),
      clock,
    });
    await tokens.token();
  } finally {
    await transport.close();
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
