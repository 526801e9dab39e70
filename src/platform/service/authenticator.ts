import { unauthenticated } from "../errors/api-error.ts";
import type { Store } from "../store/database.ts";
import type { ApiTokens } from "../tokens/api-token.ts";
import { isAdminToken, looksLikeAdminToken } from "../access/admin-token.ts";
import type { Caller } from "../access/caller.ts";

/** Finds out who calls. What the caller may do is read inside the call's transaction. */
export class Authenticator {
  readonly #store: Store;
  readonly #tokens: ApiTokens;

  constructor(store: Store, tokens: ApiTokens) {
    this.#store = store;
    this.#tokens = tokens;
  }

  /** @param bearer the token, without `Bearer ` @throws ApiError (16) */
  async authenticate(bearer: string | undefined): Promise<Caller> {
    if (bearer === undefined || bearer === "") throw unauthenticated("a bearer token is required");
    if (!looksLikeAdminToken(bearer)) return this.#tokens.verify(bearer);
    if (!(await this.#store.read((tx) => isAdminToken(tx, bearer))))
      throw unauthenticated("the admin token is not valid");
    return { kind: "admin" };
  }
}
