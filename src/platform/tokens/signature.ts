import { type CompactJWSHeaderParameters, compactVerify, createLocalJWKSet, type JWK } from "jose";

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

/** The key that signed the token; undefined if none did. The key has to match the key id and the algorithm of the token. */
export async function signerOf(token: string, keys: readonly JWK[]): Promise<JWK | undefined> {
  try {
    const { protectedHeader } = await compactVerify(token, createLocalJWKSet({ keys: [...keys] }), { algorithms });
    // The verification found exactly one key that matches the header.
    for (const key of keys) if (await matches(key, protectedHeader)) return key;
    return undefined;
  } catch {
    return undefined;
  }
}

async function matches(key: JWK, header: CompactJWSHeaderParameters): Promise<boolean> {
  try {
    await createLocalJWKSet({ keys: [key] })(header);
    return true;
  } catch {
    return false;
  }
}
