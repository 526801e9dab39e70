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
      token_endpoint: `${authUrl}/sts/exchange`,
      response_types_supported: ["id_token"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: [signingAlgorithm],
    });
  }

  /** The JSON document at a path; `undefined` if there is none. */
  async at(path: string): Promise<string | undefined> {
    switch (path) {
      case "/.well-known/openid-configuration":
        return this.#configuration;
      case "/.well-known/jwks.json":
        return JSON.stringify({ keys: await this.#keys.published() });
      default:
        return undefined;
    }
  }
}
