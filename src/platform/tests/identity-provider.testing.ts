import { generateKeyPairSync } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import { text } from "node:stream/consumers";
import { type Context, Provider } from "oidc-provider";
import type { TrustedIssuer } from "#src/platform/tokens/trusted-issuer.ts";
import { OidcProviderStore } from "#test/support/oidc-provider-store.ts";
import { closeServer, listenOnLoopback, portOf } from "#test/support/loopback.ts";
import { selfSignedCertificate } from "./self-signed.testing.ts";

const { key, certificate } = selfSignedCertificate();

/** A client of the provider. */
export interface TestClient {
  readonly id: string;
  /** Undefined for a public client. */
  readonly secret: string | undefined;
  readonly redirectUris: readonly string[];
}

/**
 * A real OpenID provider on loopback. Its login page asks for the name of an account and nothing else. The e-mail address of an
 * account is its name at example.com, verified unless the name begins with "unverified". Its other claims are those of `people`.
 */
export class TestIdentityProvider {
  readonly #server: Server;
  #provider: Provider | undefined;
  readonly url: string;
  /** What the provider says about accounts, in addition to the e-mail address or instead of it. */
  readonly people = new Map<string, Readonly<Record<string, unknown>>>();
  /** Handles a request instead of the provider, if it returns true. */
  intercept: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `https://127.0.0.1:${portOf(server)}`;
    server.on("request", (request, response) => void this.#respond(request, response));
  }

  static async start(): Promise<TestIdentityProvider> {
    const server = createServer({ key, cert: certificate });
    await listenOnLoopback(server);
    return new TestIdentityProvider(server);
  }

  get ca(): string {
    return certificate;
  }

  /** The setting with which a platform may ask it. */
  get trusted(): TrustedIssuer {
    return { issuer: this.url, ca: certificate, jwksUrl: undefined };
  }

  /** Begins to serve, for these clients. */
  serve(clients: readonly TestClient[]): void {
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    this.#provider = new Provider(this.url, {
      adapter: new OidcProviderStore().adapter,
      clients: clients.map(({ id, secret, redirectUris }) => ({
        client_id: id,
        redirect_uris: redirectUris,
        response_types: ["code"],
        grant_types: ["authorization_code"],
        ...(secret === undefined ? { token_endpoint_auth_method: "none" } : { client_secret: secret }),
        id_token_signed_response_alg: "ES256",
      })),
      jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), use: "sig", alg: "ES256", kid: "1" }] },
      cookies: { keys: ["a secret of a test"] },
      claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
      features: { devInteractions: { enabled: false }, claimsParameter: { enabled: true } },
      interactions: { url: (_: unknown, { uid }: { uid: string }) => `/accounts/${uid}` },
      findAccount: (_: unknown, accountId: string) => ({
        accountId,
        claims: () => ({
          sub: accountId,
          email: `${accountId}@example.com`,
          email_verified: !accountId.startsWith("unverified"),
          ...this.people.get(accountId),
        }),
      }),
      renderError: (context: { body: string }, { error }: { error: string }) => {
        context.body = error;
      },
      // The people of the tests consent to everything.
      loadExistingGrant: async ({ oidc: { provider, client, session } }: Context) => {
        const grant = new provider.Grant({ accountId: session.accountId, clientId: client.clientId });
        grant.addOIDCScope("openid email profile");
        grant.addOIDCClaims(["email", "email_verified", "name"]);
        await grant.save();
        return grant;
      },
      ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 30 * 86_400 },
    });
  }

  stop(): void {
    void closeServer(this.#server);
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const provider = this.#provider;
    if (this.intercept?.(request, response) === true) return;
    if (provider === undefined) return void response.writeHead(503).end();
    if (!request.url?.startsWith("/accounts/")) return provider.callback()(request, response);
    if (request.method === "GET") {
      response.setHeader("content-type", "text/html; charset=utf-8");
      return void response.end(
        `<!doctype html><html lang="en"><title>Example accounts</title><main><h1>Example accounts</h1><form method="post"><label>Account <input name="account"></label> <button>Log in</button></form></main>`,
      );
    }
    const account = new URLSearchParams(await text(request)).get("account") ?? "";
    await provider.interactionFinished(request, response, { login: { accountId: account } });
  }
}
