import { unauthenticated } from "#src/platform/errors/api-error.ts";
import type { Store } from "#src/platform/store/database.ts";
import type { ApiTokens } from "#src/platform/tokens/api-token.ts";
import { isAdminToken, looksLikeAdminToken } from "#src/platform/access/admin-token.ts";
import type { Caller } from "#src/platform/access/caller.ts";

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
