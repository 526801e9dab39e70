import type { LookupAddress } from "node:dns";
import { isIP } from "node:net";
import type { buildConnector as Connector } from "undici";
import { lookupFunction } from "../names/lookup-function.ts";
import { TooManyNamesError } from "../names/name-error.ts";
import type { NameResolver } from "../names/name-resolver.ts";
import type { Share } from "../shares/share.ts";
import { isPublicAddress } from "./public-address.ts";

const defaultTimeLimit = 5_000;
const maximumBytes = 256 * 1024;
/** The types of discovery documents and of RFC 7517. A Kubernetes API server responds with 406 unless its type is accepted. */
const acceptJson = { accept: "application/json, application/jwk-set+json" };

/** A document of an issuer could not be fetched. The messages contain nothing of what was fetched. */
export class FetchError extends Error {
  override readonly name = "FetchError";
  /** Whether a retry may succeed: the document was unavailable, as opposed to invalid. */
  readonly transient: boolean;
  /** The HTTP status, if that was the reason. */
  readonly status: number | undefined;
  constructor(message: string, transient: boolean, { cause, status }: { cause?: unknown; status?: number } = {}) {
    super(message, { cause });
    this.transient = transient;
    this.status = status;
  }
}

/** Nothing was requested, because whoever needs the document has used up its share: others may fetch it. */
export class RefusedFetchError extends FetchError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super(`${message}; retry later`, true, options);
  }
}

/** Whether a failure says nothing about the document: the server was not reached, or could not respond with it now. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof FetchError) || !error.transient) return false;
  const { status } = error;
  return status === undefined || status >= 500 || status === 408 || status === 429;
}

export interface FetchOptions {
  /** Whether the operators of the platform trust the URL: then connections to private addresses are allowed. */
  readonly privateAddresses: boolean;
  /** For whom the document is fetched. */
  readonly shares: readonly Share[];
  /** The certificate authorities in PEM; undefined for those of the system. */
  readonly ca: string | undefined;
  /** The time limit for the whole request, in milliseconds. */
  readonly timeLimit?: number;
  /** GET by default. */
  readonly method?: "GET" | "POST";
  /** The body of a POST; none by default. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Fetches a document. @throws FetchError */
export type FetchText = (url: string, options: FetchOptions) => Promise<string>;

/** `fetchDocument` with a resolver. */
export function documentFetcher(names: NameResolver): FetchText {
  return (url, options) => fetchDocument(names, url, options);
}

/**
 * Fetches a JSON document from an untrusted URL: https only, no redirects, limits on size and time, and, by default, only
 * public addresses. The address that is checked is the address of the connection, which defeats DNS rebinding. The server must
 * have a certificate for the host of the URL, whatever the header `host` says.
 * @throws FetchError
 */
export async function fetchDocument(
  names: NameResolver,
  url: string,
  {
    privateAddresses,
    shares,
    ca,
    timeLimit = defaultTimeLimit,
    method = "GET",
    body: content,
    headers = acceptJson,
  }: FetchOptions,
): Promise<string> {
  const parsed = URL.parse(url);
  if (parsed?.protocol !== "https:") throw new FetchError("is not an https URL", false);
  const { origin, hostname, pathname, search } = parsed;
  const literal = hostname.replace(/^\[|\]$/g, "");
  // A literal IP address is used without a DNS lookup.
  if (!privateAddresses && isIP(literal) !== 0 && !isPublicAddress(literal)) throw notPublic();
  const signal = AbortSignal.timeout(timeLimit);
  const request = { shares, search: privateAddresses, signal };
  // Loaded with the first document.
  const { Agent, buildConnector } = await import("undici");
  const connect = buildConnector({
    allowH2: false,
    ...(ca === undefined ? {} : { ca }),
    lookup: lookupFunction(names, request, privateAddresses ? undefined : requirePublic),
  });
  const agent = new Agent({
    allowH2: false,
    connect: verifiedByUrl(connect),
  });
  try {
    const { statusCode, body } = await agent.request({
      origin,
      path: `${pathname}${search}`,
      method,
      signal,
      headers,
      ...(content === undefined ? {} : { body: content }),
    });
    if (statusCode >= 300 && statusCode < 400) throw new FetchError("responded with a redirect", false);
    if (statusCode !== 200)
      throw new FetchError(`responded with HTTP status ${statusCode}`, true, { status: statusCode });
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maximumBytes)
        throw new FetchError(`sent a document that is larger than ${maximumBytes / 1024} KiB`, false);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString();
  } catch (error) {
    if (error instanceof FetchError) throw error;
    const cause = (error as Error).cause ?? error;
    if (cause instanceof FetchError) throw cause;
    if (cause instanceof TooManyNamesError)
      throw new RefusedFetchError("cannot be asked, because too many names are being resolved", { cause });
    if (signal.aborted) throw new FetchError("did not respond in time", true, { cause: error });
    throw unreachable(error);
  } finally {
    await agent.destroy();
  }
}

/** undici takes the name that TLS verifies from the header `host`. This connector takes it from the URL. */
function verifiedByUrl(connect: Connector.connector): Connector.connector {
  return ({ hostname, host = hostname, protocol, port }, callback) =>
    connect({ hostname, host, protocol, port }, callback);
}

/**
 * One message for every address that does not respond, is not public or does not exist: whoever chooses the URL must not
 * learn what there is in the platform's network. The cause is for the log.
 */
function unreachable(cause: unknown): FetchError {
  return new FetchError("is unreachable, or does not have a public address", true, { cause });
}

function notPublic(): FetchError {
  return unreachable(new Error("the address is not public, and the issuer is not trusted"));
}

/** @throws FetchError if any of the addresses is not public */
function requirePublic(addresses: readonly LookupAddress[]): void {
  if (!addresses.every(({ address }) => isPublicAddress(address))) throw notPublic();
}
