import { Agent } from "undici";
import { seconds } from "#src/time/durations.ts";
import { lookupFunction } from "../names/lookup-function.ts";
import type { NameResolver } from "../names/name-resolver.ts";
import { signatureHeader, signatureOf } from "./signature.ts";

/** How long a receiver may take to respond. */
export const requestTimeoutMs = seconds(10);

export interface WebhookOptions {
  readonly url: string;
  /** The certificate authorities in PEM; undefined for those of the system. */
  readonly ca: string | undefined;
  /** Reads the secrets that requests are signed with. @throws Error without a secret in it */
  readonly readSecrets: () => readonly string[];
}

/** The receiver did not accept the records. The message contains nothing that it sent. */
export class WebhookError extends Error {
  override readonly name = "WebhookError";
}

/**
 * Sends records to a receiver, which the operators of the platform choose, on one connection that stays open.
 * `tokens/fetch-document.ts` would open one for each batch: no connection outlives the check of an address there. Redirects are not
 * followed: they would send the records elsewhere.
 */
export class Webhook {
  readonly #options: WebhookOptions;
  readonly #agent: Agent;
  readonly #timeoutMs: number;

  constructor(options: WebhookOptions, names: NameResolver, timeoutMs = requestTimeoutMs) {
    this.#options = options;
    this.#timeoutMs = timeoutMs;
    const { ca } = options;
    const lookup = lookupFunction(names, { shares: [], search: true });
    const connect = { lookup, ...(ca === undefined ? {} : { ca }) };
    this.#agent = new Agent({ allowH2: false, connections: 1, connect });
  }

  /**
   * Sends lines of JSON in one request.
   * @param now milliseconds since the epoch
   * @throws WebhookError unless the receiver responds with a status from 200 to 299
   */
  async send(body: string, now: number, aborting: AbortSignal): Promise<void> {
    const { origin, pathname, search } = new URL(this.#options.url);
    const time = Math.floor(now / 1_000);
    const signature = signatureOf(this.#options.readSecrets(), time, body);
    const signal = AbortSignal.any([aborting, AbortSignal.timeout(this.#timeoutMs)]);
    const headers = {
      "content-type": "application/x-ndjson",
      "user-agent": "muster-platform",
      [signatureHeader]: signature,
    };
    const request = { origin, path: `${pathname}${search}`, method: "POST", headers, body, signal } as const;
    let status: number;
    try {
      const response = await this.#agent.request(request);
      status = response.statusCode;
      await response.body.dump({ limit: 64 * 1024, signal });
    } catch (cause) {
      throw new WebhookError(signal.aborted ? "the receiver did not respond in time" : "the receiver is unreachable", {
        cause,
      });
    }
    if (status < 200 || status > 299) throw new WebhookError(`the receiver responded with HTTP status ${status}`);
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}
