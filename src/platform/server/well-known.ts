import { signingAlgorithm, type SigningKeys } from "../tokens/signing-keys.ts";

/** What others need to check the platform's tokens: the documents of OpenID Connect Discovery, by path. */
export function wellKnownDocuments(authUrl: string, keys: SigningKeys): ReadonlyMap<string, string> {
  const configuration = {
    issuer: authUrl,
    jwks_uri: `${authUrl}/.well-known/jwks.json`,
    token_endpoint: `${authUrl}/sts/exchange`,
    response_types_supported: ["id_token"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: [signingAlgorithm],
  };
  return new Map([
    ["/.well-known/openid-configuration", JSON.stringify(configuration)],
    ["/.well-known/jwks.json", JSON.stringify({ keys: [...keys.publicKeys.values()].map(({ jwk }) => jwk) })],
  ]);
}
