import { describe, expect, it } from "vitest";
import { ClientAddresses, parseAddressRange } from "./client-address.ts";

describe("the address of a client", () => {
  const behindProxies = new ClientAddresses(["10.0.0.0/8", "fd00::/8"]);

  it.each([
    ["192.0.2.1", "192.0.2.1"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["2001:db8:0:0:ffff:1:2:3", "2001:db8:0:0::/64"],
    ["2001:0DB8:0001::1", "2001:db8:1:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    [undefined, "unknown"],
  ])("of the peer %s is %s, whatever its headers say", (peer, expected) => {
    const headers = { "x-forwarded-for": "198.51.100.7", forwarded: "for=198.51.100.7" };
    expect(new ClientAddresses([]).of(peer, headers)).toBe(expected);
    expect(behindProxies.of(peer, headers)).toBe(expected);
  });

  it.each([
    ["198.51.100.7", "198.51.100.7"],
    ["198.51.100.7:4711", "198.51.100.7"],
    ["[2001:db8::1]:4711", "2001:db8:0:0::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    // The client can write anything before the address that the first trusted proxy saw.
    ["192.0.2.99, 198.51.100.7", "198.51.100.7"],
    ["198.51.100.7, 10.1.1.1, fd00::2", "198.51.100.7"],
    ["10.1.1.1", "10.1.1.1"],
    ["nonsense", "10.0.0.1"],
    ["198.51.100.7, unknown", "10.0.0.1"],
    ["", "10.0.0.1"],
  ])("behind a trusted proxy with X-Forwarded-For %j is %s", (forwardedFor, expected) => {
    expect(behindProxies.of("10.0.0.1", { "x-forwarded-for": forwardedFor })).toBe(expected);
    expect(behindProxies.of("::ffff:10.0.0.1", { "x-forwarded-for": forwardedFor })).toBe(expected);
  });

  it.each([
    ["for=198.51.100.7;proto=https", "198.51.100.7"],
    ['proto=https; For="[2001:db8::1]:4711";by=203.0.113.43', "2001:db8:0:0::/64"],
    ['for=192.0.2.99, for="198.51.100.7:80"', "198.51.100.7"],
    ["for=_hidden", "10.0.0.1"],
    ["proto=https", "10.0.0.1"],
  ])("behind a trusted proxy with Forwarded %j is %s", (forwarded, expected) => {
    expect(behindProxies.of("10.0.0.1", { forwarded })).toBe(expected);
  });

  it("is that of the proxy if both headers are there and differ, because one of them may be the client's", () => {
    const differing = { "x-forwarded-for": "198.51.100.7", forwarded: "for=192.0.2.99" };
    expect(behindProxies.of("10.0.0.1", differing)).toBe("10.0.0.1");
    expect(behindProxies.of("10.0.0.1", { ...differing, forwarded: "for=198.51.100.7" })).toBe("198.51.100.7");
  });
});

it.each(["10.0.0.0", "10.0.0.0/33", "10.0.0/8", "fd00::/129", "10.0.0.0/8/8", "10.0.0.0/x", "example.com/8", ""])(
  "rejects %j as a range of addresses",
  (range) => {
    expect(() => parseAddressRange(range)).toThrow("is not a range of addresses, such as 10.0.0.0/8");
  },
);
