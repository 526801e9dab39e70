import { create, type DescMethod, type Message, type MessageInitShape, type MessageShape } from "@bufbuild/protobuf";
import pino from "pino";
import { Authenticator } from "#src/platform/service/authenticator.ts";
import { CallSlots } from "#src/platform/service/call-slots.ts";
import type { Caller } from "#src/platform/authorization/caller.ts";
import { dottedNameOf } from "#src/platform/authorization/capability.ts";
import { ApiError, type Code } from "#src/platform/errors/api-error.ts";
import { SecurityTokenService } from "#src/platform/gen/muster/platform/oidc/security_token_service_pb.ts";
import { NameResolver } from "#src/platform/names/name-resolver.ts";
import type { Database } from "#src/platform/store/database.ts";
import { ApiTokens } from "#src/platform/tokens/api-token.ts";
import type { MasterKey } from "#src/platform/tokens/master-key.ts";
import { SecurityLog } from "#src/platform/audit/security-log.ts";
import { securityTokenService } from "#src/platform/oidc/security-token-service.ts";
import { tokenServiceOptions } from "#src/platform/token-service-options.ts";
import { SigningKeys } from "#src/platform/tokens/signing-keys.ts";
import { now, settings } from "./settings.testing.ts";
import { subjectToken } from "./subject-token.testing.ts";
import type { Downscope, TokenHolder } from "./world.testing.ts";

const clock = () => now;
const log = pino({ level: "silent" });
const slots = new CallSlots({ maximumInFlight: 1_000, onChange: () => {} });
const { exchange, exchangeRefreshToken } = SecurityTokenService.method;

/** The platform's token exchange on a database, without a port. */
export class Exchange {
  readonly #authenticator: Authenticator;
  readonly #securityLog: SecurityLog;
  readonly #service: Extract<ReturnType<typeof securityTokenService>, { authentication: "none" }>;

  private constructor(database: Database, keys: SigningKeys) {
    const tokens = new ApiTokens(keys, settings.authUrl, settings.baseUrl, clock);
    this.#securityLog = new SecurityLog({ database, log, clock, monotonic: clock });
    const names = new NameResolver();
    const options = { database, clock, log, names, rateLimit: undefined, maximumIssuerRequests: 1 };
    const service = securityTokenService(tokenServiceOptions(options, settings, tokens, this.#securityLog));
    if (service.authentication !== "none") throw new Error("the exchange needs an API token");
    this.#service = service;
    this.#authenticator = new Authenticator(database, tokens, clock);
  }

  static async on(database: Database, masterKey: MasterKey): Promise<Exchange> {
    return new Exchange(
      database,
      await SigningKeys.load({ database, masterKey, clock, log, interval: 24 * 3_600_000 }),
    );
  }

  /** Exchanges the subject token, refreshes the result once for each further downscope, and authenticates the last token. */
  async callerOf({ identity, downscopes: [first, ...more] }: TokenHolder): Promise<Caller | { readonly code: Code }> {
    try {
      const aud = [settings.baseUrl];
      const request = { identity: identity.uid, aud, ...parametersOf(first) };
      let { token, refreshToken } = await this.#call(exchange, request, subjectToken);
      for (const downscope of more) {
        const pair = await this.#call(exchangeRefreshToken, parametersOf(downscope), refreshToken);
        token = pair.token?.token ?? "";
        refreshToken = pair.refreshToken?.token ?? "";
      }
      return await this.#authenticator.authenticate(token);
    } catch (error) {
      if (error instanceof ApiError) return { code: error.code };
      throw error;
    }
  }

  /** Must be called before the database is closed. */
  close(): Promise<void> {
    return this.#securityLog.close();
  }

  async #call<M extends DescMethod>(
    method: M,
    request: MessageInitShape<M["input"]>,
    bearer: string,
  ): Promise<MessageShape<M["output"]>> {
    const input: Message = create(method.input, request);
    const slot = slots.slotFor("127.0.0.1");
    try {
      return (await this.#service.handler(method)?.(input, {
        bearer,
        slot,
        method: method.name,
        address: "127.0.0.1",
      })) as MessageShape<M["output"]>;
    } finally {
      slot.release();
    }
  }
}

function parametersOf({ capabilities = [], scopes = [] }: Downscope = {}) {
  return { cap: capabilities.map(dottedNameOf), scopes: scopes.map(({ uid }) => uid) };
}
