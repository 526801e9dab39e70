import { createHmac, hash, timingSafeEqual } from "node:crypto";
import { invalidArgument } from "../errors/api-error.ts";

/** Where a page ended: the next one starts behind it. */
export interface Cursor {
  /** The value of the sort column in the page's last row. */
  readonly sort: string | number;
  readonly uid: string;
}

/** After 3 days a token restarts the query from the beginning. */
const pageTokenLifetime = 3 * 24 * 60 * 60 * 1_000;

/**
 * Makes and reads page tokens. A token is bound to what was asked (collection, filters, order) by a fingerprint, and
 * signed, so that a cursor of our own making is all that ever reaches a query. It says nothing about the caller.
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
   * @returns the cursor; `undefined` where the query restarts because the token is too old, which is judged before
   *   what it is bound to
   * @throws ApiError (3) on `page_token`
   */
  read(token: string, query: string, now: number): Cursor | undefined {
    const [payload = "", signature = ""] = token.split(".");
    // As bytes: characters may have more than one.
    const [given, expected] = [Buffer.from(signature), Buffer.from(this.#sign(payload))];
    if (given.length !== expected.length || !timingSafeEqual(given, expected))
      throw invalidArgument("page_token", "is not a page token of this platform");
    const [issued, print, sort, uid] = JSON.parse(Buffer.from(payload, "base64url").toString()) as [
      number,
      string,
      string | number,
      string,
    ];
    if (now - issued > pageTokenLifetime) return undefined;
    if (print !== fingerprint(query))
      throw invalidArgument("page_token", "belongs to a query with another collection, filter or order");
    return { sort, uid };
  }

  #sign(payload: string): string {
    return createHmac("sha256", this.#key).update(payload).digest("base64url");
  }
}

function fingerprint(query: string): string {
  return hash("sha256", query, "base64url").slice(0, 22);
}
