import { readFile } from "node:fs/promises";
import { PlatformFailure } from "./failure.ts";
import type { HttpTransport } from "./transport.ts";

export interface TokenSourceOptions {
  /** The token service's address: `{auth_url}`. */
  readonly authUrl: URL;
  /** The audience of the token: `{base_url}` as the platform names itself. */
  readonly audience: string;
  /** The uid of the identity to assume. */
  readonly identity: string;
  /** The file with this workload's own OIDC token; read anew for each exchange, because it is replaced while we run. */
  readonly tokenFile: string;
  readonly now: () => number;
}

export interface PlatformToken {
  readonly value: string;
  /** Counts exchanges, so that what was learned under one token is told from what was learned under another. */
  readonly epoch: number;
}

interface Held extends PlatformToken {
  readonly renewAt: number;
  readonly expiresAt: number;
}

/** A token is renewed when this share of its life has passed. */
const renewShare = 0.8;
/** A token this close to its end is not used any more: it could expire on the way. */
const expiryMarginMs = 10_000;
/** A failed exchange is not tried again before: everything that waits for a token would ask at once. */
const failureKeptMs = 1_000;
const defaultLifeMs = 3_600_000;

/**
 * The operator's API token: its projected service-account token, exchanged at the platform's token service (contract,
 * "Token exchange"). One exchange serves all that wait; a token past 80 % of its life is renewed beside its use.
 */
export class TokenSource {
  readonly #transport: HttpTransport;
  readonly #options: TokenSourceOptions;
  #held: Held | undefined;
  #exchange: Promise<Held> | undefined;
  #failed: { readonly at: number; readonly error: unknown } | undefined;
  #epoch = 0;
  /** An exchange serves many callers, so none of theirs may end it. */
  readonly #lifetime = new AbortController();

  constructor(transport: HttpTransport, options: TokenSourceOptions) {
    this.#transport = transport;
    this.#options = options;
  }

  /** @throws {PlatformFailure} of kind `credential`. */
  async token(): Promise<PlatformToken> {
    const now = this.#options.now();
    const held = this.#held;
    if (held === undefined || now >= held.expiresAt - expiryMarginMs) return this.#renew();
    // A failed renewal is no trouble yet: the old token still serves, and the next use tries again.
    if (now >= held.renewAt) this.#renew().catch(() => undefined);
    return held;
  }

  /** Counts exchanges; what was learned under an earlier token may no longer hold. */
  get epoch(): number {
    return this.#epoch;
  }

  /** To be called when the platform answered 16 under `token`: the next use exchanges anew. */
  reject(token: PlatformToken): void {
    if (this.#held?.epoch === token.epoch) this.#held = undefined;
  }

  #renew(): Promise<Held> {
    const { now } = this.#options;
    if (this.#failed !== undefined && now() < this.#failed.at + failureKeptMs)
      return Promise.reject(this.#failed.error);
    this.#exchange ??= this.#exchangeOnce()
      .catch((error: unknown) => {
        this.#failed = { at: now(), error };
        throw error;
      })
      .finally(() => {
        this.#exchange = undefined;
      });
    return this.#exchange;
  }

  async #exchangeOnce(): Promise<Held> {
    const { authUrl, audience, identity, tokenFile, now } = this.#options;
    let own: string;
    try {
      own = (await readFile(tokenFile, "utf8")).trim();
    } catch (error) {
      throw unavailable(`the token file ${tokenFile} cannot be read: ${(error as Error).message}`, error);
    }
    if (own === "") throw unavailable(`the token file ${tokenFile} is empty`);
    const query = new URLSearchParams({ aud: audience, identity });
    const startedAt = now();
    let answer: unknown;
    try {
      answer = await this.#transport.send(
        {
          name: "exchange token",
          method: "GET",
          origin: authUrl.origin,
          path: `${authUrl.pathname.replace(/\/$/, "")}/sts/exchange?${query.toString()}`,
          bearer: own,
        },
        this.#lifetime.signal,
      );
    } catch (error) {
      if (!(error instanceof PlatformFailure)) throw error;
      if (
        error.problem.kind === "refused" &&
        ["PERMISSION_DENIED", "INVALID_ARGUMENT", "UNAUTHENTICATED", "NOT_FOUND"].includes(error.problem.error.code)
      )
        throw new PlatformFailure("exchange token", {
          kind: "credential",
          cause: "exchange",
          message: `the token service refused the exchange for identity ${identity}: ${error.problem.error.message}`,
        });
      throw unavailable(`the token service does not answer: ${error.message}`, error);
    }
    const { token, expiry } = (answer ?? {}) as { token?: unknown; expiry?: unknown };
    if (typeof token !== "string" || token === "") throw unavailable("the token service answered without a token");
    const expiresAt =
      typeof expiry === "string" && !Number.isNaN(Date.parse(expiry)) ? Date.parse(expiry) : startedAt + defaultLifeMs;
    this.#epoch += 1;
    this.#held = {
      value: token,
      epoch: this.#epoch,
      expiresAt,
      renewAt: startedAt + (expiresAt - startedAt) * renewShare,
    };
    return this.#held;
  }
}

function unavailable(problem: string, cause?: unknown): PlatformFailure {
  return new PlatformFailure(
    "exchange token",
    { kind: "credential", cause: "unavailable", message: problem },
    { cause },
  );
}
