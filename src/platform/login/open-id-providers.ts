import { hash } from "node:crypto";
import type { Logger } from "pino";
import type { WallClock } from "#src/time/wall-clock.ts";
import type {
  IdentityProvider,
  IdentityProvider_OIDC as OIDC,
} from "../gen/muster/platform/iam/v2beta1/identity_provider_pb.ts";
import { openSecret } from "../iam/client-secret.ts";
import { Lease } from "../shares/lease.ts";
import { Pool } from "../shares/pool.ts";
import { rootGroupShare, type Share } from "../shares/share.ts";
import { discover } from "../tokens/discovery.ts";
import {
  FetchError,
  type FetchOptions,
  type FetchText,
  isUnavailable,
  RefusedFetchError,
} from "../tokens/fetch-document.ts";
import type { IssuerKeys } from "../tokens/issuer-keys.ts";
import { issuerTimes } from "../tokens/issuer-times.ts";
import type { KeySet } from "../tokens/key-set.ts";
import type { MasterKey } from "../tokens/master-key.ts";
import { RevalidatedCache } from "../tokens/revalidated-cache.ts";
import type { TrustedIssuer } from "../tokens/trusted-issuer.ts";
import { OAuthError } from "./oauth-error.ts";

export interface OpenIdProvidersOptions {
  readonly trusted: readonly TrustedIssuer[];
  readonly issuerKeys: IssuerKeys;
  readonly masterKey: MasterKey;
  readonly clock: WallClock;
  readonly log: Logger;
  /** How many providers are asked at a time. Root groups share it. */
  readonly maximumRequests: number;
  readonly fetch: FetchText;
}

/** What of a provider's discovery document a login needs. */
interface Endpoints {
  readonly authorization: string;
  readonly token: string;
  /** Whether the secret is sent in the form, because the provider does not accept it in the header. */
  readonly secretInForm: boolean;
  readonly supportsPkce: boolean;
  /** The scopes for what people see of a person, as far as the provider supports them. */
  readonly personalScopes: readonly string[];
  readonly supportsClaims: boolean;
  /** Whether the provider names itself in its redirects (RFC 9207). */
  readonly sendsIssuer: boolean;
}

/** What binds a response of a provider to the browser that was sent there. */
export interface LoginSecrets {
  readonly state: string;
  readonly nonce: string;
  /** Of PKCE. */
  readonly verifier: string;
}

/**
 * The OpenID providers of groups, as their client. Tenants choose them, so they are untrusted, and may be slow. No library of OAuth
 * is used: it would replace a tenth of this file, and read responses by itself, while each request has to be made by
 * `fetchDocument`, and each key to come from `IssuerKeys`, where root groups share what is fetched.
 */
export class OpenIdProviders {
  readonly #options: OpenIdProvidersOptions;
  readonly #fetch: FetchText;
  readonly #requests: Pool;
  readonly #known: RevalidatedCache<Endpoints>;

  constructor(options: OpenIdProvidersOptions) {
    this.#options = options;
    this.#fetch = options.fetch;
    this.#known = new RevalidatedCache({
      times: issuerTimes,
      bounds: { entries: 1_000, bytes: 4 * 1024 * 1024 },
      clock: options.clock,
      bytesOf: (issuer) => 4_096 + 2 * issuer.length,
      isUnavailable,
      isRefused: (error) => error instanceof RefusedFetchError,
    });
    this.#requests = new Pool(options.maximumRequests);
  }

  /** Where the person logs in at the provider. @throws OAuthError (temporarily_unavailable, access_denied) */
  async authorizationUrl(
    { uid }: IdentityProvider,
    oidc: OIDC,
    { redirectUri, state, nonce, verifier }: LoginSecrets & { readonly redirectUri: string },
  ): Promise<string> {
    const endpoints = await this.#endpointsOf(uid, oidc.issuer);
    const scopes = new Set(["openid", ...endpoints.personalScopes, ...oidc.additionalScopes]);
    const claims = Object.entries(claimsOfScopes).flatMap(([scope, names]) => (scopes.has(scope) ? names : []));
    const url = new URL(endpoints.authorization);
    const parameters = {
      response_type: "code",
      client_id: oidc.clientId,
      redirect_uri: redirectUri,
      scope: [...scopes].join(" "),
      state,
      nonce,
      // Name and e-mail address belong into the ID token, since nothing else that the provider sends is signed.
      ...(endpoints.supportsClaims && claims.length > 0 ? { claims: claimsParameter(claims) } : {}),
      ...(oidc.pkceEnabled || endpoints.supportsPkce
        ? { code_challenge: challengeOf(verifier), code_challenge_method: "S256" }
        : {}),
    };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return url.href;
  }

  /** Whether the provider must name itself in its redirects. @throws as `authorizationUrl` */
  async sendsIssuer({ uid }: IdentityProvider, { issuer }: OIDC): Promise<boolean> {
    return (await this.#endpointsOf(uid, issuer)).sendsIssuer;
  }

  /**
   * Redeems the code of the provider. The client secret is unsealed only for this request.
   * @returns the ID token, which is not verified
   * @throws OAuthError as `authorizationUrl`
   */
  async idTokenFor(
    provider: IdentityProvider,
    { issuer, clientId, pkceEnabled }: OIDC,
    { code, redirectUri, verifier }: { readonly code: string; readonly redirectUri: string; readonly verifier: string },
  ): Promise<string> {
    const endpoints = await this.#endpointsOf(provider.uid, issuer);
    const form = new URLSearchParams({ grant_type: "authorization_code", code, redirect_uri: redirectUri });
    if (pkceEnabled || endpoints.supportsPkce) form.set("code_verifier", verifier);
    const headers: Record<string, string> = {
      accept: "application/json",
      "content-type": "application/x-www-form-urlencoded",
    };
    const secret = openSecret(this.#options.masterKey, provider);
    if (secret === "" || endpoints.secretInForm) form.set("client_id", clientId);
    if (secret !== "" && endpoints.secretInForm) form.set("client_secret", secret);
    if (secret !== "" && !endpoints.secretInForm)
      headers["authorization"] = `Basic ${Buffer.from(`${encoded(clientId)}:${encoded(secret)}`).toString("base64")}`;
    const text = await this.#ask(provider.uid, issuer, () =>
      this.#fetch(endpoints.token, {
        ...this.#fetchOptions(issuer, [rootGroupShare(provider.uid)]),
        method: "POST",
        headers,
        body: form.toString(),
      }),
    );
    const token = idTokenIn(text);
    if (token === undefined) throw new OAuthError("access_denied", "the identity provider sent no ID token");
    return token;
  }

  /** The keys of a provider, for its ID tokens. @throws OAuthError as `authorizationUrl` */
  keysOf({ uid }: IdentityProvider, issuer: string, keyId: string | undefined): Promise<KeySet> {
    return this.#ask(uid, issuer, () => this.#options.issuerKeys.of(issuer, keyId, uid));
  }

  #endpointsOf(uid: string, issuer: string): Promise<Endpoints> {
    const shares = [rootGroupShare(uid)];
    const request = () => {
      const lease = Lease.take(this.#requests, shares);
      if (lease === undefined)
        throw new RefusedFetchError("cannot be asked, because too many identity providers are being asked");
      return this.#discover(issuer, shares).finally(() => lease.release());
    };
    return this.#ask(uid, issuer, () => this.#known.get(issuer, request));
  }

  async #discover(issuer: string, shares: readonly Share[]): Promise<Endpoints> {
    const found = await discover(issuer, this.#fetch, this.#fetchOptions(issuer, shares));
    const methods = found["token_endpoint_auth_methods_supported"];
    return {
      authorization: endpointIn(found, "authorization_endpoint"),
      token: endpointIn(found, "token_endpoint"),
      secretInForm: Array.isArray(methods) && !methods.includes("client_secret_basic"),
      supportsPkce: lists(found["code_challenge_methods_supported"], "S256"),
      personalScopes: Object.keys(claimsOfScopes).filter((scope) => lists(found["scopes_supported"], scope)),
      supportsClaims: found["claims_parameter_supported"] === true,
      sendsIssuer: found["authorization_response_iss_parameter_supported"] === true,
    };
  }

  #fetchOptions(issuer: string, shares: readonly Share[]): FetchOptions {
    const trusted = this.#options.trusted.find((one) => one.issuer === issuer);
    return { privateAddresses: trusted !== undefined, ca: trusted?.ca, shares };
  }

  async #ask<T>(uid: string, issuer: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof FetchError)) throw error;
      this.#options.log.warn({ err: error, identityProvider: uid, issuer }, "asking an identity provider failed");
      throw new OAuthError(
        error.transient && error.status === undefined ? "temporarily_unavailable" : "access_denied",
        `the identity provider ${error.message}`,
      );
    }
  }
}

/** The redirect URI for an issuer. Each issuer has its own, so that none can receive the codes of another (RFC 9700, 4.4.2). */
export function redirectUriFor(authUrl: string, issuer: string): string {
  return `${authUrl}/login/callback/${issuerKeyOf(issuer)}`;
}

/** What stands for an issuer in the path of its redirect URI. */
export function issuerKeyOf(issuer: string): string {
  return hash("sha256", issuer, "hex").slice(0, 16);
}

/** The PKCE challenge of a verifier (S256). */
export function challengeOf(verifier: string): string {
  return hash("sha256", verifier, "base64url");
}

/** What is read of a person, by the scope that asks for it. */
const claimsOfScopes: Readonly<Record<string, readonly string[]>> = {
  profile: ["name"],
  email: ["email", "email_verified"],
};

/** The parameter that asks for claims in the ID token (OpenID Connect Core, 5.5). */
function claimsParameter(names: readonly string[]): string {
  return JSON.stringify({ id_token: Object.fromEntries(names.map((name) => [name, null])) });
}

/** The encoding of RFC 6749, 2.3.1, for the Basic scheme. */
function encoded(text: string): string {
  return new URLSearchParams({ "": text }).toString().slice(1);
}

/** @throws FetchError */
function endpointIn(configuration: Readonly<Record<string, unknown>>, name: string): string {
  const value = configuration[name];
  if (typeof value !== "string" || URL.parse(value)?.protocol !== "https:")
    throw new FetchError(`has a discovery document without an https URL as ${name}`, false);
  return value;
}

function lists(value: unknown, item: string): boolean {
  return Array.isArray(value) && value.includes(item);
}

function idTokenIn(text: string): string | undefined {
  try {
    const { id_token: token } = JSON.parse(text) as { id_token?: unknown };
    return typeof token === "string" ? token : undefined;
  } catch {
    return undefined;
  }
}
