import { create, type DescMethod, type Message, type MessageInitShape, type MessageShape } from "@bufbuild/protobuf";
import pino from "pino";
import { Authenticator } from "#src/platform/service/authenticator.ts";
import type { Caller } from "../../access/caller.ts";
import { dottedNameOf } from "../../access/capability.ts";
import { ApiError, type Code } from "../../errors/api-error.ts";
import { SecurityTokenService } from "../../gen/muster/platform/oidc/security_token_service_pb.ts";
import type { Database } from "#src/platform/store/database.ts";
import { ApiTokens } from "../../tokens/api-token.ts";
import { IssuerKeys } from "../../tokens/issuer-keys.ts";
import type { MasterKey } from "../../tokens/key-file.ts";
import { securityTokenService } from "#src/platform/oidc/security-token-service.ts";
import { SigningKeys } from "../../tokens/signing-keys.ts";
import { now, settings } from "./host.ts";
import { incomingToken } from "./issuer.ts";
import type { Narrowing, TokenHolder } from "./world.ts";

const clock = () => now;
const log = pino({ level: "silent" });
const { exchange, exchangeRefreshToken } = SecurityTokenService.method;

/** The platform's token exchange on a store, without a port. */
export class Exchange {
  readonly #authenticator: Authenticator;
  readonly #service: Extract<ReturnType<typeof securityTokenService>, { authentication: "none" }>;

  private constructor(store: Database, keys: SigningKeys) {
    const tokens = new ApiTokens(keys, settings.authUrl, settings.baseUrl, clock);
    const issuerKeys = new IssuerKeys([], clock);
    const service = securityTokenService({
      database: store,
      tokens,
      issuerKeys,
      rateLimit: undefined,
      settings,
      clock,
      log,
    });
    if (service.authentication !== "none") throw new Error("the exchange needs an API token");
    this.#service = service;
    this.#authenticator = new Authenticator(store, tokens);
  }

  static async on(store: Database, masterKey: MasterKey): Promise<Exchange> {
    return new Exchange(
      store,
      await SigningKeys.load({ database: store, masterKey, clock, log, interval: 24 * 3_600_000 }),
    );
  }

  /** Who calls with the token that the holder gets: exchanged, refreshed as often as it is narrowed again, verified. */
  async callerOf({ identity, narrowings: [first, ...more] }: TokenHolder): Promise<Caller | { readonly code: Code }> {
    try {
      const aud = [settings.baseUrl];
      const asked = { identity: identity.uid, aud, ...parametersOf(first) };
      let { token, refreshToken } = await this.#call(exchange, asked, incomingToken);
      for (const narrowing of more) {
        const pair = await this.#call(exchangeRefreshToken, parametersOf(narrowing), refreshToken);
        token = pair.token?.token ?? "";
        refreshToken = pair.refreshToken?.token ?? "";
      }
      return await this.#authenticator.authenticate(token);
    } catch (error) {
      if (error instanceof ApiError) return { code: error.code };
      throw error;
    }
  }

  #call<M extends DescMethod>(
    method: M,
    request: MessageInitShape<M["input"]>,
    bearer: string,
  ): Promise<MessageShape<M["output"]>> {
    const input: Message = create(method.input, request);
    return this.#service.handler(method)(input, { bearer }) as Promise<MessageShape<M["output"]>>;
  }
}

function parametersOf({ capabilities = [], scopes = [] }: Narrowing = {}) {
  return { cap: capabilities.map(dottedNameOf), scopes: scopes.map(({ uid }) => uid) };
}
