import { BlockList, isIP } from "node:net";

const notPublic4 = new BlockList();
for (const [network, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  // The host agent of a virtual machine on Azure: public by its number only.
  ["168.63.129.16", 32],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
] as const)
  notPublic4.addSubnet(network, prefix, "ipv4");

/** Only global unicast is public in IPv6, without the ranges for tunnels and documentation. */
const globalUnicast6 = new BlockList();
globalUnicast6.addSubnet("2000::", 3, "ipv6");
const notPublic6 = new BlockList();
for (const [network, prefix] of [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
] as const)
  notPublic6.addSubnet(network, prefix, "ipv6");

/** Whether an IP address belongs to the public internet: it is neither private, nor local, nor reserved. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !notPublic4.check(address, "ipv4");
    case 6:
      return globalUnicast6.check(address, "ipv6") && !notPublic6.check(address, "ipv6");
    default:
      return false;
  }
}
