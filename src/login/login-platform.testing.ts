import { generateKeyPairSync } from "node:crypto";
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { OidcProviderStore } from "#test/support/oidc-provider-store.ts";
import { closeServer, listenOnLoopback, portOf } from "#test/support/loopback.ts";
import { clientId } from "./authorization-server.ts";

/** The part of the package that the tests use; it has no types of its own. */
interface Provider {
  readonly Grant: new (
    of: object,
  ) => { addResourceScope(resource: string, scope: string): void; save(): Promise<string> };
  callback(): RequestListener;
  interactionDetails(
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<{ readonly prompt: { readonly name: string } }>;
  interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
}
const oidcProvider: string = "oidc-provider";
const { Provider } = (await import(oidcProvider)) as {
  readonly Provider: new (issuer: string, configuration: object) => Provider;
};

/** The identity that every login of the tests is for. */
export const testIdentity = `${"a".repeat(40)}/${"b".repeat(16)}`;

/** Handles a request of the API, or of anything else before the platform does. */
export type Intercept = (request: IncomingMessage, response: ServerResponse) => boolean;

/**
 * A platform on loopback whose logins are those of `oidc-provider`, a server that nobody here wrote: code with PKCE, the device
 * grant, refresh tokens that are used once, revocation. Whoever opens it is logged in at once.
 */
export class LoginPlatform {
  readonly #server: Server;
  /** The requests that it got, such as `POST /token`. */
  readonly requests: string[] = [];
  readonly #provider: Provider;
  intercept: Intercept | undefined;

  static async start({ tokenSeconds = 3600 }: { readonly tokenSeconds?: number } = {}): Promise<LoginPlatform> {
    const server = createServer();
    await listenOnLoopback(server);
    return new LoginPlatform(server, tokenSeconds);
  }

  private constructor(server: Server, tokenSeconds: number) {
    this.#server = server;
    this.#provider = new Provider(this.url, configuration(this.url, tokenSeconds));
    const handle = this.#provider.callback();
    server.on("request", (request, response) => {
      this.requests.push(`${request.method} ${request.url}`);
      if (this.intercept?.(request, response) === true) return;
      if (request.url?.startsWith("/interaction/")) void this.#interact(request, response);
      else void withScope(request).then((changed) => handle(changed, response));
    });
  }

  /** The person logs in and consents. */
  async #interact(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const provider = this.#provider;
    const { prompt } = await provider.interactionDetails(request, response);
    const grant = new provider.Grant({ accountId: testIdentity, clientId });
    grant.addResourceScope(this.url, "api");
    await provider.interactionFinished(
      request,
      response,
      prompt.name === "login" ? { login: { accountId: testIdentity } } : { consent: { grantId: await grant.save() } },
    );
  }

  get url(): string {
    return `http://127.0.0.1:${portOf(this.#server)}`;
  }

  /** The number of requests that begin with a text. */
  count(start: string): number {
    return this.requests.filter((request) => request.startsWith(start)).length;
  }

  close(): Promise<void> {
    return closeServer(this.#server);
  }
}

/**
 * Adds the scope without which this server grants nothing, and removes audiences, of which it accepts one; the platform has
 * several, and no scopes.
 */
async function withScope(request: IncomingMessage): Promise<IncomingMessage> {
  if (request.url?.startsWith("/authorize?") === true)
    request.url = `${request.url.replaceAll(/&audience=[^&]*/g, "")}&scope=api`;
  if (request.url !== "/device_authorization") return request;
  const body = Buffer.from(`${await text(request)}&scope=api`);
  const { method, url, socket } = request;
  const headers = { ...request.headers, "content-length": String(body.length) };
  return Object.assign(Readable.from([body]), { method, url, socket, headers }) as unknown as IncomingMessage;
}

function configuration(url: string, tokenSeconds: number): object {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const resource = {
    scope: "api",
    audience: url,
    accessTokenFormat: "jwt",
    jwt: { sign: { alg: "ES256" } },
    accessTokenTTL: tokenSeconds,
  };
  return {
    adapter: new OidcProviderStore().adapter,
    clients: [
      {
        client_id: clientId,
        application_type: "native",
        token_endpoint_auth_method: "none",
        redirect_uris: ["http://127.0.0.1/callback"],
        response_types: ["code"],
        grant_types: ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
        id_token_signed_response_alg: "ES256",
      },
    ],
    jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), use: "sig", alg: "ES256", kid: "1" }] },
    cookies: { keys: ["a secret of a test"] },
    routes: {
      authorization: "/authorize",
      token: "/token",
      device_authorization: "/device_authorization",
      revocation: "/revoke",
    },
    // It refuses a request without PKCE, and one with a parameter that it does not know is as good as any.
    pkce: { required: () => true },
    extraParams: ["group", "identity_provider", "invite", "audience"],
    issueRefreshToken: () => true,
    rotateRefreshToken: true,
    features: {
      devInteractions: { enabled: false },
      deviceFlow: { enabled: true },
      revocation: { enabled: true, allowedPolicy: () => true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => url,
        getResourceServerInfo: () => resource,
        useGrantedResource: () => true,
      },
    },
    interactions: { url: (_: unknown, { uid }: { readonly uid: string }) => `/interaction/${uid}` },
    findAccount: (_: unknown, accountId: string) => ({ accountId, claims: () => ({ sub: accountId }) }),
    extraTokenClaims: () => ({ act: { iss: "https://idp.example.com", sub: "alice", aud: "client" } }),
    ttl: { Grant: 86_400, Interaction: 600, AccessToken: 3600, RefreshToken: 86_400, Session: 86_400 },
  };
}

/** What a person's browser does, without a screen: follows redirects, keeps cookies, sends forms. */
export class FormBrowser {
  readonly #cookies = new Map<string, string>();

  /** Opens an address, and what it redirects to. @returns the last page */
  async open(address: string, form?: URLSearchParams): Promise<{ readonly url: string; readonly text: string }> {
    const response = await fetch(address, {
      redirect: "manual",
      headers: { cookie: [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
      ...(form === undefined ? {} : { method: "POST", body: form }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      this.#cookies.set(name, value);
    }
    const location = response.headers.get("location");
    if (location !== null) return this.open(new URL(location, address).href);
    return { url: address, text: await response.text() };
  }

  /** Sends the form of a page, with what the person types. */
  submit(page: { readonly url: string; readonly text: string }, typed: Readonly<Record<string, string>>) {
    const action = /<form[^>]* action="([^"]*)"/.exec(page.text)?.[1] ?? page.url;
    const fields = new URLSearchParams(typed);
    for (const [, name = "", value = ""] of page.text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g))
      fields.set(name, value);
    return this.open(new URL(action, page.url).href, fields);
  }
}
