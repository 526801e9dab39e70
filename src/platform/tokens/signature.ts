import { compactVerify, createLocalJWKSet, type JWK } from "jose";

/** Asymmetric ones alone: `none` is no signature, and a symmetric one could be made with a public key. */
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

/** Whether one of the keys signed the token: the one that it names, of the sort that its algorithm needs. */
export async function isSignedBy(token: string, keys: readonly JWK[]): Promise<boolean> {
  try {
    await compactVerify(token, createLocalJWKSet({ keys: [...keys] }), { algorithms });
    return true;
  } catch {
    return false;
  }
}
