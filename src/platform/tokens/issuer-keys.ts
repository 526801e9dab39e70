import type { WallClock } from "#src/time/wall-clock.ts";
import { seconds } from "#src/time/durations.ts";
import { Lease } from "../shares/lease.ts";
import { Pool } from "../shares/pool.ts";
import { rootGroupShare, type Share } from "../shares/share.ts";
import { Turns } from "../shares/turns.ts";
import { discover } from "./discovery.ts";
import { FetchError, type FetchOptions, type FetchText, isUnavailable, RefusedFetchError } from "./fetch-document.ts";
import { issuerTimes } from "./issuer-times.ts";
import { parseJwks } from "./jwks.ts";
import { KeySet } from "./key-set.ts";
import { RevalidatedCache } from "./revalidated-cache.ts";
import type { TrustedIssuer } from "./trusted-issuer.ts";

/** The minimum time between two requests to an issuer that unknown key ids cause (ms). */
const refetchAfter = seconds(30);
/** An estimate of the memory of an entry without its keys. */
const entryBytes = 2_048;

export interface IssuerKeysOptions {
  readonly trusted: readonly TrustedIssuer[];
  readonly clock: WallClock;
  /** How many issuers are asked at a time. Root groups share it. */
  readonly maximumRequests: number;
  readonly fetch: FetchText;
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
  readonly #fetch: FetchText;
  readonly #requests: Pool;
  readonly #turns = new Turns();
  readonly #known: RevalidatedCache<KeySet>;

  constructor({ trusted, clock, maximumRequests, fetch }: IssuerKeysOptions) {
    this.#trusted = new Map(trusted.map((entry) => [entry.issuer, entry]));
    this.#known = new RevalidatedCache({
      times: issuerTimes,
      bounds: { entries: 1_000, bytes: 16 * 1024 * 1024 },
      clock,
      bytesOf: (issuer, keys) => entryBytes + 2 * issuer.length + keys.bytes,
      isUnavailable,
      isRefused: (error) => error instanceof RefusedFetchError,
    });
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
    const request = () => this.#request(issuer, identity);
    const requestedBefore = this.#known.requestedAt(issuer);
    const keys = await this.#known.get(issuer, request);
    if (keyId === undefined || keys.has(keyId) || requestedBefore === undefined) return keys;
    const renewed = await this.#known.renewed(issuer, request, refetchAfter);
    if (renewed.has(keyId) || this.#known.requestedAt(issuer) !== requestedBefore) return renewed;
    throw new FetchError(
      `was asked for its keys less than ${refetchAfter / 1_000} s ago, and had none with the id of the token's key; retry later`,
      true,
    );
  }

  /** @throws FetchError that is transient, at once and uncached, if too many issuers are asked */
  #request(issuer: string, identity: string): Promise<KeySet> {
    const shares = [rootGroupShare(identity)];
    const lease = Lease.take(this.#requests, shares);
    if (lease === undefined)
      throw new RefusedFetchError("cannot be asked for its keys, because too many issuers are being asked");
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
