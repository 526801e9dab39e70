import { isAdminToken, looksLikeAdminToken } from "../access/admin-token.ts";
import type { Caller } from "../access/caller.ts";
import { unauthenticated } from "../errors/api-error.ts";
import type { Database } from "../store/database.ts";
import type { ApiTokens } from "../tokens/api-token.ts";

/** Authenticates callers. Their permissions are read in the transaction of the call. */
export class Authenticator {
  readonly #database: Database;
  readonly #tokens: ApiTokens;

  constructor(database: Database, tokens: ApiTokens) {
    this.#database = database;
    this.#tokens = tokens;
  }

  /** @param bearer the token, without `Bearer ` @throws ApiError (16) */
  async authenticate(bearer: string | undefined): Promise<Caller> {
    if (bearer === undefined || bearer === "") throw unauthenticated("a bearer token is required");
    if (!looksLikeAdminToken(bearer)) return this.#tokens.verify(bearer);
    if (!(await this.#database.read((tx) => isAdminToken(tx, bearer))))
      throw unauthenticated("the admin token is not valid");
    return { kind: "admin" };
  }
}
