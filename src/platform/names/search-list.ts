/** What of resolv.conf(5) decides which names are asked for. */
export interface SearchList {
  /** The domains that are appended to a name, in their order. */
  readonly domains: readonly string[];
  /** A name with fewer dots is first asked for with the domains. */
  readonly ndots: number;
}

/** More than Kubernetes allows a pod. */
const maximumDomains = 32;
/** That of the C library. */
const maximumDots = 15;
/** The longest name in the DNS (RFC 1035). */
const maximumLength = 253;

/** The search list in a text in the format of resolv.conf(5). Name servers are read by c-ares. */
export function parseSearchList(text: string): SearchList {
  let domains: readonly string[] = [];
  let ndots = 1;
  for (const line of text.split("\n")) {
    const [keyword, ...values] = line.trim().split(/\s+/);
    // The last of these lines counts.
    if (keyword === "search" || keyword === "domain") domains = values.slice(0, maximumDomains);
    if (keyword !== "options") continue;
    for (const option of values) {
      const dots = /^ndots:(\d{1,3})$/.exec(option)?.[1];
      if (dots !== undefined) ndots = Math.min(Number(dots), maximumDots);
    }
  }
  return { domains: domains.map((domain) => domain.replace(/\.$/, "")).filter((domain) => domain !== ""), ndots };
}

/** The names to ask for, in their order. A name with a dot at its end is asked for as it is. */
export function searchedNames(name: string, { domains, ndots }: SearchList): string[] {
  if (name.endsWith(".")) return [name.slice(0, -1)];
  const searched = domains.map((domain) => `${name}.${domain}`);
  const dots = name.split(".").length - 1;
  return (dots >= ndots ? [name, ...searched] : [...searched, name]).filter(({ length }) => length <= maximumLength);
}
