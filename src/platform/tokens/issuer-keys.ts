import type { JWK } from "jose";
import type { WallClock } from "#src/time/wall-clock.ts";
import { minutes } from "#src/time/durations.ts";
import { FetchError, fetchDocument, type FetchOptions } from "./fetch-document.ts";
import { parseJwks } from "./jwks.ts";
import type { TrustedIssuer } from "./trusted-issuer.ts";

/** How long fetched keys are used before they are fetched again (ms). */
const freshTime = minutes(10);
/** The minimum time between two requests to an issuer that unknown key ids cause (ms). */
const refetchAfter = 30_000;
/** How long a failure is cached (ms). */
const failureTime = 5_000;
const maximumCached = 1_000;

export type FetchText = (url: string, options: FetchOptions) => Promise<string>;

interface CachedKeys {
  readonly requestedAt: number;
  readonly keys: Promise<readonly JWK[]>;
  failed: boolean;
  /** The latest request that was caused by an unknown key id. */
  refetched?: { readonly requestedAt: number; readonly keys: Promise<readonly JWK[]> };
}

/**
 * Discovers and caches the keys of issuers. An unknown key id causes a new request, so that an issuer may rotate its keys
 * at any time, but at most one per interval, so that callers cannot make the platform flood an issuer.
 */
export class IssuerKeys {
  readonly #trusted: ReadonlyMap<string, TrustedIssuer>;
  readonly #clock: WallClock;
  readonly #fetch: FetchText;
  readonly #known = new Map<string, CachedKeys>();

  constructor(trusted: readonly TrustedIssuer[], clock: WallClock, fetch: FetchText = fetchDocument) {
    this.#trusted = new Map(trusted.map((entry) => [entry.issuer, entry]));
    this.#clock = clock;
    this.#fetch = fetch;
  }

  /**
   * The issuer's keys. They are fetched again if none of the cached ones has the id, and returned even if none of the fetched
   * ones has it.
   * @throws FetchError that is transient, if the id is unknown and the issuer cannot be asked now: it may have rotated its keys.
   */
  async of(issuer: string, keyId: string | undefined): Promise<readonly JWK[]> {
    const known = this.#known.get(issuer);
    const age = this.#clock() - (known?.requestedAt ?? 0);
    if (known === undefined || age > (known.failed ? failureTime : freshTime)) return this.#fetchKeys(issuer);
    const keys = await known.keys;
    if (keyId === undefined || has(keys, keyId)) return keys;
    const latest = known.refetched ?? known;
    if (this.#clock() - latest.requestedAt > refetchAfter) return this.#refetch(issuer, known);
    const fetched = await latest.keys;
    if (has(fetched, keyId)) return fetched;
    throw new FetchError(
      `was asked for its keys less than ${refetchAfter / 1_000} s ago, and had none with the id of the token's key; retry later`,
      true,
    );
  }

  /** Anyone can send an unknown key id, so the cached keys stay in use if the issuer does not respond. */
  #refetch(issuer: string, known: CachedKeys): Promise<readonly JWK[]> {
    const requestedAt = this.#clock();
    const keys = this.#discover(issuer);
    known.refetched = { requestedAt, keys };
    keys.then(
      () => this.#cache(issuer, { requestedAt, keys, failed: false }),
      () => {},
    );
    return keys;
  }

  #fetchKeys(issuer: string): Promise<readonly JWK[]> {
    const keys = this.#discover(issuer);
    const known: CachedKeys = { requestedAt: this.#clock(), keys, failed: false };
    keys.catch(() => {
      known.failed = true;
    });
    this.#cache(issuer, known);
    return keys;
  }

  #cache(issuer: string, known: CachedKeys): void {
    this.#known.delete(issuer);
    this.#known.set(issuer, known);
    const [oldest] = this.#known.keys();
    if (this.#known.size > maximumCached && oldest !== undefined) this.#known.delete(oldest);
  }

  async #discover(issuer: string): Promise<readonly JWK[]> {
    const trusted = this.#trusted.get(issuer);
    const options = { privateAddresses: trusted !== undefined, ca: trusted?.ca };
    const jwksUrl = trusted?.jwksUrl ?? (await this.#discoverJwksUrl(issuer, options));
    const jwks = parseJwks(await this.#fetch(jwksUrl, options));
    if (jwks === undefined || jwks.publicKeys.length === 0)
      throw new FetchError("has no valid JWKS document with public keys", false);
    return jwks.publicKeys;
  }

  async #discoverJwksUrl(issuer: string, options: FetchOptions): Promise<string> {
    const text = await this.#fetch(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`, options);
    let configuration: { issuer?: unknown; jwks_uri?: unknown } | null;
    try {
      configuration = JSON.parse(text) as typeof configuration;
    } catch {
      throw new FetchError("has a discovery document that is not JSON", false);
    }
    if (configuration?.issuer !== issuer) throw new FetchError("has a discovery document of another issuer", false);
    if (typeof configuration.jwks_uri !== "string")
      throw new FetchError("has a discovery document without jwks_uri", false);
    return configuration.jwks_uri;
  }
}

function has(keys: readonly JWK[], keyId: string): boolean {
  return keys.some(({ kid }) => kid === keyId);
}
