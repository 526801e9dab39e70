import { Lease } from "../shares/lease.ts";
import { Pool } from "../shares/pool.ts";
import { rootGroupShare, type Share } from "../shares/share.ts";
import { FetchError, type FetchText } from "./fetch-document.ts";
import { type AwsToken, awsHost, awsPath } from "./aws-token.ts";

/** Where requests to AWS STS are sent. */
export interface StsEndpoint {
  /** Without a slash at the end. */
  readonly url: string;
  readonly ca: string | undefined;
  /** Whether it may have a private address. */
  readonly privateAddresses: boolean;
}

/** The AWS principal that signed a request. */
export interface AwsPrincipal {
  readonly account: string;
  readonly arn: string;
  readonly userId: string;
}

/** The length of a name of a principal, longer than those of AWS. */
const maximumLength = 2_048;

/** Asks AWS which principals signed requests. The requests at a time are bounded, and root groups share them. */
export class AwsSts {
  readonly #endpoint: StsEndpoint;
  readonly #fetch: FetchText;
  readonly #requests: Pool;

  constructor(endpoint: StsEndpoint, fetch: FetchText, maximumRequests: number) {
    this.#endpoint = endpoint;
    this.#fetch = fetch;
    this.#requests = new Pool(maximumRequests);
  }

  /**
   * @param identity the uid of the identity that is assumed
   * @returns undefined if AWS does not accept the signature
   * @throws FetchError
   */
  async principalOf(token: AwsToken, identity: string): Promise<AwsPrincipal | undefined> {
    const shares = [rootGroupShare(identity)];
    const lease = Lease.take(this.#requests, shares);
    if (lease === undefined) throw new FetchError("is being asked too often; retry later", true);
    try {
      return await this.#ask(token, shares);
    } finally {
      lease.release();
    }
  }

  async #ask({ headers }: AwsToken, shares: readonly Share[]): Promise<AwsPrincipal | undefined> {
    const { url, ca, privateAddresses } = this.#endpoint;
    const all = { ...headers, host: awsHost };
    let text: string;
    try {
      text = await this.#fetch(`${url}${awsPath}`, { privateAddresses, shares, ca, method: "POST", headers: all });
    } catch (error) {
      if (error instanceof FetchError && error.status !== undefined && error.status >= 400 && error.status < 500)
        return undefined;
      throw error;
    }
    const principal = parse(text);
    if (principal === undefined) throw new FetchError("sent an invalid response", false);
    return principal;
  }
}

function parse(text: string): AwsPrincipal | undefined {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return undefined;
  }
  const result = member(member(json, "GetCallerIdentityResponse"), "GetCallerIdentityResult");
  const [account, arn, userId] = ["Account", "Arn", "UserId"].map((name) => member(result, name));
  return isName(account) && isName(arn) && isName(userId) ? { account, arn, userId } : undefined;
}

function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= maximumLength;
}
