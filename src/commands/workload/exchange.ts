import { readTextFile, type Values } from "#src/commands/settings/settings.ts";
import { systemClock } from "#src/time/clock.ts";
import { readSubjectToken, type SubjectToken } from "#src/workload/subject-token.ts";
import { type ApiToken, TokenService } from "#src/workload/token-service.ts";
import type { exchangeSettings } from "./settings.ts";

type ExchangeValues = Values<typeof exchangeSettings>;
/** What an exchange needs but the subject token. */
type Target = Omit<ExchangeValues, "subjectTokenFile">;
type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Exchanges subject tokens. The file with certificate authorities is read for each exchange: trust-manager and the kubelet
 * replace it in a pod that runs.
 */
export class Exchanger {
  readonly #create: (authorities: string | undefined) => TokenService;
  readonly #file: string | undefined;
  #authorities: string | undefined;
  #service: TokenService;

  /** @throws {Error} if the file with certificate authorities cannot be read, or a proxy of the environment is not valid */
  static async create(values: Target, audience: string, env: Environment): Promise<Exchanger> {
    return new Exchanger(values, audience, env, await readAuthorities(values.platformCa));
  }

  private constructor(
    { identity, authUrl, platformCa }: Target,
    audience: string,
    env: Environment,
    authorities: string | undefined,
  ) {
    this.#create = (ca) =>
      new TokenService({ identity, authUrl, audience, env, clock: systemClock, ...(ca === undefined ? {} : { ca }) });
    this.#file = platformCa;
    this.#authorities = authorities;
    this.#service = this.#create(authorities);
  }

  /** @throws {ExchangeFailure} if there is no token, or an error that names the file with certificate authorities */
  async exchange(subject: SubjectToken, signal: AbortSignal): Promise<ApiToken> {
    const authorities = await readAuthorities(this.#file);
    if (authorities !== this.#authorities) {
      this.#service = this.#create(authorities);
      this.#authorities = authorities;
    }
    return this.#service.exchange(subject, signal);
  }
}

async function readAuthorities(file: string | undefined): Promise<string | undefined> {
  return file === undefined ? undefined : readTextFile("--platform-ca", file);
}

/** One exchange. @throws {Error} whose message says why there is no token */
export async function exchangeOnce(
  values: ExchangeValues,
  audience: string,
  { env, signal }: { readonly env: Environment; readonly signal: AbortSignal },
): Promise<ApiToken> {
  const exchanger = await Exchanger.create(values, audience, env);
  return exchanger.exchange(readSubjectToken(values.subjectTokenFile), signal);
}
