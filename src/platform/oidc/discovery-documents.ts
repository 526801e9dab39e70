import { signingAlgorithm, type SigningKeys } from "../tokens/signing-keys.ts";

/** The documents of OpenID Connect Discovery. Other services verify the platform's tokens with them. */
export class DiscoveryDocuments {
  readonly #keys: SigningKeys;
  readonly #configuration: string;

  constructor(authUrl: string, keys: SigningKeys) {
    this.#keys = keys;
    this.#configuration = JSON.stringify({
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
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: [signingAlgorithm],
    });
  }

  /** Reads the JSON document at a path; `undefined` if there is none. */
  at(path: string): (() => Promise<string>) | undefined {
    switch (path) {
      case "/.well-known/openid-configuration":
        return async () => this.#configuration;
      case "/.well-known/jwks.json":
        return async () => JSON.stringify({ keys: await this.#keys.published() });
      default:
        return undefined;
    }
  }
}
