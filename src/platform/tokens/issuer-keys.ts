import type { WallClock } from "#src/time/wall-clock.ts";
import { minutes } from "#src/time/durations.ts";
import { BoundedCache } from "../limits/bounded-cache.ts";
import { Lease } from "../shares/lease.ts";
import { Pool } from "../shares/pool.ts";
import { rootGroupShare, type Share } from "../shares/share.ts";
import { Turns } from "../shares/turns.ts";
import { discover } from "./discovery.ts";
import { FetchError, type FetchOptions, type FetchText } from "./fetch-document.ts";
import { parseJwks } from "./jwks.ts";
import { KeySet } from "./key-set.ts";
import type { TrustedIssuer } from "./trusted-issuer.ts";

/** How long fetched keys are used before they are fetched again (ms). */
const freshTime = minutes(10);
/** The minimum time between two requests to an issuer that unknown key ids cause (ms). */
const refetchAfter = 30_000;
/** How long a failure is cached (ms). */
const failureTime = 5_000;
/** An estimate of the memory of an entry without its keys. */
const entryBytes = 2_048;

export interface IssuerKeysOptions {
  readonly trusted: readonly TrustedIssuer[];
  readonly clock: WallClock;
  /** How many issuers are asked at a time. Root groups share it. */
  readonly maximumRequests: number;
  readonly fetch: FetchText;
}

interface CachedKeys {
  readonly requestedAt: number;
  readonly keys: Promise<KeySet>;
  failed: boolean;
  /** The latest request that was caused by an unknown key id. */
  refetched?: { readonly requestedAt: number; readonly keys: Promise<KeySet> };
}

/**
 * Discovers and caches the keys of issuers. An unknown key id causes a new request, so that an issuer may rotate its keys
 * at any time, but at most one per interval, so that callers cannot make the platform flood an issuer.
 *
 * Issuers are chosen by tenants, and may be slow. The requests to them are bounded, and root groups share them, so that the
 * issuers of one tenant do not use up the connections of all. They also begin in turns: a TLS handshake takes milliseconds
 * of the event loop.
 */
export class IssuerKeys {
  readonly #trusted: ReadonlyMap<string, TrustedIssuer>;
  readonly #clock: WallClock;
  readonly #fetch: FetchText;
  readonly #requests: Pool;
  readonly #turns = new Turns();
  readonly #known = new BoundedCache<string, CachedKeys>({ entries: 1_000, bytes: 16 * 1024 * 1024 });

  constructor({ trusted, clock, maximumRequests, fetch }: IssuerKeysOptions) {
    this.#trusted = new Map(trusted.map((entry) => [entry.issuer, entry]));
    this.#clock = clock;
    this.#fetch = fetch;
    this.#requests = new Pool(maximumRequests);
  }

  /** An estimate of the memory of the cached keys. */
  get cachedBytes(): number {
    return this.#known.bytes;
  }

  /**
   * The issuer's keys. They are fetched again if none of the cached ones has the id, and returned even if none of the fetched
   * ones has it.
   * @param identity the uid of the identity that is assumed
   * @throws FetchError that is transient, if the id is unknown and the issuer cannot be asked now: it may have rotated its
   *   keys; or if too many issuers are being asked
   */
  async of(issuer: string, keyId: string | undefined, identity: string): Promise<KeySet> {
    const known = this.#known.get(issuer);
    const age = this.#clock() - (known?.requestedAt ?? 0);
    if (known === undefined || age > (known.failed ? failureTime : freshTime)) return this.#fetchKeys(issuer, identity);
    const keys = await known.keys;
    if (keyId === undefined || keys.has(keyId)) return keys;
    const latest = known.refetched ?? known;
    if (this.#clock() - latest.requestedAt > refetchAfter) return this.#refetch(issuer, known, identity);
    const fetched = await latest.keys;
    if (fetched.has(keyId)) return fetched;
    throw new FetchError(
      `was asked for its keys less than ${refetchAfter / 1_000} s ago, and had none with the id of the token's key; retry later`,
      true,
    );
  }

  /** Anyone can send an unknown key id, so the cached keys stay in use if the issuer does not respond. */
  #refetch(issuer: string, known: CachedKeys, identity: string): Promise<KeySet> {
    const requestedAt = this.#clock();
    const keys = this.#request(issuer, identity);
    known.refetched = { requestedAt, keys };
    keys.then(
      (fetched) => this.#cache(issuer, { requestedAt, keys, failed: false }, fetched),
      () => {},
    );
    return keys;
  }

  #fetchKeys(issuer: string, identity: string): Promise<KeySet> {
    const keys = this.#request(issuer, identity);
    const known: CachedKeys = { requestedAt: this.#clock(), keys, failed: false };
    this.#cache(issuer, known);
    keys.then(
      (fetched) => this.#cache(issuer, known, fetched),
      () => {
        known.failed = true;
      },
    );
    return keys;
  }

  #cache(issuer: string, known: CachedKeys, keys?: KeySet): void {
    this.#known.set(issuer, known, entryBytes + 2 * issuer.length + (keys?.bytes ?? 0));
  }

  /** @throws FetchError that is transient, at once and uncached, if too many issuers are asked */
  #request(issuer: string, identity: string): Promise<KeySet> {
    const shares = [rootGroupShare(identity)];
    const lease = Lease.take(this.#requests, shares);
    if (lease === undefined)
      throw new FetchError("cannot be asked for its keys, because too many issuers are being asked; retry later", true);
    return this.#discover(issuer, shares).finally(() => lease.release());
  }

  async #discover(issuer: string, shares: readonly Share[]): Promise<KeySet> {
    const fetch: FetchText = async (url, options) => {
      const turn = this.#turns.take(shares);
      if (turn !== undefined) await turn;
      return this.#fetch(url, options);
    };
    const trusted = this.#trusted.get(issuer);
    const options = { privateAddresses: trusted !== undefined, ca: trusted?.ca, shares };
    const jwksUrl = trusted?.jwksUrl ?? (await discoverJwksUrl(issuer, fetch, options));
    const keys = new KeySet(parseJwks(await fetch(jwksUrl, options))?.publicKeys ?? []);
    if (keys.size === 0) throw new FetchError("has no valid JWKS document with public keys", false);
    return keys;
  }
}

async function discoverJwksUrl(issuer: string, fetch: FetchText, options: FetchOptions): Promise<string> {
  const { jwks_uri: url } = await discover(issuer, fetch, options);
  if (typeof url !== "string") throw new FetchError("has a discovery document without jwks_uri", false);
  return url;
}
