import type { WallClock } from "#src/time/wall-clock.ts";
import { findAdmin, looksLikeAdminToken } from "../authorization/admin-token.ts";
import type { Caller } from "../authorization/caller.ts";
import { unauthenticated } from "../errors/api-error.ts";
import { unauthenticatedShares } from "../shares/share.ts";
import type { Database } from "../store/database.ts";
import type { ApiTokens } from "../tokens/api-token.ts";

/** The shares of the search for an admin token, which anybody can guess. */
const guesses = unauthenticatedShares("admin tokens");

/** Authenticates callers. Their permissions are read in the transaction of the call. */
export class Authenticator {
  readonly #database: Database;
  readonly #tokens: ApiTokens;
  readonly #clock: WallClock;

  constructor(database: Database, tokens: ApiTokens, clock: WallClock) {
    this.#database = database;
    this.#tokens = tokens;
    this.#clock = clock;
  }

  /** @param bearer the token, without `Bearer ` @throws ApiError (16) */
  async authenticate(bearer: string | undefined): Promise<Caller> {
    if (bearer === undefined || bearer === "") throw unauthenticated("a bearer token is required");
    if (!looksLikeAdminToken(bearer)) return this.#tokens.verify(bearer);
    const admin = await this.#database.read((tx) => findAdmin(tx, bearer, this.#clock()), guesses);
    if (admin === undefined) throw unauthenticated("the admin token is not valid, or has expired");
    return admin;
  }
}
