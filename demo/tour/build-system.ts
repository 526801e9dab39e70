import { exportJWK, generateKeyPair, SignJWT } from "jose";

const issuer = "https://ci.example.com";
const keyId = "ci-1";
const lifetimeSeconds = 600;

/** Signs the tokens of a CI system, as its runner would hand them to a build. */
export class BuildSystem {
  readonly issuer = issuer;
  readonly #keys = generateKeyPair("ES256");

  /** The public keys as a JWKS document. */
  async publicKeys(): Promise<string> {
    const { publicKey } = await this.#keys;
    return JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: keyId, alg: "ES256" }] });
  }

  async token(subject: string, audience: string): Promise<string> {
    const { privateKey } = await this.#keys;
    const seconds = Math.floor(Date.now() / 1_000);
    return new SignJWT({ iss: issuer, sub: subject, aud: audience, iat: seconds, exp: seconds + lifetimeSeconds })
      .setProtectedHeader({ alg: "ES256", kid: keyId })
      .sign(privateKey);
  }
}
