import { BlockList, isIP, isIPv4 } from "node:net";
import { asciiLowerCase } from "#src/text/ascii-case.ts";
import type { IncomingHttpHeaders } from "node:http";

/** The maximum number of proxies that a request is followed through. */
const maximumHops = 16;

/** Finds the addresses of clients, behind proxies that are trusted to name them. */
export class ClientAddresses {
  readonly #trusted: BlockList | undefined;

  /** @param trustedProxies ranges of addresses such as `10.0.0.0/8` @throws Error if one is not a range */
  constructor(trustedProxies: readonly string[]) {
    if (trustedProxies.length === 0) return;
    this.#trusted = new BlockList();
    for (const range of trustedProxies) addRange(this.#trusted, range);
  }

  /**
   * The address of the client that sent a request: the peer of the connection, unless it is a trusted proxy. Then it is the
   * last address in `Forwarded` or `X-Forwarded-For` that is not one of a trusted proxy, since clients can send any
   * addresses before that. A header that is malformed is followed as far as it is valid. If both headers are there and
   * differ, one of them may come from the client, so the address is that of the proxy.
   * @returns a key of the address: for IPv6, of its /64 network, since a client usually has all addresses of one
   */
  of(peer: string | undefined, headers: IncomingHttpHeaders): string {
    if (peer === undefined) return "unknown";
    if (this.#trusted === undefined || !this.isTrusted(peer)) return addressKey(peer);
    const { forwarded, "x-forwarded-for": forwardedFor } = headers;
    const clients = [
      ...(forwarded === undefined ? [] : [this.#clientOf(peer, lastElements(forwarded).map(forwardedNode))]),
      ...(forwardedFor === undefined ? [] : [this.#clientOf(peer, lastElements(String(forwardedFor)).map(addressIn))]),
    ];
    const [first = addressKey(peer), second = first] = clients;
    return first === second ? first : addressKey(peer);
  }

  /** Whether the address is one of a trusted proxy. */
  isTrusted(address: string): boolean {
    const plain = withoutMapping(address);
    return this.#trusted?.check(plain, isIPv4(plain) ? "ipv4" : "ipv6") ?? false;
  }

  /** @param hops the addresses that proxies reported, the last first; undefined for one that is invalid */
  #clientOf(peer: string, hops: readonly (string | undefined)[]): string {
    let client = peer;
    for (const hop of hops) {
      if (hop === undefined || !this.isTrusted(client)) break;
      client = hop;
    }
    return addressKey(client);
  }
}

/** @throws Error that says what a range looks like */
function addRange(list: BlockList, range: string): void {
  const [address = "", length, ...more] = range.split("/");
  const family = isIP(address);
  const bits = length === undefined ? NaN : Number(length);
  const maximum = family === 4 ? 32 : 128;
  if (family === 0 || more.length > 0 || !/^\d{1,3}$/.test(length ?? "") || bits > maximum)
    throw new Error(`"${range}" is not a range of addresses, such as 10.0.0.0/8 or fd00::/8`);
  list.addSubnet(address, bits, family === 4 ? "ipv4" : "ipv6");
}

/** @returns the range @throws Error if it is not one */
export function parseAddressRange(range: string): string {
  addRange(new BlockList(), range);
  return range;
}

/** The last elements of a header's list, the last first. */
function lastElements(header: string): string[] {
  return header.split(",").slice(-maximumHops).toReversed();
}

/** The address in an element of `Forwarded` (RFC 7239): `for=192.0.2.60;proto=http`, `for="[2001:db8::1]:4711"`. */
function forwardedNode(element: string): string | undefined {
  const [, quoted, token] = /(?:^|;)\s*for=(?:"([^"]*)"|([^;\s"]+))\s*(?:;|$)/i.exec(element) ?? [];
  return addressIn(quoted ?? token ?? "");
}

/** An address with or without a port, an IPv6 address with or without brackets; undefined for anything else. */
function addressIn(text: string): string | undefined {
  const trimmed = text.trim();
  const [, bracketed, dotted] = /^\[([^\]]*)\](?::\d+)?$|^([\d.]+):\d+$/.exec(trimmed) ?? [];
  const address = bracketed ?? dotted ?? trimmed;
  return isIP(address) === 0 ? undefined : address;
}

/** An IPv4 address, also if it is mapped into IPv6; other addresses unchanged. */
function withoutMapping(address: string): string {
  const plain = asciiLowerCase(address).startsWith("::ffff:") ? address.slice(7) : address;
  return isIPv4(plain) ? plain : address;
}

function addressKey(address: string): string {
  const plain = withoutMapping(address);
  return isIPv4(plain) ? plain : `${networkOf(plain)}::/64`;
}

/** The first four groups of an IPv6 address, without leading zeros. */
function networkOf(address: string): string {
  const [head = "", tail] = address.split("%")[0]?.split("::") ?? [];
  const first = head === "" ? [] : head.split(":");
  const last = tail === undefined || tail === "" ? [] : tail.split(":");
  // An IPv4 address at the end stands for two groups.
  const length = first.length + last.length + (address.includes(".") ? 1 : 0);
  const groups = [...first, ...Array.from({ length: Math.max(0, 8 - length) }, () => "0"), ...last];
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":");
}
