import { createHmac, hash, timingSafeEqual } from "node:crypto";
import { invalidArgument } from "../errors/api-error.ts";

/** The end of a page: the next page starts after it. */
export interface Cursor {
  /** The value of the sort column in the last row of the page. */
  readonly sort: string | number;
  readonly uid: string;
}

/** After 3 days (in ms) a token restarts the query from the beginning. */
const pageTokenLifetime = 3 * 24 * 60 * 60 * 1_000;

/**
 * Issues and reads page tokens. A token is bound by a fingerprint to its query (collection, filters, order), and signed,
 * so that only cursors that the platform issued reach a query. It contains nothing about the caller.
 */
export class PageTokens {
  readonly #key: Uint8Array;

  /** @param key shared by all replicas */
  constructor(key: Uint8Array) {
    this.#key = key;
  }

  issue(query: string, cursor: Cursor, now: number): string {
    const payload = Buffer.from(JSON.stringify([now, fingerprint(query), cursor.sort, cursor.uid])).toString(
      "base64url",
    );
    return `${payload}.${this.#sign(payload)}`;
  }

  /**
   * @returns the cursor; `undefined` if the token is too old, so that the query restarts. The age is checked before the
   *   fingerprint.
   * @throws ApiError (3) on `page_token`
   */
  read(token: string, query: string, now: number): Cursor | undefined {
    const [payload = "", signature = ""] = token.split(".");
    // Compare bytes: characters may have more than one.
    const [given, expected] = [Buffer.from(signature), Buffer.from(this.#sign(payload))];
    if (given.length !== expected.length || !timingSafeEqual(given, expected))
      throw invalidArgument("page_token", "is not a page token of this platform; start the list again without it");
    const [issued, print, sort, uid] = JSON.parse(Buffer.from(payload, "base64url").toString()) as [
      number,
      string,
      string | number,
      string,
    ];
    if (now - issued > pageTokenLifetime) return undefined;
    if (print !== fingerprint(query))
      throw invalidArgument(
        "page_token",
        "belongs to a request with another collection, filter or order; repeat that request or start again without a token",
      );
    return { sort, uid };
  }

  #sign(payload: string): string {
    return createHmac("sha256", this.#key).update(payload).digest("base64url");
  }
}

function fingerprint(query: string): string {
  return hash("sha256", query, "base64url").slice(0, 22);
}
