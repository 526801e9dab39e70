import { Agent } from "undici";
import { defineCommand } from "#src/commands/command.ts";
import { Proxies } from "#src/http/proxies.ts";
import * as settings from "#src/commands/settings/settings.ts";
import { PlatformFailure } from "#src/platform-client/failure.ts";
import { type ReadSubjectToken, subjectTokenFile } from "#src/platform-client/subject-token-file.ts";
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
  const statusCode = await statusOf(url, deadlineMs).catch((error: unknown) => {
    throw new Error(
      `--operator-url: the operator does not respond at ${url.href} (${messageOf(error)}). Check that its pods run: kubectl describe pods`,
      { cause: error },
    );
  });
  if (statusCode !== 200)
    throw new Error(
      `the operator is not ready (${url.href} responds with ${statusCode}): it has not yet read its objects. Its log says why, such as a missing CRD or permission`,
    );
}

async function statusOf(url: URL, deadlineMs: number): Promise<number> {
  const agent = new Agent({ headersTimeout: deadlineMs, bodyTimeout: deadlineMs });
  try {
    const { statusCode, body } = await agent.request({ origin: url.origin, path: url.pathname, method: "GET" });
    await body.dump();
    return statusCode;
  } finally {
    await agent.close();
  }
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
  const readSubjectToken = subjectTokenFile(values.tokenFile);
  try {
    const tokens = new TokenSource(transport, {
      authUrl: address.authUrl,
      audience: address.platformUrl.href.replace(/\/$/, ""),
      identity: values.identity,
      readSubjectToken,
      clock,
    });
    await tokens.token();
  } catch (error) {
    if (!isRefusal(error)) throw error;
    throw new Error(`${messageOf(error)}. ${await adviceFor(readSubjectToken)}`, { cause: error });
  } finally {
    await transport.close();
  }
}

function isRefusal(error: unknown): boolean {
  if (!(error instanceof PlatformFailure)) return false;
  const { problem } = error;
  return problem.kind === "credential" && problem.cause === "exchange";
}

/** What an administrator compares after a refused exchange. It contains no token. */
async function adviceFor(readToken: ReadSubjectToken): Promise<string> {
  const { decodeJwt } = await import("jose");
  try {
    const { iss, sub, aud } = decodeJwt(await readToken());
    const [issuer, subject, audience] = [iss, sub, aud].map((claim) => JSON.stringify(claim) ?? "none");
    return `The token in --token-file has the issuer ${issuer}, the subject ${subject} and the audience ${audience}: correct --identity, or the claimMatch of that identity on the platform.`;
  } catch {
    return "The content of --token-file is not a JSON Web Token: name the file with the service-account token.";
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
