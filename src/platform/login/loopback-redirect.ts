const hosts = new Set(["127.0.0.1", "[::1]", "localhost"]);

/**
 * The URL of a program that listens on this computer, at `/callback`: only there may codes and tokens go (RFC 8252, 7.3).
 * @returns undefined if it is not such a URL
 */
export function loopbackRedirect(text: string): URL | undefined {
  const url = URL.parse(text);
  if (url === null || url.protocol !== "http:" || !hosts.has(url.hostname)) return undefined;
  if (url.username !== "" || url.password !== "" || url.hash !== "" || text.includes("#")) return undefined;
  return url.port !== "" && url.pathname === "/callback" ? url : undefined;
}
