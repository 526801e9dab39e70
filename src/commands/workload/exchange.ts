import type { Values } from "#src/commands/settings/settings.ts";
import { readTextFile } from "#src/commands/settings/settings.ts";
import { systemClock } from "#src/time/clock.ts";
import { type ApiToken, type ExchangeOptions, exchangeToken } from "#src/workload/exchange-token.ts";
import { readSubjectToken } from "#src/workload/subject-token.ts";
import type { exchangeSettings } from "./settings.ts";

type ExchangeValues = Values<typeof exchangeSettings>;

/** @throws {Error} if the file with certificate authorities cannot be read */
export async function exchangeOptions(
  { identity, authUrl, platformCa }: ExchangeValues,
  audience: string,
  env: ExchangeOptions["env"],
): Promise<ExchangeOptions> {
  const ca = platformCa === undefined ? {} : { ca: await readTextFile("--platform-ca", platformCa) };
  return { identity, authUrl, audience, env, clock: systemClock, ...ca };
}

/** One exchange. @throws {Error} whose message says why there is no token */
export async function exchangeOnce(
  values: ExchangeValues,
  audience: string,
  { env, signal }: { readonly env: ExchangeOptions["env"]; readonly signal: AbortSignal },
): Promise<ApiToken> {
  const options = await exchangeOptions(values, audience, env);
  return exchangeToken(readSubjectToken(values.subjectTokenFile), options, signal);
}
