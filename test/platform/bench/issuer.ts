import { KeyObject } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";
import { selfSignedCertificate } from "#src/platform/tests/self-signed.testing.ts";
import { signJwt } from "#src/platform/tokens/sign-jwt.ts";
import { listenOnLoopback } from "#test/support/loopback.ts";

/** A token issuer on loopback with OpenID Connect discovery over HTTPS. */
export class Issuer {
  readonly url: string;
  readonly jwk: JWK;
  readonly #privateKey: CryptoKey;
  readonly #close: () => void;
  #newTokens = 0;

  private constructor(url: string, jwk: JWK, privateKey: CryptoKey, close: () => void) {
    this.url = url;
    this.jwk = jwk;
    this.#privateKey = privateKey;
    this.#close = close;
  }

  /**
   * @param certificateFile receives the issuer's certificate, which the platform must trust
   * @param names names for 127.0.0.1, at each of which it is another issuer with the same key
   */
  static async start(certificateFile: string, names: readonly string[] = []): Promise<Issuer> {
    const { key, certificate } = selfSignedCertificate({ names });
    await writeFile(certificateFile, certificate);
    const { publicKey, privateKey } = await generateKeyPair("ES256", { extractable: true });
    const jwk = { ...(await exportJWK(publicKey)), kid: "bench", alg: "ES256", use: "sig" };
    const server = createServer({ key, cert: certificate }, (request, response) => {
      const keys = request.url === "/keys";
      const issuer = `https://${request.headers.host}`;
      response.end(JSON.stringify(keys ? { keys: [jwk] } : { issuer, jwks_uri: `${issuer}/keys` }));
    });
    const url = `https://127.0.0.1:${await listenOnLoopback(server)}`;
    return new Issuer(url, jwk, privateKey, () => server.close());
  }

  /** Its URL at a name. */
  urlAt(name: string): string {
    return this.url.replace("127.0.0.1", name);
  }

  token(subject: string, audience: string, issuer = this.url): Promise<string> {
    return new SignJWT({ iss: issuer, sub: subject, aud: audience })
      .setProtectedHeader({ alg: "ES256", kid: "bench" })
      .setExpirationTime("1h")
      .sign(this.#privateKey);
  }

  /** A token that this process has not returned before. */
  newToken(subject: string, audience: string): string {
    const exp = Math.floor(Date.now() / 1_000) + 3_600;
    const claims = { iss: this.url, sub: subject, aud: audience, exp, jti: String(++this.#newTokens) };
    return signJwt({ kid: "bench" }, claims, KeyObject.from(this.#privateKey));
  }

  stop(): void {
    this.#close();
  }
}
