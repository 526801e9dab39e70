import { lookup as resolve, type LookupAddress } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { Agent, request } from "undici";
import { isPublicAddress } from "./public-address.ts";

const defaultTimeLimit = 5_000;
const maximumBytes = 256 * 1024;

/** Why a document of an issuer was not taken. The messages repeat nothing that was fetched. */
export class FetchError extends Error {
  override readonly name = "FetchError";
  /** Whether trying again later may help: it was not there, rather than wrong. */
  readonly transient: boolean;
  constructor(message: string, transient: boolean, cause?: unknown) {
    super(message, { cause });
    this.transient = transient;
  }
}

export interface FetchOptions {
  /** Whether a private address may be connected to. */
  readonly privateAddresses: boolean;
  /** Certificates, in PEM, that vouch for the server; the system's where undefined. */
  readonly ca: string | undefined;
  /** Milliseconds for all of it. */
  readonly timeLimit?: number;
}

/**
 * Gets a JSON document over https that a stranger named: no redirects, a limit on size and time, and public addresses
 * only. The address that is checked is the one that is connected to, so a name that changes its answer gains nothing.
 * @throws FetchError
 */
export async function fetchDocument(
  url: string,
  { privateAddresses, ca, timeLimit = defaultTimeLimit }: FetchOptions,
): Promise<string> {
  const { protocol, hostname } = URL.parse(url) ?? {};
  if (protocol !== "https:" || hostname === undefined) throw new FetchError("is not an https address", false);
  const literal = hostname.replace(/^\[|\]$/g, "");
  // A literal address is connected to without a look-up.
  if (!privateAddresses && isIP(literal) !== 0 && !isPublicAddress(literal)) throw notPublic();
  const agent = new Agent({
    allowH2: false,
    connect: { ...(ca === undefined ? {} : { ca }), ...(privateAddresses ? {} : { lookup: publicLookup }) },
  });
  const signal = AbortSignal.timeout(timeLimit);
  try {
    const { statusCode, body } = await request(url, {
      dispatcher: agent,
      signal,
      // RFC 7517 and discovery name these types; a Kubernetes API server answers 406 to a request without its own.
      headers: { accept: "application/json, application/jwk-set+json" },
    });
    if (statusCode >= 300 && statusCode < 400) throw new FetchError("answers with a redirect", false);
    if (statusCode !== 200) throw new FetchError(`answers with HTTP status ${statusCode}`, true);
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maximumBytes) throw new FetchError(`is larger than ${maximumBytes / 1024} KiB`, false);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString();
  } catch (error) {
    if (error instanceof FetchError) throw error;
    const cause = (error as Error).cause ?? error;
    if (cause instanceof FetchError) throw cause;
    if (signal.aborted) throw new FetchError("does not answer in time", true, error);
    throw new FetchError("cannot be reached", true, error);
  } finally {
    await agent.destroy();
  }
}

function notPublic(): FetchError {
  return new FetchError("does not have a public address", false);
}

/** Resolves as usual, and fails where any of the addresses is not public. */
const publicLookup: LookupFunction = (hostname, options, callback) => {
  resolve(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
    const [first] = addresses ?? [];
    if (error !== null || first === undefined) {
      callback(error ?? new Error("no address"), "");
      return;
    }
    if (!addresses.every(({ address }) => isPublicAddress(address))) callback(notPublic(), "");
    else if (options.all === true) callback(null, addresses);
    else callback(null, first.address, first.family);
  });
};
