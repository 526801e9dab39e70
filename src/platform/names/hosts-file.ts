import { asciiLowerCase } from "#src/text/ascii-case.ts";
import { isIP } from "node:net";

/**
 * The addresses of names in the format of hosts(5), such as `127.0.0.1 localhost`, in the order of the lines. Names are in
 * lowercase. Lines that do not begin with an IP address are ignored.
 */
export function parseHosts(text: string): ReadonlyMap<string, readonly string[]> {
  const hosts = new Map<string, string[]>();
  for (const line of text.split("\n")) {
    const [address = "", ...names] = wordsOf(line);
    if (names.length === 0 || isIP(address) === 0) continue;
    for (const name of names) {
      // Only ASCII has one way to be written in lowercase.
      if (!/^[!-~]+$/.test(name)) continue;
      const key = asciiLowerCase(name);
      const addresses = hosts.get(key) ?? [];
      if (!addresses.includes(address)) hosts.set(key, [...addresses, address]);
    }
  }
  return hosts;
}

/** The words of a line, without a comment. */
function wordsOf(line: string): string[] {
  return line
    .replace(/#.*/, "")
    .split(/\s+/)
    .filter((word) => word !== "");
}
