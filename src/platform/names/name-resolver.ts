import { asciiLowerCase } from "#src/text/ascii-case.ts";
import { type LookupAddress, promises } from "node:dns";
import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { seconds } from "#src/time/durations.ts";
import { tokenLimits } from "../limits/token-limits.ts";
import { Lease } from "../shares/lease.ts";
import { Pool } from "../shares/pool.ts";
import type { Share } from "../shares/share.ts";
import { parseHosts } from "./hosts-file.ts";
import { NameError, TooManyNamesError } from "./name-error.ts";
import { queryAddresses } from "./query-addresses.ts";
import { ParsedFile } from "./parsed-file.ts";
import { parseSearchList, searchedNames } from "./search-list.ts";

/** How long name servers may take for a name, with all names of the search list (ms). */
const timeLimit = seconds(3);
/** How long a name server may take before it is asked again, or the next one is asked (ms). */
const queryTime = seconds(1);
/** How often each name server is asked. */
const tries = 2;

export interface NameResolverOptions {
  /** How many names are resolved by name servers at a time. Root groups share it. */
  readonly maximumLookups?: number;
  /** The name servers: `ADDRESS` or `ADDRESS:PORT`. By default, those of /etc/resolv.conf. */
  readonly servers?: readonly string[];
  /** The files of the system; others for tests. */
  readonly hostsFile?: string;
  readonly resolvConf?: string;
  /** See `timeLimit`; another one for tests. */
  readonly timeLimit?: number;
}

export interface NameRequest {
  /** For whom the name is resolved; none for a name that a setting of the platform contains. */
  readonly shares: readonly Share[];
  /** Whether the search list of /etc/resolv.conf applies. It does not to names that tenants choose. */
  readonly search: boolean;
  /** Ends the lookup. */
  readonly signal?: AbortSignal;
}

/**
 * Resolves the names of hosts, also those that tenants choose, whose name servers may be silent.
 *
 * *Guarantees*: a lookup ends after 3 s, or when its signal is aborted, and then nothing of it is left. Lookups do not wait for each
 * other: at most `maximumLookups` ask name servers at a time, which root groups share, and further ones fail at once.
 *
 * Node's `lookup` has none of this. The C library resolves a name on a thread, of which names have two in a process, for up to half
 * a minute, and cannot be interrupted: lookups wait for those that nobody waits for any more. This resolver sends the queries
 * itself (c-ares), without threads. Of what the C library does, it does the following:
 *
 * - /etc/hosts comes first, and `localhost` is the loopback address (RFC 6761);
 * - name servers, `search` and `ndots` are those of /etc/resolv.conf, which is read again when it changes;
 * - IPv6 addresses come first if this machine has one that others can reach (a part of RFC 6724).
 *
 * It reads no /etc/nsswitch.conf, so other sources of names, such as mDNS or LDAP, are not used.
 */
export class NameResolver {
  readonly #lookups: Pool;
  readonly #servers: readonly string[] | undefined;
  readonly #hosts;
  readonly #searchList;
  readonly #timeLimit: number;

  constructor(options: NameResolverOptions = {}) {
    const { hostsFile = "/etc/hosts", resolvConf = "/etc/resolv.conf", servers } = options;
    this.#lookups = new Pool(options.maximumLookups ?? tokenLimits.nameLookups.value);
    this.#servers = servers;
    this.#hosts = new ParsedFile(hostsFile, parseHosts);
    this.#searchList = new ParsedFile(resolvConf, parseSearchList);
    this.#timeLimit = options.timeLimit ?? timeLimit;
  }

  /**
   * @param host a name, such as that of a URL
   * @returns at least one address, in the order in which to connect
   * @throws NameError
   */
  async resolve(host: string, request: NameRequest): Promise<readonly LookupAddress[]> {
    const name = asciiLowerCase(host);
    const listed = (await this.#hosts.read()).get(name.replace(/\.$/, ""));
    if (listed !== undefined) return listed.map((address) => ({ address, family: isIP(address) }));
    if (/(^|\.)localhost\.?$/.test(name)) return loopback;
    const lease = Lease.take(this.#lookups, request.shares);
    if (lease === undefined) throw new TooManyNamesError(host);
    try {
      const names = request.search ? searchedNames(name, await this.#searchList.read()) : [name.replace(/\.$/, "")];
      return inOrder(await this.#ask(host, names, request.signal));
    } finally {
      lease.release();
    }
  }

  /** Asks for the names, one after the other, until one has an address. */
  async #ask(
    host: string,
    names: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<readonly LookupAddress[]> {
    // One for each lookup: cancel ends all queries of a resolver. It reads the name servers again.
    const resolver = new promises.Resolver({ timeout: queryTime, tries });
    if (this.#servers !== undefined) resolver.setServers(this.#servers);
    const timeout = AbortSignal.timeout(this.#timeLimit);
    const ending = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
    const cancel = () => resolver.cancel();
    ending.addEventListener("abort", cancel);
    try {
      let failure: NodeJS.ErrnoException | undefined;
      for (const name of names) {
        if (ending.aborted) break;
        const answer = await queryAddresses(resolver, name);
        if (answer.addresses.length > 0) return answer.addresses;
        failure ??= answer.failure;
        // As in the C library, the search goes on after "server failure", which name servers send for domains that are not theirs.
        if (answer.failure !== undefined && answer.failure.code !== "ESERVFAIL") break;
      }
      if (timeout.aborted) throw new NameError(host, "the name servers did not respond in time", "ETIMEOUT", failure);
      if (ending.aborted) throw new NameError(host, "the lookup was canceled", "ECANCELLED", signal?.reason);
      if (failure === undefined) throw new NameError(host, "the name does not exist, or has no address", "ENOTFOUND");
      throw new NameError(host, "asking the name servers failed", failure.code ?? "EAI_FAIL", failure);
    } finally {
      ending.removeEventListener("abort", cancel);
      // A query for the other family may be left.
      cancel();
    }
  }
}

const loopback: readonly LookupAddress[] = [
  { address: "127.0.0.1", family: 4 },
  { address: "::1", family: 6 },
];

/** Those of the family first that this machine can more likely reach. The order within a family is that of the name servers. */
function inOrder(addresses: readonly LookupAddress[]): readonly LookupAddress[] {
  const first = hasIpv6() ? 6 : 4;
  const isFirst = ({ family }: LookupAddress) => family === first;
  return [...addresses.filter(isFirst), ...addresses.filter((address) => !isFirst(address))];
}

/** Whether this machine has an IPv6 address beyond loopback and the link. */
function hasIpv6(): boolean {
  return Object.values(networkInterfaces()).some((addresses = []) =>
    addresses.some(({ family, internal, scopeid }) => family === "IPv6" && !internal && scopeid === 0),
  );
}
