import type { Proxies } from "#src/http/proxies.ts";
import { readTokenPayload } from "#src/login/token-claims.ts";
import { PlatformFailure } from "#src/platform-client/failure.ts";
import { type ReadSubjectToken, subjectTokenFile } from "#src/platform-client/subject-token-file.ts";
import { TokenSource } from "#src/platform-client/token-source.ts";
import { HttpTransport } from "#src/platform-client/transport.ts";
import { systemClock as clock } from "#src/time/clock.ts";
import { readPlatformAddress } from "./connect-platform.ts";
import type { OperatorValues } from "./settings.ts";

/**
 * Exchanges the operator's token, as the operator does. @returns the token of its identity
 * @throws {PlatformFailure | Error} that says what the token claims, after a refusal
 */
export async function checkExchange(
  values: Pick<OperatorValues, "platformUrl" | "authUrl" | "platformCa" | "identity" | "tokenFile" | "platformTimeout">,
  proxies: Proxies | undefined,
): Promise<string> {
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
    return (await tokens.token()).value;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    throw new Error(`${error.message}. ${await adviceFor(readSubjectToken)}`, { cause: error });
  } finally {
    await transport.close();
  }
}

function isRefusal(error: unknown): error is PlatformFailure {
  if (!(error instanceof PlatformFailure)) return false;
  const { problem } = error;
  return problem.kind === "credential" && problem.cause === "exchange";
}

/** What an administrator compares after a refused exchange. It contains no token. */
async function adviceFor(readToken: ReadSubjectToken): Promise<string> {
  const claims = readTokenPayload(await readToken().catch(() => ""));
  if (claims === undefined)
    return "The content of --token-file is not a JSON Web Token: name the file with the service-account token.";
  const [issuer, subject, audience] = ["iss", "sub", "aud"].map((name) => JSON.stringify(claims[name]) ?? "none");
  return `The token in --token-file has the issuer ${issuer}, the subject ${subject} and the audience ${audience}: correct --identity, or the claimMatch of that identity on the platform.`;
}
