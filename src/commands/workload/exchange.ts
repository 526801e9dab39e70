import { readTextFile, type Values } from "#src/commands/settings/settings.ts";
import { systemClock } from "#src/time/clock.ts";
import { readSubjectToken } from "#src/workload/subject-token.ts";
import { type ApiToken, TokenService } from "#src/workload/token-service.ts";
import type { exchangeSettings } from "./settings.ts";

type ExchangeValues = Values<typeof exchangeSettings>;
type Environment = Readonly<Record<string, string | undefined>>;

/** @throws {Error} if the file with certificate authorities cannot be read */
export async function tokenService(
  { identity, authUrl, platformCa }: ExchangeValues,
  audience: string,
  env: Environment,
): Promise<TokenService> {
  const ca = platformCa === undefined ? {} : { ca: await readTextFile("--platform-ca", platformCa) };
  return new TokenService({ identity, authUrl, audience, env, clock: systemClock, ...ca });
}

/** One exchange. @throws {Error} whose message says why there is no token */
export async function exchangeOnce(
  values: ExchangeValues,
  audience: string,
  { env, signal }: { readonly env: Environment; readonly signal: AbortSignal },
): Promise<ApiToken> {
  const service = await tokenService(values, audience, env);
  return service.exchange(readSubjectToken(values.subjectTokenFile), signal);
}
