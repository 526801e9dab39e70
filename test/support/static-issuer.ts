import { CompactSign, exportJWK, generateKeyPair, SignJWT } from "jose";

/** Signs subject tokens for identities with static keys, for which the platform contacts no issuer. */
export class StaticIssuer {
  readonly issuer: string;
  readonly #keys = generateKeyPair("ES256");

  constructor(issuer = "https://conformance.invalid") {
    this.issuer = issuer;
  }

  /** The public keys as a JWKS document. */
  async keys(): Promise<string> {
    const { publicKey } = await this.#keys;
    return JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: "1", alg: "ES256" }] });
  }

  /** A token that is valid for ten minutes. @param claims override the defaults; an undefined one is omitted */
  async token(subject: string, audience: string, claims: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const { privateKey } = await this.#keys;
    const seconds = Math.floor(Date.now() / 1_000);
    const usual = { iss: this.issuer, sub: subject, aud: audience, iat: seconds, exp: seconds + 600 };
    return new SignJWT({ ...usual, ...claims }).setProtectedHeader({ alg: "ES256", kid: "1" }).sign(privateKey);
  }

  /** A token with a payload that is written as it is. @param header in addition to the algorithm and the id of the key */
  async sign(payload: string, header: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const { privateKey } = await this.#keys;
    const extensions = Object.fromEntries(Object.keys(header).map((name) => [name, true]));
    return new CompactSign(Buffer.from(payload))
      .setProtectedHeader({ alg: "ES256", kid: "1", ...header })
      .sign(privateKey, { crit: extensions });
  }
}
