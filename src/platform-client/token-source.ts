import type { Clock, MonotonicTime } from "#src/time/clock.ts";
import { hours, minutes, seconds } from "#src/time/durations.ts";
import { PlatformFailure, type PlatformProblem } from "./failure.ts";
import type { ReadSubjectToken } from "./subject-token-file.ts";
import type { HttpTransport } from "./transport.ts";

export interface TokenSourceOptions {
  /** The address of the platform's token service. */
  readonly authUrl: URL;
  /** The audience of the token: the platform's base URL, as the platform is configured with it. */
  readonly audience: string;
  /** The uid of the identity to assume. */
  readonly identity: string;
  /** What the token is limited to, by dotted names. Absent or empty: all that the identity may do. */
  readonly capabilities?: readonly string[];
  /** Called for each exchange. */
  readonly readSubjectToken: ReadSubjectToken;
  readonly clock: Clock;
}

export interface PlatformToken {
  readonly value: string;
  /** The number of the exchange that returned the token; it distinguishes what was learned under different tokens. */
  readonly epoch: number;
}

interface CurrentToken extends PlatformToken {
  readonly renewAt: MonotonicTime;
  readonly expiresAt: MonotonicTime;
}

/** A token is renewed after this share of its lifetime. */
const renewShare = 0.8;
/** A token that expires sooner than this is not used: it could expire before the platform verifies it. */
const expiryMarginMs = seconds(10);
/**
 * A failed exchange is retried after this time at the earliest: otherwise every waiting call would retry it at once. One
 * that was refused is retried less often, because somebody has to change something first.
 */
const failureKeptMs = { unavailable: seconds(1), exchange: seconds(30) } as const;
/** A token that the platform rejects is replaced at most once in this time: the fault may not be the token's. */
const replacementIntervalMs = minutes(1);
/** The lifetime of a token without an expiry in the response. */
const defaultLifetimeMs = hours(1);
/** A token is used for this time at least, however far the clocks of the token service and of this machine are apart. */
const minLifetimeMs = minutes(1);
const maxLifetimeMs = hours(24);
const maxTokenLength = 65_536;

/** The codes with which the token service rejects the workload itself; after any other failure a retry may succeed. */
const rejectionCodes: readonly string[] = ["PERMISSION_DENIED", "INVALID_ARGUMENT", "UNAUTHENTICATED", "NOT_FOUND"];

type CredentialProblem = Extract<PlatformProblem, { kind: "credential" }>;

/**
 * The API token of one identity: the workload's own token, exchanged at the platform's token service. One exchange
 * serves all concurrent callers. A token past 80 % of its lifetime is renewed in the background and used meanwhile.
 *
 * Its exchanges are calls of the operator like all others, with the same connections, metrics and traces. A workload's own exchange
 * is `workload/token-service.ts`, which loads no package, and explains each refusal to whoever configured the pod.
 *
 * All intervals are monotonic. The wall clock is read only when a token arrives, to convert its expiry, which is a date.
 */
export class TokenSource {
  readonly #transport: HttpTransport;
  readonly #options: TokenSourceOptions;
  #current: CurrentToken | undefined;
  #exchange: Promise<CurrentToken> | undefined;
  #failed: { readonly until: MonotonicTime; readonly error: unknown } | undefined;
  #replacedAt: MonotonicTime | undefined;
  #epoch = 0;
  /** Never aborted: an exchange serves many callers, and none of them may cancel it for the others. */
  readonly #lifetime = new AbortController();

  constructor(transport: HttpTransport, options: TokenSourceOptions) {
    this.#transport = transport;
    this.#options = options;
  }

  /** @throws {PlatformFailure} of kind `credential`. */
  async token(): Promise<PlatformToken> {
    const now = this.#options.clock.monotonic();
    const current = this.#current;
    if (current === undefined || now >= current.expiresAt - expiryMarginMs) return this.#renew();
    // A failed renewal is not a failure of this call: the current token is still valid, and the next call retries.
    if (now >= current.renewAt) this.#renew().catch(() => undefined);
    return current;
  }

  /** When the current token expires; undefined if there is none. */
  get expiresAt(): MonotonicTime | undefined {
    return this.#current?.expiresAt;
  }

  /** The number of exchanges so far. What was learned under an earlier token may no longer be true. */
  get epoch(): number {
    return this.#epoch;
  }

  /**
   * Must be called after the platform rejected `token` with UNAUTHENTICATED. A rejected token is replaced by the next call
   * of `token`, at most once a minute.
   * @returns whether that call returns another token. Otherwise the rejected one stays in use.
   */
  reject(token: PlatformToken): boolean {
    if (this.#current?.epoch !== token.epoch) return true;
    const now = this.#options.clock.monotonic();
    if (this.#replacedAt !== undefined && now < this.#replacedAt + replacementIntervalMs) return false;
    this.#replacedAt = now;
    this.#current = undefined;
    return true;
  }

  #renew(): Promise<CurrentToken> {
    const { clock } = this.#options;
    if (this.#failed !== undefined && clock.monotonic() < this.#failed.until) return Promise.reject(this.#failed.error);
    this.#exchange ??= this.#exchangeOnce()
      .catch((error: unknown) => {
        const cause = isExchangeRefused(error) ? "exchange" : "unavailable";
        this.#failed = { until: clock.monotonic() + failureKeptMs[cause], error };
        throw error;
      })
      .finally(() => {
        this.#exchange = undefined;
      });
    return this.#exchange;
  }

  async #exchangeOnce(): Promise<CurrentToken> {
    const { authUrl, clock } = this.#options;
    const subjectToken = await this.#readSubjectToken();
    const startedAt = clock.monotonic();
    const { token, expiry } = await this.#requestToken(subjectToken);
    if (typeof token !== "string" || token === "" || token.length > maxTokenLength)
      throw credentialFailure("unavailable", `the response of ${authUrl.origin} contains no token`);
    const lifetimeMs = lifetimeUntil(expiry, clock.now());
    this.#epoch += 1;
    this.#current = {
      value: token,
      epoch: this.#epoch,
      expiresAt: startedAt + lifetimeMs,
      renewAt: startedAt + lifetimeMs * renewShare,
    };
    return this.#current;
  }

  async #readSubjectToken(): Promise<string> {
    try {
      return await this.#options.readSubjectToken();
    } catch (error) {
      const message = error instanceof Error ? error.message : "there is no subject token";
      throw credentialFailure("unavailable", message, error);
    }
  }

  async #requestToken(subjectToken: string): Promise<{ readonly token?: unknown; readonly expiry?: unknown }> {
    const { authUrl, audience, capabilities = [], identity } = this.#options;
    const query = new URLSearchParams({ aud: audience, identity });
    for (const capability of capabilities) query.append("cap", capability);
    const call = {
      name: "exchange token",
      method: "GET",
      origin: authUrl.origin,
      path: `${authUrl.pathname.replace(/\/$/, "")}/sts/exchange?${query.toString()}`,
      bearer: subjectToken,
    } as const;
    try {
      return (await this.#transport.send(call, this.#lifetime.signal)) ?? {};
    } catch (error) {
      if (!(error instanceof PlatformFailure)) throw error;
      if (error.problem.kind === "rejected" && rejectionCodes.includes(error.problem.error.code))
        throw credentialFailure(
          "exchange",
          `the token service refused the exchange for identity ${identity}: ${error.problem.error.message}`,
          error,
        );
      throw credentialFailure("unavailable", `the token service is not available: ${error.message}`, error);
    }
  }
}

/** How long a token is used, from an expiry as a date. The two clocks may differ, so that the result is bounded. */
function lifetimeUntil(expiry: unknown, now: number): number {
  const expiresAt = typeof expiry === "string" ? Date.parse(expiry) : Number.NaN;
  if (Number.isNaN(expiresAt)) return defaultLifetimeMs;
  return Math.min(Math.max(expiresAt - now, minLifetimeMs), maxLifetimeMs);
}

function isExchangeRefused(error: unknown): boolean {
  return error instanceof PlatformFailure && error.problem.kind === "credential" && error.problem.cause === "exchange";
}

/** A failure of the exchange. If the token service asked for a pause, so does the failure. */
function credentialFailure(cause: CredentialProblem["cause"], message: string, error?: unknown): PlatformFailure {
  const retryAfterMs =
    error instanceof PlatformFailure && "retryAfterMs" in error.problem ? error.problem.retryAfterMs : undefined;
  const problem: CredentialProblem = {
    kind: "credential",
    cause,
    message,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
  return new PlatformFailure("exchange token", problem, { cause: error });
}
