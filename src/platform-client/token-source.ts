import { readFile } from "node:fs/promises";
import type { Clock } from "#src/time/clock.ts";
import { hours } from "#src/time/durations.ts";
import { PlatformFailure } from "./failure.ts";
import type { HttpTransport } from "./transport.ts";

export interface TokenSourceOptions {
  /** The address of the platform's token service. */
  readonly authUrl: URL;
  /** The audience of the token: the platform's base URL, as the platform is configured with it. */
  readonly audience: string;
  /** The uid of the identity to assume. */
  readonly identity: string;
  /** The file with this workload's own OIDC token. It is read for each exchange, because the kubelet replaces it. */
  readonly tokenFile: string;
  /** The wall clock decides, because the token service gives the expiry as a date. */
  readonly clock: Clock;
}

export interface PlatformToken {
  readonly value: string;
  /** The number of the exchange that returned the token; it distinguishes what was learned under different tokens. */
  readonly epoch: number;
}

interface CurrentToken extends PlatformToken {
  readonly renewAt: number;
  readonly expiresAt: number;
}

/** A token is renewed after this share of its lifetime. */
const renewShare = 0.8;
/** A token that expires sooner than this is not used: it could expire before the platform verifies it. */
const expiryMarginMs = 10_000;
/** A failed exchange is retried after this time at the earliest: otherwise every waiting call would retry it at once. */
const failureKeptMs = 1_000;
/** The lifetime of a token without an expiry in the response. */
const defaultLifetimeMs = hours(1);

/** The codes with which the token service rejects the workload itself; after any other failure a retry may succeed. */
const rejectionCodes: readonly string[] = ["PERMISSION_DENIED", "INVALID_ARGUMENT", "UNAUTHENTICATED", "NOT_FOUND"];

/**
 * The operator's API token: its projected service-account token, exchanged at the platform's token service. One exchange
 * serves all concurrent callers. A token past 80 % of its lifetime is renewed in the background and used meanwhile.
 */
export class TokenSource {
  readonly #transport: HttpTransport;
  readonly #options: TokenSourceOptions;
  #current: CurrentToken | undefined;
  #exchange: Promise<CurrentToken> | undefined;
  #failed: { readonly at: number; readonly error: unknown } | undefined;
  #epoch = 0;
  /** Never aborted: an exchange serves many callers, and none of them may cancel it for the others. */
  readonly #lifetime = new AbortController();

  constructor(transport: HttpTransport, options: TokenSourceOptions) {
    this.#transport = transport;
    this.#options = options;
  }

  /** @throws {PlatformFailure} of kind `credential`. */
  async token(): Promise<PlatformToken> {
    const now = this.#options.clock.now();
    const current = this.#current;
    if (current === undefined || now >= current.expiresAt - expiryMarginMs) return this.#renew();
    // A failed renewal is not a failure of this call: the current token is still valid, and the next call retries.
    if (now >= current.renewAt) this.#renew().catch(() => undefined);
    return current;
  }

  /** The number of exchanges so far. What was learned under an earlier token may no longer be true. */
  get epoch(): number {
    return this.#epoch;
  }

  /** Must be called after the platform rejected `token` with UNAUTHENTICATED: the next call exchanges a new one. */
  reject(token: PlatformToken): void {
    if (this.#current?.epoch === token.epoch) this.#current = undefined;
  }

  #renew(): Promise<CurrentToken> {
    const { clock } = this.#options;
    if (this.#failed !== undefined && clock.now() < this.#failed.at + failureKeptMs)
      return Promise.reject(this.#failed.error);
    this.#exchange ??= this.#exchangeOnce()
      .catch((error: unknown) => {
        this.#failed = { at: clock.now(), error };
        throw error;
      })
      .finally(() => {
        this.#exchange = undefined;
      });
    return this.#exchange;
  }

  async #exchangeOnce(): Promise<CurrentToken> {
    const subjectToken = await this.#readSubjectToken();
    const startedAt = this.#options.clock.now();
    const { token, expiry } = await this.#requestToken(subjectToken);
    if (typeof token !== "string" || token === "")
      throw unavailable("the response of the token service contains no token");
    const expiresAt =
      typeof expiry === "string" && !Number.isNaN(Date.parse(expiry))
        ? Date.parse(expiry)
        : startedAt + defaultLifetimeMs;
    this.#epoch += 1;
    this.#current = {
      value: token,
      epoch: this.#epoch,
      expiresAt,
      renewAt: startedAt + (expiresAt - startedAt) * renewShare,
    };
    return this.#current;
  }

  async #readSubjectToken(): Promise<string> {
    const { tokenFile } = this.#options;
    let token: string;
    try {
      token = (await readFile(tokenFile, "utf8")).trim();
    } catch (error) {
      throw unavailable(`the token file ${tokenFile} cannot be read: ${(error as Error).message}`, error);
    }
    if (token === "") throw unavailable(`the token file ${tokenFile} is empty`);
    return token;
  }

  async #requestToken(subjectToken: string): Promise<{ readonly token?: unknown; readonly expiry?: unknown }> {
    const { authUrl, audience, identity } = this.#options;
    const query = new URLSearchParams({ aud: audience, identity });
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
        throw new PlatformFailure("exchange token", {
          kind: "credential",
          cause: "exchange",
          message: `the token service refused the exchange for identity ${identity}: ${error.problem.error.message}`,
        });
      throw unavailable(`the token service is not available: ${error.message}`, error);
    }
  }
}

function unavailable(message: string, cause?: unknown): PlatformFailure {
  return new PlatformFailure("exchange token", { kind: "credential", cause: "unavailable", message }, { cause });
}
