import type { JWK } from "jose";
import type { WallClock } from "#src/time/wall-clock.ts";
import { FetchError, fetchDocument, type FetchOptions } from "./fetch-document.ts";
import { parseJwks } from "./jwks.ts";
import type { TrustedIssuer } from "./trusted-issuer.ts";

/** How long fetched keys are used without asking again. */
const freshFor = 10 * 60_000;
/** An issuer is asked no more often than this, whoever sends whatever key id. */
const askAgainAfter = 30_000;
/** A failure is remembered for this long. */
const failedFor = 5_000;
const maximumRemembered = 1_000;

export type FetchText = (url: string, options: FetchOptions) => Promise<string>;

interface Known {
  readonly asked: number;
  readonly keys: Promise<readonly JWK[]>;
  failed: boolean;
  /** The newest request that an unknown key id made. */
  again?: { readonly asked: number; readonly keys: Promise<readonly JWK[]> };
}

/**
 * The keys of issuers, discovered and remembered. An unknown key id makes one new request, so that an issuer may
 * change its keys at any time, and no more than one in a while, so that nobody can make us flood it.
 */
export class IssuerKeys {
  readonly #trusted: ReadonlyMap<string, TrustedIssuer>;
  readonly #clock: WallClock;
  readonly #fetch: FetchText;
  readonly #known = new Map<string, Known>();

  constructor(trusted: readonly TrustedIssuer[], clock: WallClock, fetch: FetchText = fetchDocument) {
    this.#trusted = new Map(trusted.map((one) => [one.issuer, one]));
    this.#clock = clock;
    this.#fetch = fetch;
  }

  /**
   * The issuer's keys, asked for anew where none of the known ones has the id.
   * @throws FetchError
   */
  async of(issuer: string, keyId: string | undefined): Promise<readonly JWK[]> {
    const known = this.#known.get(issuer);
    const age = this.#clock() - (known?.asked ?? 0);
    if (known === undefined || age > (known.failed ? failedFor : freshFor)) return this.#ask(issuer);
    const keys = await known.keys;
    if (keyId === undefined || keys.some(({ kid }) => kid === keyId)) return keys;
    return this.#askAgain(issuer, known, keys);
  }

  /** The id is not proved: it takes no known key away where the issuer does not answer. */
  #askAgain(issuer: string, known: Known, keys: readonly JWK[]): Promise<readonly JWK[]> {
    const latest = known.again ?? known;
    if (this.#clock() - latest.asked <= askAgainAfter) return latest.keys;
    const asked = this.#clock();
    const fresh = this.#discover(issuer);
    known.again = { asked, keys: fresh.catch(() => keys) };
    fresh.then(
      () => this.#remember(issuer, { asked, keys: fresh, failed: false }),
      () => {},
    );
    return known.again.keys;
  }

  #ask(issuer: string): Promise<readonly JWK[]> {
    const keys = this.#discover(issuer);
    const known: Known = { asked: this.#clock(), keys, failed: false };
    keys.catch(() => {
      known.failed = true;
    });
    this.#remember(issuer, known);
    return keys;
  }

  #remember(issuer: string, known: Known): void {
    this.#known.delete(issuer);
    this.#known.set(issuer, known);
    const [oldest] = this.#known.keys();
    if (this.#known.size > maximumRemembered && oldest !== undefined) this.#known.delete(oldest);
  }

  async #discover(issuer: string): Promise<readonly JWK[]> {
    const trusted = this.#trusted.get(issuer);
    const options = { privateAddresses: trusted !== undefined, ca: trusted?.ca };
    const jwksUrl = trusted?.jwksUrl ?? (await this.#discoverJwksUrl(issuer, options));
    const jwks = parseJwks(await this.#fetch(jwksUrl, options));
    if (jwks === undefined || jwks.publicKeys.length === 0) throw new FetchError("has no document of keys", false);
    return jwks.publicKeys;
  }

  async #discoverJwksUrl(issuer: string, options: FetchOptions): Promise<string> {
    const text = await this.#fetch(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`, options);
    let configuration: { issuer?: unknown; jwks_uri?: unknown } | null;
    try {
      configuration = JSON.parse(text) as typeof configuration;
    } catch {
      throw new FetchError("has a discovery document that is no JSON", false);
    }
    if (configuration?.issuer !== issuer) throw new FetchError("has a discovery document of another issuer", false);
    if (typeof configuration.jwks_uri !== "string")
      throw new FetchError("has a discovery document without jwks_uri", false);
    return configuration.jwks_uri;
  }
}
