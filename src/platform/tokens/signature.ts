import { compactVerify, createLocalJWKSet, type JWK } from "jose";

/** Asymmetric algorithms only: `none` does not sign, and anyone could compute an HMAC with a public key. */
const algorithms = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];

/** Whether one of the keys signed the token. The key has to match the key id and the algorithm of the token. */
export async function isSignedBy(token: string, keys: readonly JWK[]): Promise<boolean> {
  try {
    await compactVerify(token, createLocalJWKSet({ keys: [...keys] }), { algorithms });
    return true;
  } catch {
    return false;
  }
}
