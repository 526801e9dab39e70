import { BlockList, isIP } from "node:net";
import { asciiLowerCase } from "#src/text/ascii-case.ts";

/** The proxies of a process, as the environment has them. */
export interface ProxySettings {
  /** For targets with https. May contain a user name and a password: never log it. */
  readonly https: URL | undefined;
  /** For targets with http. */
  readonly http: URL | undefined;
  /** The entries of NO_PROXY, in lower case. */
  readonly direct: readonly string[];
}

/** A variable that names a proxy is not valid. The message names the variable, and never its value, which may contain a password. */
export class InvalidProxyVariable extends Error {
  override readonly name = "InvalidProxyVariable";
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads HTTPS_PROXY, HTTP_PROXY and NO_PROXY. In lower case they take precedence, as in curl. An empty one counts as not set.
 * @throws {InvalidProxyVariable}
 */
export function readProxySettings(env: Environment): ProxySettings {
  return {
    https: proxyIn(env, "HTTPS_PROXY"),
    http: proxyIn(env, "HTTP_PROXY"),
    direct: asciiLowerCase(valueOf(env, "NO_PROXY") ?? "")
      .split(/[,\s]+/)
      .filter((entry) => entry !== ""),
  };
}

/**
 * The proxy for a target; undefined if the target is called directly. The rules are those of Go's programs, such as kubectl:
 * localhost and loopback addresses are always direct. An entry of NO_PROXY is `*`; a domain, which includes everything below
 * it; `.domain`, for everything below it only; an IP address; or a CIDR block. All but a block can end with a port.
 */
export function proxyFor(target: URL, { https, http, direct }: ProxySettings): URL | undefined {
  const proxy = target.protocol === "https:" ? https : http;
  if (proxy === undefined) return undefined;
  const host = asciiLowerCase(target.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, ""));
  const port = target.port || (target.protocol === "https:" ? "443" : "80");
  return isLoopback(host) || direct.some((entry) => isDirect(entry, host, port)) ? undefined : proxy;
}

/** The address of a proxy without its user name and password, for messages and logs. */
export function displayProxy({ protocol, host }: URL): string {
  return `${protocol}//${host}`;
}

/** `http://[USER:PASSWORD@]HOST:PORT`, with http by default; undefined if the text is not the URL of an HTTP proxy. */
export function parseProxy(text: string): URL | undefined {
  const url = URL.parse(text.includes("://") ? text : `http://${text}`);
  const valid = url !== null && ["http:", "https:"].includes(url.protocol) && isDecodable(url.username + url.password);
  return valid ? url : undefined;
}

function proxyIn(env: Environment, name: string): URL | undefined {
  const value = valueOf(env, name);
  const url = value === undefined ? undefined : parseProxy(value);
  if (value !== undefined && url === undefined)
    throw new InvalidProxyVariable(
      `the environment variable ${name} is not the URL of an HTTP proxy, such as http://proxy.example.com:3128`,
    );
  return url;
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function valueOf(env: Environment, name: string): string | undefined {
  return env[name.toLowerCase()] || env[name] || undefined;
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}

function isDirect(entry: string, host: string, port: string): boolean {
  if (entry === "*") return true;
  if (entry.includes("/")) return isInBlock(entry, host);
  const { name, only } = withoutPort(entry);
  if (only !== undefined && only !== port) return false;
  const family = isIP(name);
  if (family !== 0) return isInBlock(`${name}/${family === 4 ? 32 : 128}`, host);
  const domain = name.replace(/^\*(?=\.)/, "");
  return domain.startsWith(".") ? host.endsWith(domain) : host === domain || host.endsWith(`.${domain}`);
}

/** Splits `HOST:PORT`. An IPv6 address has a port only after brackets. */
function withoutPort(entry: string): { readonly name: string; readonly only: string | undefined } {
  if (isIP(entry) === 6) return { name: entry, only: undefined };
  const [, name = entry, only] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
  return { name: name.replace(/^\[|\]$/g, ""), only };
}

function isInBlock(entry: string, host: string): boolean {
  const [address = "", bits = ""] = entry.split("/");
  const [family, hostFamily] = [isIP(address), isIP(host)];
  const length = Number(bits);
  if (family === 0 || family !== hostFamily || !/^\d+$/.test(bits) || length > (family === 4 ? 32 : 128)) return false;
  const block = new BlockList();
  const type = family === 4 ? "ipv4" : "ipv6";
  block.addSubnet(address, length, type);
  return block.check(host, type);
}
