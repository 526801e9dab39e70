import { signingAlgorithm, type SigningKeys } from "../tokens/signing-keys.ts";

const authorizationServerPath = "/.well-known/oauth-authorization-server";

/** What a program must know to log a person in (RFC 8414). Every member says what the endpoints do. */
const authorizationServer = (authUrl: string) => ({
  issuer: authUrl,
  jwks_uri: `${authUrl}/.well-known/jwks.json`,
  authorization_endpoint: `${authUrl}/authorize`,
  token_endpoint: `${authUrl}/token`,
  device_authorization_endpoint: `${authUrl}/device_authorization`,
  revocation_endpoint: `${authUrl}/revoke`,
  response_types_supported: ["code"],
  response_modes_supported: ["query"],
  grant_types_supported: ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
  code_challenge_methods_supported: ["S256"],
  token_endpoint_auth_methods_supported: ["none"],
  revocation_endpoint_auth_methods_supported: ["none"],
  authorization_response_iss_parameter_supported: true,
});

/** The documents of OpenID Connect Discovery and RFC 8414. Other services verify the platform's tokens with them. */
export class DiscoveryDocuments {
  readonly #keys: SigningKeys;
  readonly #openId: string;
  readonly #authorizationServer: string;
  /** RFC 8414 inserts the path before that of the issuer. */
  readonly #authorizationServerPath: string;

  constructor(authUrl: string, keys: SigningKeys) {
    this.#keys = keys;
    const server = authorizationServer(authUrl);
    this.#authorizationServer = JSON.stringify(server);
    this.#authorizationServerPath = authorizationServerPath + new URL(authUrl).pathname.replace(/\/$/, "");
    this.#openId = JSON.stringify({
      ...server,
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: [signingAlgorithm],
    });
  }

  /** Reads the JSON document at a path; `undefined` if there is none. */
  at(path: string): (() => Promise<string>) | undefined {
    switch (path) {
      case "/.well-known/openid-configuration":
        return async () => this.#openId;
      case authorizationServerPath:
      case this.#authorizationServerPath:
        return async () => this.#authorizationServer;
      case "/.well-known/jwks.json":
        return async () => JSON.stringify({ keys: await this.#keys.published() });
      default:
        return undefined;
    }
  }
}
