import type { LoginSession } from "#src/login/login-session.ts";
import type { Tokens } from "#src/platform-client/http-api.ts";

/** The tokens of a person's login, of which the platform may reject one: it is then renewed once. */
export function loginTokens(session: Pick<LoginSession, "tokens">): Tokens {
  let rejected: string | undefined;
  return {
    token: async () => ({ value: (await session.tokens(rejected)).accessToken, epoch: rejected === undefined ? 0 : 1 }),
    reject: ({ value, epoch }) => {
      if (epoch > 0) return false;
      rejected = value;
      return true;
    },
  };
}
